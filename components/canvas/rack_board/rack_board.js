// The rack board: racks are columns, brokers tiles; a person drags them to the tray "Out" and back.
//
// It decides nothing. What a person did goes to Python as {changes: [...]} (see events.py) and comes back as data. Until
// then the change is shown at once and repeated with the next one, so that two drops in one breath both arrive.
//
// While dragging, a frame writes one transform, and a class only where the target changes; nothing is measured (targets'
// rectangles are read when the lift begins and after scrolling). The lift itself measures before it writes, and marks
// only what looks different: an attribute of the whole board would restyle every tile in the first frame of a drag.
// Names from outside reach the page as text alone.

class Board {
  constructor(root) {
    this.root = root;
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
      disks: part("disks"),
      diskHint: part("disk-hint"),
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
    this.figureState.stop();
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
    this.figureState = new FigureState(({ find, ids }) => {
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
}

// Each room of the board adds what it does.
for (const room of [Drawing, Tiles, Disks, Dragging, Keys, Flows]) {
  const { constructor, ...does } = Object.getOwnPropertyDescriptors(room.prototype);
  Object.defineProperties(Board.prototype, does);
}

export default keeping(".board", (root) => new Board(root), (board, { data, setStateValue, setTriggerValue }) => {
  board.emit = (event) => setTriggerValue("event", event);
  board.update(data);
  board.figureState.begin(data.figureState, setStateValue);
});
