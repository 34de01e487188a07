// Plays a story of one partition: every state comes from Python at once, this file only draws the one looked at.
// It tells Python which step that is, once a person rests there. Every text goes through textContent, never through HTML.

const ROW = 70; // px a replica
const REST = 350; // ms without a further step until Python is told
const NARROWEST = 32, WIDEST = 50; // px a cell

function element(tag, className, parent, words) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (words !== undefined) made.textContent = words;
  if (parent) parent.appendChild(made);
  return made;
}

function drawing(tag, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent.appendChild(made);
  return made;
}

const list = (ids) => (ids.length ? ids.join(", ") : "nobody");
const calm = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// One replica's strip. Marks and cells stay the same elements from step to step, so that what moves is seen to move.
class Strip {
  constructor(parent) {
    this.row = element("div", "row", parent);
    this.head = element("div", "head", this.row);
    this.arrow = element("i", "arrow", this.head);
    this.name = element("b", "name", this.head);
    this.tags = element("div", "tags", this.head);
    this.strip = element("div", "strip", this.row);
    this.track = element("div", "track", this.strip);
    this.cells = element("div", "cells", this.track);
    this.disk = element("i", "disk", this.track);
    this.hw = element("span", "mark hw", this.track);
    this.leo = element("span", "mark leo", this.track);
  }

  show(replica, state, width, epochs) {
    this.row.classList.toggle("down", !replica.alive);
    this.row.dataset.broker = replica.id;
    this.name.textContent = `Broker ${replica.id}`;
    this.tags.replaceChildren();
    const sent = state.move && state.move.kind === "produce" && state.move.to === replica.id;
    this.arrow.textContent = sent ? (state.move.refused ? "✖" : "→") : "";
    this.arrow.classList.toggle("refused", Boolean(sent && state.move.refused));
    const tag = (words, kind) => element("span", `tag ${kind}`, this.tags, words);
    if (!replica.alive) tag("✖ down", "gone");
    if (state.leader === replica.id) tag("★ leads", "leads");
    if (state.isr.includes(replica.id)) tag("✓ in sync", "sync");
    else if (state.elr.includes(replica.id)) tag("◇ eligible", "elr");
    else tag("▲ out of sync", "behind");
    if (replica.unclean && (!replica.alive || state.keepsElr)) tag("⚡ unclean", "behind");
    if (replica.mustCut && replica.alive) tag("? where to truncate", "quiet");
    const changed = new Set(state.changed);
    const touched = (what) => changed.has(`replica ${replica.id} ${what}`);
    this.cells.replaceChildren();
    const missing = new Map(replica.missing);
    replica.log.forEach(([value, epoch], offset) => {
      const cell = this.cell(offset, value, epoch, width, epochs);
      const number = element("i", "offset", this.cells, String(offset));
      number.style.left = `${offset * width}px`;
      number.style.width = `${width - 3}px`;
      cell.classList.toggle("cached", offset >= replica.flushed);
      cell.classList.toggle("committed", offset < replica.hw);
      if (touched("log") && offset >= replica.cutAt) cell.classList.add("fresh");
      if (replica.differs.includes(offset)) {
        cell.classList.add("wrong");
        element("i", "sign", cell, "≠");
      }
      if (missing.has(offset)) {
        cell.classList.add("wrong");
        element("s", "was", cell, missing.get(offset));
        missing.delete(offset);
      }
      cell.title = `Offset ${offset}: ${value}, epoch ${epoch}, ${offset < replica.flushed ? "on disk" : "only in the page cache"}`;
    });
    for (const [offset, value] of missing) {
      const ghost = this.cell(offset, value, null, width, epochs);
      ghost.classList.add("lost");
      element("i", "sign", ghost, "✖");
      ghost.title = `Offset ${offset}: ${value} was acknowledged and is lost`;
    }
    if (touched("log")) {
      replica.cut.forEach(([value, epoch], place) => {
        const offset = replica.cutAt + place;
        if (offset < replica.log.length || replica.missing.some(([at]) => at === offset)) return;
        const ghost = this.cell(offset, value, epoch, width, epochs);
        ghost.classList.add("cut");
        ghost.title = `Offset ${offset}: ${value}, epoch ${epoch}, truncated`;
      });
    }
    this.disk.style.width = `${replica.flushed * width}px`;
    this.disk.title = `On disk up to offset ${replica.flushed}`;
    this.place(this.hw, replica.hw, width, `HW ${replica.hw}`, touched("hw"));
    this.place(this.leo, replica.leo, width, `LEO ${replica.leo}`, touched("log"));
    // A long log is looked at where it grows.
    this.strip.scrollLeft = Math.max(0, (replica.leo + 1.5) * width - this.strip.clientWidth);
  }

  cell(offset, value, epoch, width, epochs) {
    const cell = element("span", "cell", this.cells);
    cell.style.left = `${offset * width}px`;
    cell.style.width = `${width - 3}px`;
    if (epoch !== null) cell.style.setProperty("--epoch", epochs[epoch % epochs.length]);
    element("b", "value", cell, value);
    if (epoch !== null) element("small", "epoch", cell, `e${epoch}`);
    return cell;
  }

  place(mark, offset, width, words, fresh) {
    mark.style.transform = `translateX(${offset * width - 2}px)`;
    mark.textContent = words;
    mark.classList.toggle("fresh", fresh);
  }
}

class Lane {
  constructor(parent, lane, epochs) {
    this.lane = lane;
    this.epochs = epochs;
    this.most = 1;
    for (const state of lane.states) for (const replica of state.replicas) this.most = Math.max(this.most, replica.leo);
    this.root = element("section", "lane", parent);
    const top = element("header", "top", this.root);
    element("b", "name", top, lane.name);
    this.facts = element("span", "facts", top);
    this.own = element("p", "own", this.root);
    this.scene = element("div", "scene", this.root);
    const side = (name, title) => {
      const box = element("div", `side ${name}`, this.scene);
      element("b", "title", box, title);
      return element("ul", "", box);
    };
    this.sent = side("producer", "Producer");
    this.rows = element("div", "rows", this.scene);
    this.strips = lane.states[0].replicas.map(() => new Strip(this.rows));
    this.wires = element("div", "wires", this.scene);
    this.read = side("consumer", "Consumer");
    this.ends = element("p", "ends", this.root);
    // Room for what will be said, so that nothing jumps in the moment it is.
    const said = Math.max(1, ...lane.states.map((state) => state.faults.length));
    this.ends.style.minHeight = `${2 + 18 * Math.min(said, 3)}px`;
    this.place = new Map(lane.states[0].replicas.map((replica, i) => [replica.id, (i + 0.5) * ROW]));
  }

  show(step, moving, said) {
    const { states, error } = this.lane;
    const state = states[Math.min(step, states.length - 1)];
    const past = step >= states.length;
    const width = Math.max(NARROWEST, Math.min(WIDEST, (this.rows.clientWidth - 150) / (this.most + 0.9)));
    state.replicas.forEach((replica, i) => this.strips[i].show(past ? { ...replica, cut: [] } : replica, state, width, this.epochs));
    const words = past ? "" : state.sentence;
    this.own.textContent = said !== null && words !== said ? `Here: ${words}` : "";
    this.own.title = this.own.textContent;
    this.showFacts(state);
    this.showProducer(state);
    this.read.replaceChildren();
    for (const { value, gone } of state.consumed) element("li", gone ? "gone" : "fine", this.read, gone ? `✖ ${value}` : value);
    if (!state.consumed.length) element("li", "quiet", this.read, "nothing read");
    this.showWires(past ? { ...state, move: null } : state, moving && !past);
    this.ends.replaceChildren();
    // Where the first lane ends early, the page says so above: the others end by themselves.
    if (said !== null && error && step >= states.length - 1) element("span", "stopped", this.ends, `■ ${error}`);
    for (const words of state.faults) {
      element("span", `fault${!past && state.struck.includes(words) ? " struck" : ""}`, this.ends, `✖ ${words}`);
    }
    this.root.classList.toggle("broken", state.faults.length > 0);
  }

  showFacts(state) {
    this.facts.replaceChildren();
    const fact = (words, names) => {
      const fresh = names.some((name) => state.changed.includes(name));
      element("span", fresh ? "fact fresh" : "fact", this.facts, words);
    };
    fact(state.leader === null ? "no leader" : `leader ${state.leader}`, ["leader"]);
    fact(`epoch ${state.epoch}`, ["epoch"]);
    fact(`ISR ${list(state.isr)}`, ["isr"]);
    if (state.keepsElr) fact(`ELR ${list(state.elr)}`, ["elr"]);
    fact(`${(state.clock / 1000).toLocaleString("en-US")} s`, ["now ms"]);
  }

  showProducer(state) {
    this.sent.replaceChildren();
    const line = (kind, words, title) => {
      const item = element("li", kind, this.sent, words);
      if (title) item.title = title;
    };
    for (const { value, acks, gone } of state.acknowledged) {
      if (gone) line("gone", `✖ ${value}`, `${value} was acknowledged with acks=${acks} and is lost`);
      else if (acks === "0") line("quiet", `${value} sent, acks=0`, "The producer does not wait for a response");
      else line("fine", `✓ ${value} acks=${acks}`, "Acknowledged");
    }
    for (const value of state.waiting) line("waits", `… ${value} waits`);
    for (const { value, why } of state.refused) line("refused", `▲ ${value} ${why.replaceAll("_", "_\u200b")}`, why);
    if (!this.sent.childElementCount) line("quiet", "nothing sent");
    this.sent.scrollTop = this.sent.scrollHeight;
  }

  // What travels in this step is an arrow; what is still on its way is a box on a dashed line.
  showWires(state, moving) {
    this.wires.replaceChildren();
    this.wires.style.height = `${this.place.size * ROW}px`;
    const svg = drawing("svg", { width: 132, height: this.place.size * ROW, "aria-hidden": "true" }, this.wires);
    for (const answer of state.answers) {
      const from = this.place.get(state.leader), to = this.place.get(answer.to);
      drawing("line", { x1: 34, x2: 34, y1: from, y2: to, class: "pending" }, svg);
      const box = element("div", "answer", this.wires);
      box.style.top = `${(from + to) / 2}px`;
      element("b", "", box, `response to ${answer.to}`);
      element("span", "", box, `${answer.records.join(", ") || "no records"} · HW ${answer.hw}`);
    }
    const move = state.move;
    if (!move || move.to === null || move.to === undefined) return;
    if (move.kind === "consume") {
      const read = element("div", "says consume", this.wires, `${move.says} →`);
      read.style.top = `${this.place.get(move.to)}px`;
      return;
    }
    if (move.kind === "produce" || move.kind === "elect") return;
    const from = this.place.get(move.from), to = this.place.get(move.to);
    const lost = move.kind === "lose";
    const end = lost ? (from + to) / 2 : to;
    const way = Math.sign(end - from);
    drawing("line", { x1: 9, x2: 9, y1: from, y2: end, class: `travel ${move.kind}` }, svg);
    if (lost) drawing("path", { d: `M3 ${end - 6}l12 12m0 -12l-12 12`, class: "cross" }, svg);
    else drawing("path", { d: `M3 ${end - 8 * way}l6 ${8 * way}l6 ${-8 * way}`, class: "travel" }, svg);
    const words = element("div", `says ${move.kind}`, this.wires, lost ? `✖ ${move.says}` : move.says);
    // Beside the follower, on the side that is away from the answer's box.
    const follower = move.kind === "fetch" || move.kind === "ask" ? from : to;
    const leader = follower === from ? to : from;
    words.style.top = `${follower + (follower > leader ? 14 : -14)}px`;
    this.fly(svg, [9, from], [9, end], moving);
  }

  fly(svg, from, to, moving) {
    if (!moving || calm()) return;
    const dot = drawing("circle", { r: 5, cx: to[0], cy: to[1], class: "dot" }, svg);
    dot.animate([{ transform: `translateY(${from[1] - to[1]}px)` }, { transform: "none", opacity: 1 }, { opacity: 0 }], {
      duration: 900,
      easing: "ease-in-out",
      fill: "forwards",
    });
  }
}

class Player {
  constructor(root) {
    this.root = root;
    this.timer = null;
    this.pause = new Pause(REST);
    const find = (name) => root.querySelector(`.${name}`);
    for (const name of ["event", "sentence", "lanes", "book", "live", "where", "jump", "play"]) this[name] = find(name);
    this.ways = { first: find("first"), back: find("back"), on: find("on"), last: find("last") };
    this.pace = root.querySelector(".pace select");
    const go = { first: () => 0, back: () => this.step - 1, on: () => this.step + 1, last: () => this.data.last };
    for (const [name, where] of Object.entries(go)) this.ways[name].addEventListener("click", () => this.go(where()));
    this.play.addEventListener("click", () => this.toggle());
    this.jump.addEventListener("input", () => this.go(Number(this.jump.value)));
    this.book.addEventListener("click", (event) => {
      const row = event.target.closest("tr[data-step]");
      if (row) this.go(Number(row.dataset.step));
    });
    root.addEventListener("keydown", (event) => this.key(event));
    root.savedRows = () => this.savedRows();
    new ResizeObserver(() => this.data && this.draw(false)).observe(find("stage"));
  }

  take(data) {
    const same = this.data && this.data.token === data.token;
    this.data = data;
    if (!same) this.build();
    if (!same || this.seek !== data.seek) {
      this.seek = data.seek;
      this.stop();
      this.step = data.step;
      this.draw(true);
    }
  }

  // A line a record that is on a replica at this step: the data of the figure when it is saved.
  savedRows() {
    const rows = [["story", "step", "broker", "state", "offset", "value", "leader epoch", "below high watermark"]];
    for (const { name, states } of this.data.lanes) {
      const state = states[Math.min(this.step, states.length - 1)];
      for (const replica of state.replicas) {
        const is = !replica.alive ? "dead" : replica.id === state.leader ? "leader" : state.isr.includes(replica.id) ? "in sync" : "out of sync";
        const row = (...record) => rows.push([name, this.step, replica.id, is, ...record]);
        replica.log.forEach(([value, epoch], offset) => row(offset, value, epoch, offset < replica.hw ? "yes" : "no"));
        if (!replica.log.length) row("", "", "", "");
      }
    }
    return rows;
  }

  build() {
    this.lanes.replaceChildren();
    this.drawn = this.data.lanes.map((lane) => new Lane(this.lanes, lane, this.data.epochs));
    this.root.dataset.lanes = this.drawn.length;
    this.jump.max = this.data.last;
    const head = this.book.querySelector("thead"), body = this.book.querySelector("tbody");
    head.replaceChildren();
    body.replaceChildren();
    const brokers = this.data.lanes.map((lane) => lane.states[0].replicas.map((replica) => replica.id));
    if (this.data.lanes.length > 1) {
      const top = element("tr", "", head);
      element("td", "", top).colSpan = 2;
      this.data.lanes.forEach((lane, i) => { element("th", "group", top, lane.name).colSpan = brokers[i].length; });
    }
    const names = element("tr", "", head);
    element("th", "", names, "step");
    element("th", "", names, "LEO/HW after");
    for (const ids of brokers) ids.forEach((id, i) => element("th", i ? "cells" : "cells edge", names, String(id)));
    for (let step = 0; step <= this.data.last; step += 1) {
      const row = element("tr", "", body);
      row.dataset.step = step;
      element("td", "number", row, String(step));
      const longest = this.data.lanes.find((lane) => lane.states.length > step);
      element("td", "what", row, step ? longest.states[step].event : "the beginning");
      for (const lane of this.data.lanes) {
        const state = lane.states[step];
        const wrong = state && state.struck.length > 0;
        lane.states[0].replicas.forEach((_, i) => {
          const cell = element("td", i ? "cells" : "cells edge", row, state ? state.replicas[i].cells : "");
          if (wrong && (state.replicas[i].missing.length || state.replicas[i].differs.length)) {
            cell.classList.add("wrong");
            cell.textContent += " ✖";
          }
        });
      }
    }
    this.showKey();
  }

  showKey() {
    const root = this.root.querySelector(".key");
    root.replaceChildren();
    let most = 0;
    for (const lane of this.data.lanes) for (const state of lane.states) most = Math.max(most, state.epoch);
    const item = (kind, words, colour) => {
      const one = element("span", "item", root);
      const swatch = element("i", `swatch ${kind}`, one);
      if (colour) swatch.style.background = colour;
      element("span", "", one, words);
    };
    for (let epoch = 0; epoch <= Math.min(most, this.data.epochs.length - 1); epoch += 1) {
      item("", `epoch ${epoch}`, this.data.epochs[epoch]);
    }
    item("cache", "only in page cache");
    item("ondisk", "on disk");
    item("gone", "✖ acknowledged but lost, ≠ differs");
  }

  go(step) {
    this.stop();
    const to = Math.max(0, Math.min(step, this.data.last));
    if (to === this.step) return;
    const moving = to === this.step + 1;
    this.step = to;
    this.draw(moving);
    this.tell();
  }

  toggle() {
    if (this.timer !== null) {
      this.stop();
      this.tell();
      return;
    }
    if (this.step >= this.data.last) {
      this.step = 0;
      this.draw(false);
    }
    this.play.textContent = "Pause";
    this.play.setAttribute("aria-label", "Pause");
    this.root.dataset.playing = "yes";
    const next = () => {
      this.step += 1;
      this.draw(true);
      if (this.step < this.data.last) this.timer = setTimeout(next, Number(this.pace.value));
      else {
        this.stop();
        this.tell();
      }
    };
    this.timer = setTimeout(next, 300);
  }

  stop() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.play.textContent = "Play";
    this.play.setAttribute("aria-label", "Play");
    delete this.root.dataset.playing;
  }

  tell() {
    this.pause.then("step", () => this.emit({ step: this.step, token: this.data.token }));
  }

  key(event) {
    if (event.target.closest("select, input")) return;
    const ways = { ArrowLeft: () => this.go(this.step - 1), ArrowRight: () => this.go(this.step + 1), Home: () => this.go(0), End: () => this.go(this.data.last) };
    if (event.key in ways) ways[event.key]();
    else if (event.key === " " && !event.target.closest("button")) this.toggle();
    else return;
    event.preventDefault();
  }

  draw(moving) {
    const { lanes, last } = this.data;
    const state = lanes[0].states[Math.min(this.step, lanes[0].states.length - 1)];
    this.where.textContent = `${this.step} of ${last}`;
    this.jump.value = this.step;
    this.jump.setAttribute("aria-valuetext", `step ${this.step} of ${last}: ${state.event || "the beginning"}`);
    for (const [name, off] of [["first", this.step === 0], ["back", this.step === 0], ["on", this.step === last], ["last", this.step === last]]) {
      this.ways[name].disabled = off;
    }
    this.event.textContent = state.event || "the beginning";
    this.sentence.textContent = state.sentence;
    this.live.textContent = `Step ${this.step}: ${state.sentence} ${state.struck.join(" ")}`;
    this.drawn.forEach((lane, i) => lane.show(this.step, moving, i ? state.sentence : null));
    for (const row of this.book.querySelectorAll("tr[data-step]")) {
      const now = Number(row.dataset.step) === this.step;
      row.classList.toggle("now", now);
      if (now) {
        row.setAttribute("aria-current", "step");
        const above = row.offsetTop - this.book.clientHeight / 2;
        this.book.scrollTop = above;
      } else row.removeAttribute("aria-current");
    }
    this.root.dataset.figure = `Replicas' logs at step ${this.step} of ${last}: ${state.sentence}`;
    this.root.dataset.step = this.step;
    this.root.dataset.drawn = this.data.token;
  }
}

export default keeping(".player", (root) => new Player(root), (player, { data, setTriggerValue }) => {
  player.emit = (event) => setTriggerValue("event", event);
  if (data) player.take(data);
});
