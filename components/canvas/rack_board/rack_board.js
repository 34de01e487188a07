// The rack board: racks are columns, brokers tiles; a person drags them to the tray "Out" and back.
//
// It decides nothing. What a person did goes to Python as {changes: [...]} (see events.py) and comes back as data. Until
// then the change is shown at once and repeated with the next one, so that two drops in one breath both arrive.
//
// While dragging, a frame writes one transform, and a class only where the target changes; nothing is measured (targets'
// rectangles are read when the lift begins and after scrolling). The lift itself measures before it writes, and marks
// only what looks different: an attribute of the whole board would restyle every tile in the first frame of a drag.
// Names from outside reach the page as text alone.

const MOST_FLOWS = 2400; // as Python sends at most
const STATES = ["alive", "fenced", "shutting down", "dead", "state unknown"];
const MARKS = ["", "◐", "↓", "✕", ""];
// Replicas behind beyond this share of a broker's own are marked on its tile; fewer are told on pointing at it.
const BEHIND_SHARE = 0.1;
const NO_RACK = -1;
const DRAG_STARTS_AT = 4; // px: less is a click with a trembling hand
const ROOM = 470; // px of height for all racks at least: fits a 1366 x 768 screen under the strip and the figures
const AROUND = 298; // px of a window's height that are not the racks'
const RACK_GAP = 10;
const RACK_PADDING = 8;
const TRAY_WIDTH = 208;
const MODES = [
  { name: "full", least: 176, most: 380, height: 82, tallest: 92, gap: 4 },
  { name: "medium", least: 84, most: 190, height: 44, tallest: 54, gap: 4 },
  { name: "small", least: 60, most: 110, height: 26, tallest: 38, gap: 3 },
  { name: "tiny", least: 35, most: 60, height: 21, tallest: 26, gap: 3 },
];
const HEAD = 44; // px: a rack's name above its tiles
const CELLS = [20, 18, 17, 16, 15, 14, 13, 12];
const ID_CELL = { name: "cell", height: 18, tallest: 24, gap: 2 }; // low and as wide as an id with a mark
const DIGIT = 6.2; // px
const MOST_LINES = 80; // more lines than this are a smear and not a picture
const FORGET_AFTER = 20000; // ms: a change that was never answered is taken back
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const number = new Intl.NumberFormat("en-US");
const count = (value, one, many = one + "s") => `${number.format(value)} ${value === 1 ? one : many}`;
const signed = (value) => (value > 0 ? "+" : "−") + number.format(Math.abs(value));

function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let at = 0;
  while (bytes >= 999.5 && at < units.length - 1) {
    bytes /= 1000;
    at += 1;
  }
  return `${at && bytes < 99.5 ? bytes.toFixed(1) : Math.round(bytes)} ${units[at]}`;
}

function element(tag, className, parent) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (parent) parent.appendChild(made);
  return made;
}

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function attribute(node, name, value) {
  if (value === null) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}

function style(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

const capital = (text) => text[0].toUpperCase() + text.slice(1);
const inside = (rect, x, y) => x >= rect.left && x <= rect.right && y >= rect.top && y <= rect.bottom;

// Cividis, the scale of counts everywhere in Reseat, at six points.
const CIVIDIS = [
  [0, 32, 77],
  [49, 68, 107],
  [102, 105, 112],
  [149, 143, 120],
  [203, 186, 105],
  [255, 234, 70],
];

function heat(share) {
  const at = Math.max(0, Math.min(1, share)) * (CIVIDIS.length - 1);
  const low = Math.min(Math.floor(at), CIVIDIS.length - 2);
  const mixed = CIVIDIS[low].map((value, part) => Math.round(value + (at - low) * (CIVIDIS[low + 1][part] - value)));
  return `rgb(${mixed})`;
}

// ---- the picture that is being drawn: data and what was done since ---------------------------------------------------

function modelOf(data, pending) {
  const { brokers: columns, racks, rackNames } = data;
  const brokers = new Map();
  columns.id.forEach((id, at) => {
    brokers.set(id, {
      id,
      at,
      rack: columns.rack[at],
      host: columns.host ? columns.host[at] : "",
      state: columns.state[at],
      replicas: columns.replicas[at],
      leaders: columns.leaders ? columns.leaders[at] : null,
      behind: columns.behind ? columns.behind[at] : 0,
      stuck: columns.stuck ? columns.stuck[at] : 0,
      bytes: columns.bytes ? columns.bytes[at] : null,
      after: columns.after ? columns.after[at] : null,
      leadersAfter: columns.leadersAfter ? columns.leadersAfter[at] : null,
      bytesAfter: columns.bytesAfter ? columns.bytesAfter[at] : null,
      added: false,
    });
  });
  const out = new Set(data.out);
  for (const id of data.added) if (brokers.has(id)) brokers.get(id).added = true;
  for (const change of pending) {
    if (change.do === "out") {
      for (const id of change.brokers) {
        if (brokers.get(id)?.added) brokers.delete(id);
        else if (brokers.has(id)) out.add(id);
      }
    } else if (change.do === "back") {
      for (const id of change.brokers) out.delete(id);
    } else if (change.do === "add") {
      const rack = change.rack === null ? NO_RACK : racks.indexOf(change.rack);
      brokers.set(change.broker, {
        ...{ host: "", state: 4, replicas: 0, leaders: null, bytes: null, behind: 0, stuck: 0, at: -1 },
        ...brokers.get(change.broker),
        ...{ id: change.broker, rack, added: true },
      });
    } else if (change.do === "reset") {
      out.clear();
      for (const [id, broker] of brokers) if (broker.added) brokers.delete(id);
    }
  }
  const planned = data.planned && pending.length === 0;
  if (!planned) for (const broker of brokers.values()) broker.after = broker.leadersAfter = broker.bytesAfter = null;
  const groups = new Map(racks.map((_, rack) => [rack, []]));
  for (const broker of brokers.values()) {
    if (!groups.has(broker.rack)) groups.set(broker.rack, []);
    groups.get(broker.rack).push(broker);
  }
  for (const group of groups.values()) group.sort((one, other) => one.id - other.id);
  let top = 1;
  let low = Infinity;
  let total = 0;
  let holders = 0;
  for (const broker of brokers.values()) {
    top = Math.max(top, broker.replicas, broker.after ?? 0);
    if (!out.has(broker.id)) low = Math.min(low, broker.replicas, broker.after ?? Infinity);
    total += broker.after ?? broker.replicas;
    if (broker.state !== 3 && !(planned && out.has(broker.id))) holders += 1;
  }
  // Colours never stretch a difference of a few replicas over the whole scale.
  low = Math.min(low, Math.floor(0.9 * top));
  const mean = total / Math.max(holders, 1);
  return { racks, rackNames, noRack: data.noRack, brokers, out, groups, planned, low, top, scale: top * 1.06, mean };
}

const rackWords = (model, rack) => {
  if (rack === NO_RACK) return model.noRack;
  const name = model.rackNames[rack];
  return /^rack/i.test(name) ? name : `rack ${name}`;
};

// ---- how large tiles can be ------------------------------------------------------------------------------------------

function fit(width, sizes, { digits, withIds, zoom }) {
  const racks = Math.max(sizes.length, 1);
  const height = Math.max(ROOM, window.innerHeight / zoom - AROUND);
  const wide = Math.ceil(DIGIT * (digits + 1) + 5);
  const tries = [...MODES, { ...ID_CELL, least: wide, most: wide + 8, numbered: true }];
  if (!withIds) {
    for (const side of CELLS) tries.push({ name: "cell", least: side, most: side, height: side, tallest: side, gap: 2 });
  }
  let flattest = null; // where nothing fits: the smallest cells, as low as they can be
  for (const mode of tries) {
    const { gap } = mode;
    for (let across = racks; across >= 1; across -= 1) {
      const rackWidth = (width - RACK_GAP * (across - 1)) / across;
      const inner = rackWidth - 2 * RACK_PADDING;
      if (across > 1 && rackWidth < 60) continue;
      // As few tiles side by side as the height allows: wide tiles say more. As many as are needed before there is room left.
      const beside = Math.min(Math.max(1, ...sizes), Math.max(1, Math.floor((inner + gap) / (mode.most + gap))));
      for (let perRow = beside; perRow * (mode.least + gap) - gap <= inner; perRow += 1) {
        let rows = 0;
        let around = 0;
        for (let first = 0; first < racks; first += across) {
          rows += Math.ceil(Math.max(1, ...sizes.slice(first, first + across)) / perRow);
          around += HEAD + RACK_PADDING + RACK_GAP;
        }
        const filled = Math.floor((inner - gap * (perRow - 1)) / perRow), tile = mode.name === "cell" ? Math.min(mode.most, filled) : filled;
        const room = Math.floor((height - around) / rows) - gap;
        const high = Math.max(mode.height, Math.min(mode.tallest, room));
        const fitted = { mode: mode.name, numbered: mode.numbered, across, perRow, tile, height: high, gap, rackWidth };
        if (room >= mode.height) return fitted;
        const total = around + rows * (high + gap);
        if (mode === tries.at(-1) && !(flattest?.total <= total)) flattest = { ...fitted, total };
      }
    }
  }
  return flattest ?? { mode: "cell", across: 1, perRow: 1, tile: 12, height: 12, gap: 2, rackWidth: width };
}

// ---- the board -------------------------------------------------------------------------------------------------------

class Board {
  constructor(root, emit) {
    this.root = root;
    this.emit = emit;
    root.savedRows = () => this.savedRows();
    const part = (name) => root.querySelector("." + name);
    this.parts = {
      racks: part("racks"),
      stage: part("stage"),
      tray: part("tray"),
      trayList: part("tray-list"),
      traySays: part("tray-says"),
      reset: part("tray-reset"),
      lines: part("lines"),
      tip: part("tip"),
      proxy: part("proxy"),
      live: part("live"),
      dock: part("dock"),
      few: part("few"),
      many: part("many"),
      leadWord: part("lead-word"),
      form: part("adder"),
      newId: part("adder-id"),
      ids: part("ids"),
    };
    this.columns = new Map(); // rack -> {section, head, name, sum, list}
    this.tiles = new Map(); // broker id -> tile in its rack
    this.trayTiles = new Map(); // broker id -> tile in the tray
    this.fresh = null; // id of a new broker that is not in a rack yet
    this.freshTile = null;
    this.selected = new Set();
    this.withIds = false;
    this.anchor = null;
    this.pending = [];
    this.press = null;
    this.lift = null;
    this.frame = 0;
    this.listen();
  }

  destroy() {
    this.ending.abort();
    this.resizing.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.forgetting);
    this.told.stop();
  }

  listen() {
    this.ending = new AbortController();
    const on = (node, name, heard, options = {}) =>
      node.addEventListener(name, heard.bind(this), { signal: this.ending.signal, ...options });
    on(this.root, "pointerdown", this.pressed);
    on(this.root, "pointermove", this.moved);
    on(this.root, "pointerup", this.released);
    on(this.root, "pointercancel", this.interrupted);
    on(this.root, "lostpointercapture", this.interrupted);
    on(this.root, "contextmenu", (event) => this.press?.touch && event.preventDefault());
    on(this.root, "keydown", this.keyed);
    on(this.root, "focusin", this.focused);
    on(this.root, "focusout", () => this.explain(null));
    on(this.root, "pointerover", (event) => !this.lift && !this.press && this.explain(this.tileAt(event.target)));
    on(this.root, "pointerleave", () => this.explain(null));
    on(this.parts.reset, "click", () => this.change([{ do: "reset" }], "All brokers are restored."));
    on(this.parts.form, "submit", this.submitted);
    on(this.parts.ids, "click", this.switchIds);
    this.finder = new Finder(this, this.ending.signal);
    this.told = new Told(({ find, ids }) => {
      const changed = this.withIds !== (ids !== "");
      this.withIds = ids !== "";
      if (changed) this.draw();
      this.finder.begin(find);
    });
    on(this.parts.newId, "input", () => this.parts.newId.setCustomValidity(""));
    on(window, "resize", () => this.model && this.draw());
    on(window, "scroll", () => this.lift && (this.lift.stale = true), { capture: true, passive: true });
    this.resizing = new ResizeObserver(() => {
      if (!this.model || Math.abs(this.root.clientWidth - this.width) < 1) return;
      if (this.lift) this.lift.stale = true;
      this.draw();
    });
    this.resizing.observe(this.root);
  }

  // ---- data in, changes out ----

  // A line a broker, with what it holds and, with a plan, what it will hold: the data of the board when it is saved.
  savedRows() {
    const { model, data } = this, planned = data.planned;
    const leads = data.leads === "preferred" ? "preferred leaders" : "leaders";
    const whole = data.flows.length < 3 * MOST_FLOWS; // else the smallest flows are not told, and sums would be wrong
    const incoming = new Map(), outgoing = new Map();
    const add = (sums, at, replicas) => sums.set(at, (sums.get(at) ?? 0) + replicas);
    for (let i = 0; i < data.flows.length; i += 3) {
      add(outgoing, data.flows[i], data.flows[i + 2]);
      add(incoming, data.flows[i + 1], data.flows[i + 2]);
    }
    const after = ["replicas moved in", "replicas moved out", "replicas after", `${leads} after`, "bytes after"];
    const rows = [["broker", "rack", "host", "state", "what-if", "replicas", leads, "bytes", "replicas out of sync", ...(planned ? after : [])]];
    for (const broker of [...model.brokers.values()].sort((one, other) => one.id - other.id)) {
      const what = broker.added ? "added" : model.out.has(broker.id) ? "removed" : "";
      const host = broker.host ? broker.host + data.hostTail : "";
      rows.push([
        broker.id, data.rackNames[broker.rack] ?? "", host, STATES[broker.state], what, broker.replicas, broker.leaders, broker.bytes,
        data.brokers.behind ? broker.behind : "",
        ...(planned ? [...(whole ? [incoming, outgoing].map((sums) => sums.get(broker.at) ?? 0) : ["", ""]), broker.after, broker.leadersAfter, broker.bytesAfter] : []),
      ]);
    }
    return rows;
  }

  update(data) {
    const wasPlanned = this.model?.planned;
    const waited = this.pending.length > 0;
    clearTimeout(this.forgetting);
    this.data = data;
    this.pending = [];
    if (this.fresh !== null && data.brokers.id.includes(this.fresh)) this.fresh = null;
    this.draw();
    if (this.lift && !this.lift.ids.every((id) => id === this.fresh || this.model.brokers.has(id))) this.putBack();
    if (document.activeElement !== this.parts.newId) this.parts.newId.value = String(this.nextId());
    if (this.model.planned && (waited || !wasPlanned)) {
      let moves = 0;
      for (const broker of this.model.brokers.values()) moves += Math.max(0, broker.after - broker.replicas);
      this.announce(`Planned: ${count(moves, "replica")} ${moves === 1 ? "moves" : "move"}.`);
    }
  }

  change(changes, said) {
    if (changes.length === 0) return;
    this.pending.push(...changes);
    this.emit({ changes: this.pending });
    this.announce(said);
    this.draw();
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => {
      this.pending = [];
      this.draw();
      this.announce("The server did not answer. The board shows the last known state.");
    }, FORGET_AFTER);
  }

  announce(text) {
    // A screen reader speaks changes only; a no-break space makes the same sentence new.
    this.parts.live.textContent = this.parts.live.textContent === text ? text + "\u00a0" : text;
  }

  nextId() {
    return Math.max(this.data.nextId, ...[...this.model.brokers.keys()].map((id) => id + 1));
  }

  // ---- drawing: in place, so that focus and a drag survive ----

  draw() {
    const focusedTile = this.activeTile();
    const focus = focusedTile && { id: Number(focusedTile.dataset.id), inTray: focusedTile.dataset.place === "tray" };
    this.model = modelOf(this.data, this.pending);
    const { model, root } = this;
    this.width = root.clientWidth;
    this.larger = root.currentCSSZoom ?? 1; // a large screen enlarges its figures
    const shown = [...model.groups].filter(([rack, group]) => rack !== NO_RACK || group.length);
    shown.sort(([one], [other]) => (one === NO_RACK) - (other === NO_RACK) || one - other);
    const narrow = this.width < 620;
    const fitted = fit(
      narrow ? this.width : this.width - TRAY_WIDTH - RACK_GAP,
      shown.map(([, group]) => group.length),
      { digits: String(Math.max(0, ...model.brokers.keys())).length, withIds: this.withIds, zoom: this.larger },
    );
    root.dataset.mode = fitted.mode;
    root.toggleAttribute("data-narrow", narrow);
    root.toggleAttribute("data-busy", this.pending.length > 0);
    root.toggleAttribute("data-numbered", fitted.numbered === true);
    this.parts.ids.hidden = fitted.mode !== "cell" || (fitted.numbered === true && !this.withIds);
    attribute(this.parts.ids, "aria-pressed", String(this.withIds));
    style(root, "--across", String(fitted.across));
    style(root, "--per-row", String(fitted.perRow));
    style(root, "--tile", `${fitted.tile}px`);
    style(root, "--tile-height", `${fitted.height}px`);
    style(root, "--tile-gap", `${fitted.gap}px`);
    style(root, "--mean", `${((100 * model.mean) / model.scale).toFixed(2)}%`);
    write(this.parts.leadWord, this.data.leads === "preferred" ? "preferred leaders" : "leaders");
    write(this.parts.few, number.format(model.low));
    write(this.parts.many, count(model.top, "replica"));
    for (const id of [...this.selected]) if (!model.brokers.has(id)) this.selected.delete(id);
    this.drawRacks(shown, fitted.rackWidth);
    this.drawTray();
    this.drawDock();
    this.finder.mark();
    this.roving(focus);
    this.explain(null);
  }

  drawRacks(shown, rackWidth) {
    const kept = new Set(shown.map(([rack]) => rack));
    for (const [rack, column] of this.columns) {
      if (!kept.has(rack)) {
        column.section.remove();
        this.columns.delete(rack);
      }
    }
    const alive = new Set();
    shown.forEach(([rack, group], at) => {
      const column = this.columns.get(rack) ?? this.makeColumn(rack);
      const words = rackWords(this.model, rack);
      const held = group.reduce((sum, broker) => sum + (broker.after ?? broker.replicas), 0);
      const staying = group.filter((broker) => !this.model.out.has(broker.id)).length;
      write(column.name, rack === NO_RACK ? this.model.noRack : this.model.rackNames[rack]);
      write(
        column.sum,
        this.sumOf(group.length, staying, held, rackWidth),
      );
      attribute(column.head, "title", `${words}: ${count(group.length, "broker")}, ${count(held, "replica")}`);
      attribute(
        column.head,
        "aria-label",
        `Whole ${words}, ${count(group.length, "broker")}, ${count(held, "replica")}` +
          (staying < group.length ? `, ${group.length - staying} removed` : ""),
      );
      attribute(column.list, "aria-label", words);
      style(column.section, "--rack", this.data.colours[this.model.racks[rack]] ?? "var(--line)");
      column.section.classList.toggle("empty", staying === 0);
      if (this.parts.racks.children[at] !== column.section) {
        this.parts.racks.insertBefore(column.section, this.parts.racks.children[at] ?? null);
      }
      group.forEach((broker, place) => {
        const tile = this.tiles.get(broker.id) ?? this.makeTile(broker.id, "rack", this.tiles);
        if (column.list.children[place] !== tile) column.list.insertBefore(tile, column.list.children[place] ?? null);
        this.fillTile(tile, broker);
        alive.add(broker.id);
      });
    });
    for (const [id, tile] of this.tiles) {
      if (!alive.has(id)) {
        tile.remove();
        this.tiles.delete(id);
      }
    }
  }

  sumOf(brokers, staying, held, rackWidth) {
    const replicas = number.format(held);
    if (rackWidth < 110) return staying < brokers ? `${staying} of ${brokers}` : replicas;
    if (staying < brokers) return `${staying} of ${rackWidth < 170 ? brokers : count(brokers, "broker")} · ${replicas}`;
    return `${count(brokers, "broker")} · ${replicas}`;
  }

  makeColumn(rack) {
    const section = element("section", "rack");
    section.dataset.zone = String(rack);
    const head = element("button", "rack-head", section);
    head.type = "button";
    head.dataset.rack = String(rack);
    head.tabIndex = -1;
    const name = element("span", "rack-name", head);
    const sum = element("span", "rack-sum", head);
    const list = element("div", "rack-list", section);
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-multiselectable", "true");
    const column = { section, head, name, sum, list };
    this.columns.set(rack, column);
    return column;
  }

  makeTile(id, place, kept) {
    const tile = element("div", "tile");
    tile.dataset.id = String(id);
    tile.dataset.place = place;
    tile.tabIndex = -1;
    tile.setAttribute("role", "option");
    const line = element("span", "line", tile);
    const parts = { id: element("span", "id", line), host: element("span", "host", line) };
    parts.held = element("span", "held", line);
    parts.badge = element("span", "badge", line);
    parts.mark = element("span", "mark", line);
    const bar = element("span", "bar", tile);
    for (const name of ["hold", "come", "gone", "lead"]) parts[name] = element("i", name, bar);
    element("i", "mean", bar);
    parts.facts = element("span", "facts", tile);
    parts.replicas = element("span", "fact", parts.facts);
    parts.leaders = element("span", "fact", parts.facts);
    parts.bytes = element("span", "fact", parts.facts);
    tile.parts = parts;
    write(parts.id, String(id));
    kept?.set(id, tile);
    return tile;
  }

  fillTile(tile, broker) {
    const { model } = this;
    const inTray = tile.dataset.place === "tray";
    const out = model.out.has(broker.id);
    const ghost = out && !inTray;
    const now = out ? broker.replicas : (broker.after ?? broker.replicas);
    const leaders = out ? broker.leaders : (broker.leadersAfter ?? broker.leaders);
    const delta = out ? 0 : now - broker.replicas;
    const kept = Math.min(now, broker.replicas);
    const bytes = out ? broker.bytes : (broker.bytesAfter ?? broker.bytes);
    const share = (value) => (value / model.scale).toFixed(4);
    const { parts } = tile;
    style(parts.hold, "transform", `scaleX(${share(kept)})`);
    style(parts.lead, "transform", `scaleX(${share(Math.min(leaders ?? 0, now))})`);
    const strip = (node, from, length) =>
      style(node, "transform", `translateX(${(100 * from) / model.scale}%) scaleX(${share(length)})`);
    strip(parts.come, kept, Math.max(delta, 0));
    strip(parts.gone, kept, Math.max(-delta, 0));
    const load = (now - model.low) / Math.max(1, model.top - model.low);
    style(tile, "--heat", heat(load));
    style(tile, "--ink", load > 0.55 ? "#14171c" : "#ffffff");
    write(parts.host, broker.added ? "new" : broker.host);
    write(parts.badge, delta ? signed(delta) : "");
    parts.badge.className = delta < 0 ? "badge less" : "badge";
    // A broker with a replica or two behind is ordinary in a large cluster: marks are for those that lag as a whole.
    const lags = broker.behind > BEHIND_SHARE * broker.replicas;
    const mark = MARKS[broker.state] || (lags ? "▲" : "");
    const word = MARKS[broker.state] ? STATES[broker.state] : `${number.format(broker.behind)} out of sync`;
    write(parts.mark, mark && (inTray ? mark : `${mark} ${word}`));
    write(parts.held, number.format(now));
    write(parts.replicas, inTray ? number.format(now) : count(now, "replica"));
    write(parts.leaders, leaders === null ? "" : this.leads(leaders, "preferred"));
    write(parts.bytes, bytes === null ? "" : size(bytes));
    tile.classList.toggle("ghost", ghost);
    tile.classList.toggle("added", broker.added);
    tile.classList.toggle("receives", delta > 0);
    tile.classList.toggle("dead", broker.state === 3);
    tile.classList.toggle("troubled", (broker.state > 0 && broker.state < 3) || (broker.state !== 3 && lags));
    attribute(tile, "aria-selected", ghost ? null : String(this.selected.has(broker.id)));
    attribute(tile, "aria-hidden", ghost ? "true" : null);
    attribute(tile, "aria-label", this.nameOf(broker, now, leaders, delta, inTray));
  }

  // Leaders with the name of what is counted: the same before and after a plan.
  leads(leaders, short = null) {
    if (this.data.leads !== "preferred") return count(leaders, "leader");
    return short ? `${number.format(leaders)} ${short}` : count(leaders, "preferred leader");
  }

  nameOf(broker, now, leaders, delta, inTray) {
    return [
      `Broker ${broker.id}`,
      rackWords(this.model, broker.rack),
      count(now, "replica"),
      ...(leaders === null ? [] : [this.leads(leaders)]),
      broker.added ? "new" : STATES[broker.state],
      ...(broker.behind ? [`${number.format(broker.behind)} out of sync`] : []),
      ...(delta ? [`${number.format(Math.abs(delta))} ${delta > 0 ? "more" : "fewer"} than before`] : []),
      ...(inTray ? ["removed"] : []),
    ].join(", ");
  }

  drawTray() {
    const { model, parts } = this;
    const ids = [...model.out].filter((id) => model.brokers.has(id)).sort((one, other) => one - other);
    for (const [id, tile] of this.trayTiles) {
      if (!model.out.has(id)) {
        tile.remove();
        this.trayTiles.delete(id);
      }
    }
    ids.forEach((id, place) => {
      const tile = this.trayTiles.get(id) ?? this.makeTile(id, "tray", this.trayTiles);
      if (parts.trayList.children[place] !== tile) {
        parts.trayList.insertBefore(tile, parts.trayList.children[place] ?? null);
      }
      this.fillTile(tile, model.brokers.get(id));
    });
    const changed = ids.length > 0 || [...model.brokers.values()].some((broker) => broker.added);
    parts.reset.hidden = !changed;
    parts.tray.classList.toggle("holds", ids.length > 0);
    if (!this.lift) write(parts.traySays, this.traySentence([]));
  }

  traySentence(more) {
    const { model } = this;
    const ids = [...new Set([...model.out, ...more])].filter((id) => !model.brokers.get(id)?.added);
    if (ids.length === 0) return "Drag a broker here to preview a drain.";
    ids.sort((one, other) => one - other);
    const moves = ids.reduce((sum, id) => sum + (model.brokers.get(id)?.replicas ?? 0), 0);
    const who = capital(this.namesOf(ids));
    const targets = [...model.brokers.values()].filter(({ id, state }) => state !== 3 && !ids.includes(id)).length;
    if (targets < this.data.needs) {
      return `${who} removed: only ${count(targets, "broker")} would remain, and some partitions need ${this.data.needs}.`;
    }
    const stuck = ids.reduce((sum, id) => sum + (model.brokers.get(id)?.stuck ?? 0), 0);
    const cannot = stuck ? ` ${number.format(stuck)} cannot move: no live replica.` : "";
    return `${who} removed: ${count(moves - stuck, "replica")} must move.${cannot}`;
  }

  namesOf(ids) {
    if (ids.length === 1) return `broker ${ids[0]}`;
    const whole = [...this.model.groups].find(
      ([rack, group]) => rack !== NO_RACK && group.length === ids.length && group.every(({ id }) => ids.includes(id)),
    );
    if (whole) return `${rackWords(this.model, whole[0])} (${count(ids.length, "broker")})`;
    if (ids.length > 4) return count(ids.length, "broker");
    return `brokers ${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
  }

  drawDock() {
    const { parts, root } = this;
    root.toggleAttribute("data-placing", this.fresh !== null);
    if (this.fresh === null) {
      this.freshTile?.remove();
      this.freshTile = null;
      parts.dock.replaceChildren();
      return;
    }
    if (this.freshTile && Number(this.freshTile.dataset.id) === this.fresh) return;
    parts.dock.replaceChildren();
    this.freshTile = this.makeTile(this.fresh, "dock");
    this.freshTile.classList.add("added");
    this.freshTile.setAttribute("aria-label", `New broker ${this.fresh}, not in a rack yet`);
    write(this.freshTile.parts.host, "new");
    parts.dock.appendChild(this.freshTile);
    if (!this.columns.has(NO_RACK)) {
      const none = element("span", "no-rack", parts.dock);
      none.dataset.zone = String(NO_RACK);
      write(none, "no rack");
    }
    write(element("span", "dock-says", parts.dock), "Drag it into a rack.");
  }

  switchIds() {
    if (this.parts.ids.hidden) return;
    this.withIds = !this.withIds;
    this.told.now("ids", this.withIds ? "yes" : "");
    this.draw();
    this.activeTile()?.scrollIntoView({ block: "nearest" });
    this.announce(this.withIds ? "Broker ids are shown." : "Broker ids are hidden.");
  }

  submitted(event) {
    event.preventDefault();
    const field = this.parts.newId;
    const id = Number(field.value);
    const trouble =
      field.value === "" || !Number.isInteger(id) || id < 0 || id > 2147483647
        ? "A broker id is a whole number from 0 to 2,147,483,647."
        : this.model.brokers.has(id)
          ? `Broker ${id} is already here. ${this.nextId()} is free.`
          : "";
    field.setCustomValidity(trouble);
    if (trouble) {
      field.reportValidity();
      this.announce(trouble);
      return;
    }
    this.fresh = id;
    this.drawDock();
    this.focusTile(this.freshTile);
    this.announce(`New broker ${id}. Drag it into a rack, or press Space, choose a rack with the arrows, and Enter.`);
  }

  // ---- focus and selection ----

  activeTile() {
    return this.tileAt(this.root.getRootNode().activeElement);
  }

  tileAt(node) {
    const tile = node instanceof Element ? node.closest(".tile") : null;
    return tile && this.root.contains(tile) ? tile : null;
  }

  focusTile(node) {
    if (!node) return;
    this.current?.setAttribute("tabindex", "-1");
    this.current = node;
    node.tabIndex = 0;
    node.focus({ preventScroll: false });
  }

  roving(focus) {
    // The one tile that Tab reaches; where the focused tile went away, its other self takes the focus.
    if (focus && !this.root.contains(this.root.getRootNode().activeElement)) {
      const { id, inTray } = focus;
      const rack = this.tiles.get(id);
      const standing = rack && !rack.classList.contains("ghost") ? rack : null;
      this.focusTile((inTray ? standing : this.trayTiles.get(id)) ?? this.trayTiles.get(id) ?? standing ?? this.first());
      return;
    }
    const usable = this.current?.isConnected && !this.current.classList.contains("ghost");
    if (!usable) {
      this.current?.setAttribute("tabindex", "-1");
      this.current = this.first();
      if (this.current) this.current.tabIndex = 0;
    }
  }

  first() {
    return this.root.querySelector(".rack-list .tile:not(.ghost)") ?? this.root.querySelector(".rack-head");
  }

  focused(event) {
    const node = this.tileAt(event.target) ?? event.target.closest?.(".rack-head");
    if (!node) return;
    if (this.current && this.current !== node) this.current.setAttribute("tabindex", "-1");
    this.current = node;
    node.tabIndex = 0;
    if (!this.lift && !this.press) this.explain(this.tileAt(node));
  }

  select(id, event) {
    const place = (broker) => this.model.out.has(broker);
    for (const other of [...this.selected]) if (place(other) !== place(id)) this.selected.delete(other);
    if (event.shiftKey && this.anchor !== null && this.anchor !== id) {
      const order = [...this.root.querySelectorAll(".racks .tile:not(.ghost), .tray .tile")].map((tile) =>
        Number(tile.dataset.id),
      );
      const [from, to] = [order.indexOf(this.anchor), order.indexOf(id)].sort((one, other) => one - other);
      if (from >= 0) for (const other of order.slice(from, to + 1)) if (place(other) === place(id)) this.selected.add(other);
    } else if (event.ctrlKey || event.metaKey) {
      if (!this.selected.delete(id)) this.selected.add(id);
      this.anchor = id;
    } else {
      const alone = this.selected.size === 1 && this.selected.has(id);
      this.selected.clear();
      if (!alone) this.selected.add(id);
      this.anchor = id;
    }
    this.markSelection();
  }

  markSelection() {
    for (const tiles of [this.tiles, this.trayTiles]) {
      for (const [id, tile] of tiles) {
        if (!tile.classList.contains("ghost")) attribute(tile, "aria-selected", String(this.selected.has(id)));
      }
    }
    const { size: chosen } = this.selected;
    this.announce(chosen ? `${count(chosen, "broker")} selected.` : "Nothing selected.");
  }

  // ---- lifting, by whatever hand ----

  idsOf(node) {
    if (node.classList.contains("rack-head")) {
      const group = this.model.groups.get(Number(node.dataset.rack)) ?? [];
      return group.map(({ id }) => id).filter((id) => !this.model.out.has(id));
    }
    const id = Number(node.dataset.id);
    return this.selected.has(id) && node.dataset.place !== "dock" ? [...this.selected] : [id];
  }

  pickUp(node, by) {
    const ids = this.idsOf(node);
    if (ids.length === 0) return false;
    const { model } = this;
    const fresh = node.dataset.place === "dock";
    const added = fresh || ids.some((id) => model.brokers.get(id)?.added);
    const fromTray = ids.some((id) => model.out.has(id));
    const stands = ids.some((id) => model.brokers.has(id) && !model.out.has(id));
    this.lift = { ids, by, node, over: null, zones: [], stale: true };
    for (const zone of this.root.querySelectorAll("[data-zone]")) {
      const key = zone.dataset.zone;
      const rack = key === "tray" ? null : Number(key);
      const home = rack !== null && ids.some((id) => model.out.has(id) && model.brokers.get(id).rack === rack);
      const valid = key === "tray" ? stands || fresh : added || home;
      this.lift.zones.push({ key, node: zone, valid, forgiving: rack !== null && fromTray });
      zone.classList.toggle("valid", valid);
    }
    this.parts.traySays.classList.add("saying");
    for (const id of ids) {
      this.tiles.get(id)?.classList.add("lifted");
      this.trayTiles.get(id)?.classList.add("lifted");
    }
    node.classList.add("lifted"); // also a rack's name or a new broker: it holds the pointer, so its cursor is shown
    this.explain(null);
    if (stands) write(this.parts.traySays, this.traySentence(ids));
    return true;
  }

  target(zone) {
    const { lift } = this;
    if (lift.over === zone) return;
    lift.over?.node.classList.remove("over");
    lift.over = zone;
    zone?.node.classList.add("over");
  }

  letGo() {
    const { lift } = this;
    this.lift = null;
    for (const zone of lift.zones) zone.node.classList.remove("valid", "over");
    this.parts.traySays.classList.remove("saying");
    for (const tile of this.root.querySelectorAll(".lifted")) tile.classList.remove("lifted");
    this.parts.proxy.hidden = true;
    return lift;
  }

  putBack(said = "Put back.") {
    const lift = this.letGo();
    write(this.parts.traySays, this.traySentence([]));
    this.announce(said);
    if (lift.by === "key") this.focusTile(lift.node);
  }

  drop() {
    const { over, ids } = this.lift;
    if (!over || !(over.valid || over.forgiving)) {
      this.putBack(over && over.key !== "tray" ? "A broker keeps its rack; it was put back." : "Put back.");
      return;
    }
    const lift = this.letGo();
    if (over.key === "tray") this.takeOut(ids);
    else this.bringTo(ids, Number(over.key));
    if (lift.by !== "key") this.selected.clear();
  }

  takeOut(ids) {
    if (ids.includes(this.fresh)) {
      this.fresh = null;
      this.draw();
      this.announce("The new broker is discarded.");
      this.focusTile(this.first());
      return;
    }
    const leaving = ids.filter((id) => !this.model.out.has(id));
    if (leaving.length === 0) return;
    const sentence = this.traySentence(leaving);
    this.selected.clear();
    this.change([{ do: "out", brokers: leaving }], `${sentence} Escape puts back.`);
  }

  bringTo(ids, rack) {
    const { model } = this;
    const changes = [];
    const back = ids.filter((id) => model.out.has(id));
    if (back.length) changes.push({ do: "back", brokers: back });
    const joining = ids.filter((id) => id === this.fresh || model.brokers.get(id)?.added);
    for (const broker of joining) changes.push({ do: "add", broker, rack: rack === NO_RACK ? null : model.racks[rack] });
    const hadFocus = this.freshTile?.contains(this.root.getRootNode().activeElement);
    if (joining.includes(this.fresh)) this.fresh = null;
    this.selected.clear();
    const who = this.namesOf(back.length ? back : joining);
    const said = back.length ? `${who} restored.` : `${who} added to ${rackWords(model, rack)}.`;
    this.change(changes, capital(said));
    if (hadFocus && joining.length) this.focusTile(this.tiles.get(joining[0]));
  }

  // ---- mouse, touch and pen ----

  pressed(event) {
    if (event.button !== 0 || !event.isPrimary || this.press || this.lift) return;
    const tile = this.tileAt(event.target);
    const node = tile && !tile.classList.contains("ghost") ? tile : event.target.closest?.(".rack-head");
    const { clientX: x, clientY: y, pointerId } = event;
    if (node) {
      this.press = { node, x, y, pointerId, touch: event.pointerType !== "mouse" };
      node.setPointerCapture(pointerId);
      this.explain(null);
    } else if (event.pointerType === "mouse" && event.target.closest?.(".racks")) {
      event.preventDefault();
      this.press = { band: this.startBand(x, y), x, y, pointerId };
      this.root.setPointerCapture(pointerId);
    }
  }

  moved(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    this.x = event.clientX;
    this.y = event.clientY;
    if (!this.lift && !press.band) {
      if (Math.hypot(this.x - press.x, this.y - press.y) < DRAG_STARTS_AT) return;
      const rect = press.node.getBoundingClientRect(); // before the lift changes anything: no layout is forced
      if (!this.pickUp(press.node, "pointer")) return;
      this.showProxy(press, rect);
    }
    if (!this.frame) this.frame = requestAnimationFrame(() => this.follow());
  }

  follow() {
    this.frame = 0;
    const { lift, press } = this;
    if (press?.band) {
      this.stretchBand(press);
      return;
    }
    if (!lift || lift.by !== "pointer") return;
    if (lift.stale) this.measure();
    this.parts.proxy.style.transform = `translate3d(${(this.x - lift.dx) / this.larger}px, ${(this.y - lift.dy) / this.larger}px, 0)`;
    this.target(lift.zones.find((zone) => inside(zone.rect, this.x, this.y)) ?? null);
    this.scrollAtEdge();
  }

  measure() {
    this.lift.stale = false;
    for (const zone of this.lift.zones) zone.rect = zone.node.getBoundingClientRect();
  }

  scrollAtEdge() {
    // Where the board is taller than the screen, holding a tile at the edge brings the rest into view.
    this.scroller ??= scrollerOf(this.root);
    const edge = 36;
    const step = this.y < edge ? -14 : this.y > window.innerHeight - edge ? 14 : 0;
    if (!step || !this.scroller) return;
    const before = this.scroller.scrollTop;
    this.scroller.scrollTop += step;
    if (this.scroller.scrollTop === before) return;
    this.lift.stale = true;
    this.frame = requestAnimationFrame(() => this.follow());
  }

  showProxy(press, rect) {
    const { proxy } = this.parts;
    const { lift } = this;
    proxy.replaceChildren();
    const alone = lift.ids.length === 1 && press.node.classList.contains("tile");
    proxy.classList.toggle("stack", !alone);
    if (alone) {
      const copy = press.node.cloneNode(true);
      for (const name of ["id", "aria-label", "tabindex", "role"]) copy.removeAttribute(name);
      copy.classList.remove("lifted");
      proxy.appendChild(copy);
      proxy.style.width = `${Math.min(Math.max(rect.width / this.larger, 44), 170)}px`;
    } else {
      const who = this.namesOf(lift.ids);
      write(element("b", "", proxy), capital(who));
      const held = lift.ids.reduce((sum, id) => sum + (this.model.brokers.get(id)?.replicas ?? 0), 0);
      write(element("span", "", proxy), count(held, "replica"));
      proxy.style.width = "";
    }
    proxy.style.transform = "none";
    proxy.hidden = false;
    const origin = proxy.getBoundingClientRect();
    // Where the page puts the origin of position: fixed, and the grip: near the top, so that the tray's words stay free.
    lift.dx = origin.left + Math.min(press.x - rect.left, origin.width / 2);
    lift.dy = origin.top + 14;
  }

  released(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    this.press = null;
    if (press.band) {
      this.endBand(press, event);
    } else if (this.lift) {
      this.x = event.clientX;
      this.y = event.clientY;
      this.measure();
      this.target(this.lift.zones.find((zone) => inside(zone.rect, this.x, this.y)) ?? null);
      this.drop();
    } else {
      this.clicked(press.node, event);
    }
  }

  clicked(node, event) {
    if (node.classList.contains("rack-head")) {
      const ids = this.idsOf(node);
      const all = ids.every((id) => this.selected.has(id));
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.selected.clear();
      for (const id of ids) {
        if (all) this.selected.delete(id);
        else this.selected.add(id);
      }
      this.markSelection();
      this.focusTile(node);
    } else {
      this.focusTile(node);
      if (node.dataset.place !== "dock") this.select(Number(node.dataset.id), event);
    }
  }

  interrupted(event) {
    const { press } = this;
    if (!press || event.pointerId !== press.pointerId) return;
    if (event.type === "lostpointercapture" && !this.lift && !press.band) return;
    this.press = null;
    press.band?.node.remove();
    if (this.lift) this.putBack();
  }

  // ---- a rubber band over the racks ----

  startBand(x, y) {
    const rects = [...this.tiles].filter(([, tile]) => !tile.classList.contains("ghost"));
    const origin = this.parts.stage.getBoundingClientRect();
    const node = element("div", "band", this.parts.stage);
    return { node, origin, x, y, rects: rects.map(([id, tile]) => [id, tile.getBoundingClientRect()]) };
  }

  stretchBand({ band }) {
    const [left, right] = [Math.min(band.x, this.x), Math.max(band.x, this.x)];
    const [top, bottom] = [Math.min(band.y, this.y), Math.max(band.y, this.y)];
    band.area = { left, right, top, bottom };
    const zoom = this.larger;
    band.node.style.transform = `translate(${(left - band.origin.left) / zoom}px, ${(top - band.origin.top) / zoom}px)`;
    band.node.style.width = `${(right - left) / zoom}px`;
    band.node.style.height = `${(bottom - top) / zoom}px`;
  }

  endBand({ band }, event) {
    band.node.remove();
    const { area } = band;
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) this.selected.clear();
    if (area) {
      for (const [id, rect] of band.rects) {
        const apart =
          rect.right < area.left || rect.left > area.right || rect.bottom < area.top || rect.top > area.bottom;
        if (!apart) this.selected.add(id);
      }
    }
    this.markSelection();
  }

  // ---- keys ----

  keyed(event) {
    if (event.key === "Escape" && this.lift) {
      event.preventDefault();
      this.press = null;
      this.putBack();
      return;
    }
    const node = this.tileAt(event.target) ?? event.target.closest?.(".rack-head");
    if (!node || (this.lift && this.lift.by !== "key")) return;
    if (this.lift ? this.keyedWhileLifted(event) : this.keyedOn(node, event)) event.preventDefault();
  }

  keyedWhileLifted(event) {
    const { lift } = this;
    const valid = lift.zones.filter((zone) => zone.valid);
    if (event.key in ARROWS) {
      const step = ARROWS[event.key][0] + ARROWS[event.key][1];
      const at = valid.indexOf(lift.over);
      this.target(valid[(at + step + valid.length) % valid.length]);
      this.announce(this.overSentence());
    } else if (event.key === "Enter" || event.key === " ") {
      this.drop();
    } else if (event.key === "Tab") {
      this.putBack();
      return false;
    }
    return true;
  }

  overSentence() {
    const { over, ids } = this.lift;
    if (!over) return "";
    if (over.key === "tray") {
      return ids.every((id) => id === this.fresh || this.model.brokers.get(id)?.added)
        ? "Over Removed: it will not be added."
        : `Over Removed: ${this.traySentence(ids)}`;
    }
    return `Over ${rackWords(this.model, Number(over.key))}.`;
  }

  keyedOn(node, event) {
    const isTile = node.classList.contains("tile");
    const id = isTile ? Number(node.dataset.id) : null;
    const inTray = node.dataset.place === "tray";
    if (event.key in ARROWS) {
      const next = this.neighbour(node, ARROWS[event.key]);
      if (next) {
        this.focusTile(next);
        if (event.shiftKey && isTile && next.classList.contains("tile")) {
          this.selected.add(id);
          this.selected.add(Number(next.dataset.id));
          this.markSelection();
        }
      }
      return true;
    }
    if (event.key === " " && (event.ctrlKey || event.metaKey) && isTile) {
      this.select(id, { ctrlKey: true });
      return true;
    }
    if (event.key === " " || (event.key === "Enter" && !isTile)) {
      if (this.pickUp(node, "key")) {
        const home = this.lift.zones.find((zone) => zone.valid && zone.key !== "tray");
        const tray = this.lift.zones.find((zone) => zone.valid && zone.key === "tray");
        this.target((inTray || node.dataset.place === "dock" ? home : (tray ?? home)) ?? null);
        this.announce(`Lifted ${this.namesOf(this.lift.ids)}. ${this.overSentence()} Enter drops, Escape puts back.`);
      }
      return true;
    }
    if (event.key === "/") {
      this.finder.field.focus();
      return true;
    }
    if (event.key.toLowerCase() === "i" && !event.ctrlKey && !event.metaKey) {
      this.switchIds();
      return true;
    }
    if (event.key === "Delete" || event.key === "Backspace") {
      if (!inTray) this.takeOutFrom(node);
      return true;
    }
    if ((event.key === "Escape" || event.key === "Enter") && inTray) {
      const back = this.idsOf(node);
      this.bringTo(back, this.model.brokers.get(back[0]).rack);
      return true;
    }
    if (event.key === "Escape" && node.dataset.place === "dock") {
      this.takeOut([this.fresh]);
      return true;
    }
    if (event.key === "Escape" && this.selected.size) {
      this.selected.clear();
      this.markSelection();
      return true;
    }
    return false;
  }

  takeOutFrom(node) {
    const ids = this.idsOf(node);
    this.takeOut(ids);
    // The focus follows what was done, so that Escape takes it back.
    this.focusTile(this.trayTiles.get(ids[0]) ?? this.first());
  }

  neighbour(node, [dx, dy]) {
    const all = [...this.root.querySelectorAll(".tile:not(.ghost):not(.proxy .tile), .rack-head")];
    const from = node.getBoundingClientRect();
    const x = from.left + from.width / 2;
    const y = from.top + from.height / 2;
    let best = null;
    let least = Infinity;
    for (const other of all) {
      if (other === node) continue;
      const rect = other.getBoundingClientRect();
      const ahead = (rect.left + rect.width / 2 - x) * dx + (rect.top + rect.height / 2 - y) * dy;
      if (ahead < 2 || (dx ? rect.left < from.right - 2 && dx > 0 : rect.top < from.bottom - 2 && dy > 0)) continue;
      if ((dx < 0 && rect.right > from.left + 2) || (dy < 0 && rect.bottom > from.top + 2)) continue;
      const aside = Math.abs((rect.left + rect.width / 2 - x) * dy) + Math.abs((rect.top + rect.height / 2 - y) * dx);
      if (ahead + 3 * aside < least) {
        least = ahead + 3 * aside;
        best = other;
      }
    }
    return best;
  }

  // ---- what a tile says when one points at it ----

  explain(tile) {
    const { tip, lines } = this.parts;
    if (!tile || tile.closest(".proxy")) {
      if (!tip.hidden) tip.hidden = true;
      if (lines.childElementCount) lines.replaceChildren();
      return;
    }
    const broker = this.model.brokers.get(Number(tile.dataset.id));
    if (!broker) return;
    const flows = this.flowsOf(broker);
    this.drawLines(broker, flows);
    this.drawTip(tile, broker, flows);
  }

  flowsOf(broker) {
    const { flows } = this.data;
    const ids = this.data.brokers.id;
    const found = [];
    if (!this.model.planned) return found;
    for (let at = 0; at < flows.length; at += 3) {
      if (flows[at] === broker.at || flows[at + 1] === broker.at) {
        found.push({ giver: ids[flows[at]], receiver: ids[flows[at + 1]], replicas: flows[at + 2] });
      }
    }
    return found;
  }

  drawLines(broker, flows) {
    const { lines, stage } = this.parts;
    lines.replaceChildren();
    if (flows.length === 0) return;
    const frame = stage.getBoundingClientRect();
    const middle = (id) => {
      const rect = this.tiles.get(id)?.getBoundingClientRect();
      return rect && [rect.left + rect.width / 2 - frame.left, rect.top + rect.height / 2 - frame.top].map((at) => at / this.larger);
    };
    const most = flows.reduce((top, { replicas }) => Math.max(top, replicas), 1);
    const places = flows.slice(0, MOST_LINES).map((flow) => [middle(flow.giver), middle(flow.receiver), flow.replicas]);
    for (const [from, to, replicas] of places) {
      if (!from || !to) continue;
      const bend = Math.min(60, Math.abs(to[0] - from[0]) / 3 + 14);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${from} C${[from[0], from[1] - bend]} ${[to[0], to[1] - bend]} ${to}`);
      path.setAttribute("stroke-width", (1 + (2 * replicas) / most).toFixed(2));
      lines.appendChild(path);
      const end = document.createElementNS("http://www.w3.org/2000/svg", "circle");
      end.setAttribute("cx", to[0]);
      end.setAttribute("cy", to[1]);
      end.setAttribute("r", "3");
      lines.appendChild(end);
    }
  }

  drawTip(tile, broker, flows) {
    const { tip } = this.parts;
    const out = this.model.out.has(broker.id);
    const now = out ? broker.replicas : (broker.after ?? broker.replicas);
    const delta = now - broker.replicas;
    const leaders = out ? broker.leaders : (broker.leadersAfter ?? broker.leaders);
    const bytes = out ? broker.bytes : (broker.bytesAfter ?? broker.bytes);
    const lines = [
      `Broker ${broker.id} · ${rackWords(this.model, broker.rack)}`,
      [broker.host && broker.host + this.data.hostTail, broker.added ? "new" : STATES[broker.state]]
        .filter(Boolean)
        .join(" · "),
      `${count(now, "replica")}${delta ? ` (${signed(delta)})` : ""}` +
        (leaders === null ? "" : `, ${this.leads(leaders)}`) +
        (bytes === null ? "" : `, ${size(bytes)}`),
    ];
    const gives = flows.filter(({ giver }) => giver === broker.id);
    const gets = flows.filter(({ receiver }) => receiver === broker.id);
    if (gets.length) {
      const shown = gets.slice(0, 3).map(({ giver, replicas }) => `${number.format(replicas)} from broker ${giver}`);
      lines.push(shown.join(", ") + (gets.length > 3 ? `, and ${gets.length - 3} more brokers` : ""));
    }
    if (gives.length) lines.push(`gives to ${count(gives.length, "broker")}`);
    if (broker.behind) lines.push(`${count(broker.behind, "replica")} out of sync`);
    if (out) lines.push("removed");
    // A full tile says all this itself.
    if (this.root.dataset.mode === "full" && tile.dataset.place === "rack" && !flows.length) return;
    tip.replaceChildren();
    lines.forEach((text, at) => write(element(at ? "span" : "b", "", tip), text));
    tip.hidden = false;
    tip.style.transform = "none";
    const own = tip.getBoundingClientRect();
    const rect = tile.getBoundingClientRect();
    const below = rect.bottom + 8 + own.height < window.innerHeight;
    const left = Math.max(8, Math.min(rect.left, window.innerWidth - own.width - 8));
    const top = below ? rect.bottom + 8 : rect.top - own.height - 8;
    tip.style.transform = `translate(${(left - own.left) / this.larger}px, ${(top - own.top) / this.larger}px)`;
  }
}

function scrollerOf(node) {
  for (let at = node; at; at = at.parentNode ?? at.host) {
    if (!(at instanceof Element)) continue;
    const { overflowY } = getComputedStyle(at);
    if ((overflowY === "auto" || overflowY === "scroll") && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement;
}

// ---- Streamlit calls this at first and again with each new data; a board lives as long as its place on the page -----

const boards = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".board");
  const emit = (event) => setTriggerValue("event", event);
  let board = boards.get(parentElement);
  if (board?.root !== root) {
    board?.destroy();
    board = new Board(root, emit);
    boards.set(parentElement, board);
  }
  board.emit = emit;
  board.update(data);
  board.told.begin(data.told, setStateValue);
  return () => {
    board.destroy();
    boards.delete(parentElement);
  };
}
