// Finds brokers on the board by what is typed: an id, a part of a host's name, or a rack. What matches keeps its
// strength, everything else steps back; Enter goes to the first. It changes nothing but the page's address: what a
// person does with the broker that was found is the board's.

const FEW = 4; // so many are named, more are counted

// The brokers that are meant, best first: the very id, ids that begin so, then hosts and racks with that in them.
function brokersMeant(brokers, rackOf, typed) {
  const words = typed.trim().toLowerCase().replace(/^broker\s+(?=\d)/, "");
  if (words === "") return [];
  const ranked = [];
  for (const broker of brokers) {
    const id = String(broker.id);
    const rack = rackOf(broker).toLowerCase();
    const rank =
      id === words ? 0
      : rack === words ? 1
      : /^\d+$/.test(words) && id.startsWith(words) ? 2
      : broker.host.toLowerCase().includes(words) ? 3
      : !/^\d+$/.test(words) && rack.includes(words) ? 4
      : -1;
    if (rank >= 0) ranked.push([rank, broker.id]);
  }
  // A rack's whole name means that rack: rack-1 is not also rack-10.
  const best = Math.min(...ranked.map(([rank]) => rank));
  const kept = best === 1 ? ranked.filter(([rank]) => rank === 1) : ranked;
  return kept.sort(([one, a], [other, b]) => one - other || a - b).map(([, id]) => id);
}

class Finder {
  constructor(board, signal) {
    this.board = board;
    this.field = board.root.querySelector(".find");
    this.says = board.root.querySelector(".found-says");
    this.ids = [];
    const on = (node, name, heard) => node.addEventListener(name, heard.bind(this), { signal });
    on(this.field, "input", this.typed);
    on(this.field, "keydown", this.keyed);
    on(board.root.querySelector(".finder"), "submit", (event) => {
      event.preventDefault();
      this.go();
    });
  }

  typed() {
    this.board.figureState.later("find", this.field.value.trim());
    this.mark();
    if (this.field.value.trim() === "") return;
    const { says } = this;
    this.board.announce(says.textContent + (this.ids.length ? " Enter goes there." : ""));
    this.tileOf(this.ids[0])?.scrollIntoView({ block: "nearest" });
  }

  keyed(event) {
    if (event.key === "Escape" && this.field.value !== "") this.field.value = "";
    else if (event.key === "ArrowDown") this.go();
    else return;
    event.preventDefault();
    this.board.figureState.now("find", this.field.value.trim());
    this.mark();
  }

  tileOf(id) {
    const tile = this.board.tiles.get(id);
    return tile && !tile.classList.contains("ghost") ? tile : this.board.trayTiles.get(id);
  }

  go() {
    this.board.figureState.now("find", this.field.value.trim());
    const tile = this.tileOf(this.ids[0]);
    if (tile) this.board.focusTile(tile);
  }

  begin(words) {
    this.field.value = words;
    this.mark();
  }

  // Again after each drawing: brokers come and go.
  mark() {
    const { board, field, says } = this;
    const { model } = board;
    const rackOf = (broker) => (broker.rack < 0 ? "" : model.rackNames[broker.rack]);
    this.ids = brokersMeant(model.brokers.values(), rackOf, field.value);
    const meant = new Set(this.ids);
    for (const [id, tile] of board.tiles) tile.classList.toggle("found", meant.has(id));
    const asked = field.value.trim() !== "";
    board.root.toggleAttribute("data-finding", asked && meant.size > 0);
    write(says, asked ? this.sentence() : "");
  }

  sentence() {
    const { ids } = this;
    const { model } = this.board;
    if (ids.length === 0) return "No broker matches.";
    if (ids.length > FEW) return `${count(ids.length, "broker")} match.`;
    if (ids.length > 1) return `${capital(this.board.namesOf(ids))} match.`;
    const { rack } = model.brokers.get(ids[0]);
    return `Broker ${ids[0]} is in ${rackWords(model, rack)}${model.out.has(ids[0]) ? ", out" : ""}.`;
  }
}
