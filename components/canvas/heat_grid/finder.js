// Finds a broker among the rows by its id, or a rack: marks the row while one types, and Enter comes nearer to it.
// What is typed stands in the page's address.

class RowFinder {
  constructor(heat) {
    this.heat = heat;
    this.field = heat.root.querySelector(".find");
    this.says = heat.root.querySelector(".found-says");
    this.row = null;
    this.field.addEventListener("input", () => {
      this.heat.figureState.later("find", this.field.value.trim());
      this.look();
    });
    this.field.addEventListener("keydown", (event) => this.key(event));
    heat.root.querySelector(".finder").addEventListener("submit", (event) => {
      event.preventDefault();
      this.go();
    });
  }

  key(event) {
    if (event.key === "Escape" && this.field.value !== "") this.field.value = "";
    else if (event.key === "ArrowDown") this.go();
    else return;
    event.preventDefault();
    this.heat.figureState.now("find", this.field.value.trim());
    this.look();
  }

  begin(words) {
    this.field.value = words;
    this.look(false);
  }

  // Which position on the axis of brokers is meant: the very id, else the first id that begins so.
  position(words) {
    if (!/^\d+$/.test(words)) return -1;
    const ids = this.heat.grid.brokers.map(String);
    const exact = ids.findIndex((id) => id === words || id.startsWith(`${words}:`)); // 3, or 3:/data/a
    return exact >= 0 ? exact : ids.findIndex((id) => id.startsWith(words));
  }

  // Again for each new grid: the same broker stands in another row after a zoom.
  look(say = true) {
    const { grid } = this.heat;
    const words = this.field.value.trim().toLowerCase().replace(/^broker\s+(?=\d)/, "");
    const at = this.position(words);
    const named = words === "" ? null : grid.rowGroups.find(({ label }) => label.toLowerCase() === words)
      ?? grid.rowGroups.find(({ label }) => !/^\d+$/.test(words) && label.toLowerCase().includes(words));
    this.row = null;
    let sentence = words === "" ? "" : "No broker or rack matches.";
    if (at >= 0) {
      this.row = grid.rowStarts.findLastIndex((start) => start <= at);
      const rack = grid.rowGroups.find(({ from, to }) => from <= this.row && this.row < to);
      const row = this.single() ? "" : `, row ${grid.rowLabels[this.row]}`;
      sentence = `Broker ${grid.brokers[at]}${rack ? ` in ${rack.label}` : ""}${row}.`;
    } else if (named) {
      this.row = named.from;
      sentence = `${named.label} begins here.`;
    }
    this.says.textContent = sentence;
    if (say && sentence) this.heat.live.textContent = sentence;
    this.heat.drawMarks();
  }

  single() { return this.heat.grid.rowWords[this.row].startsWith("Broker "); }

  // A row of several brokers comes nearer; a row of one takes the cursor.
  go() {
    this.heat.figureState.now("find", this.field.value.trim());
    if (this.row === null) return;
    if (!this.single()) {
      this.heat.say({ kind: "zoom", rows: [this.row, this.row + 1], columns: [0, this.heat.grid.columns] });
      return;
    }
    this.heat.cells.focus();
    this.heat.pointAt({ row: this.row, column: this.heat.cursor?.column ?? 0, inside: true }, true);
  }
}
