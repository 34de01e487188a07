// Draws what each pair of brokers lost together would do, as a square of cells on a canvas. Zooming happens here, since
// every number is here already; Python is told only which pair was opened. Every text goes through fillText or
// textContent, never through HTML.

const LEFT = 58, TOP = 44, RIGHT = 4, BOTTOM = 4, BAND = 7;
// A cell smaller than this cannot be hit on purpose: a click on it comes nearer first.
const TOO_SMALL = 5, NEAR = 15;

function numbersOf(packed) {
  const bytes = bytesOf(packed.values);
  return { 1: () => bytes, 2: () => new Uint16Array(bytes.buffer), 4: () => new Uint32Array(bytes.buffer) }[packed.width]();
}

function counted(value, words) { return `${value.toLocaleString("en-US")} ${value === 1 ? words[0] : words[1]}`; }

class Pairs extends Cells {
  constructor(root) {
    super(root);
    this.emit = () => {};
    this.outButton = root.querySelector(".out");
    this.figureState = new FigureState(({ zoom }) => this.begin(zoom));
    this.outButton.addEventListener("click", () => { this.whole(); this.cells.focus(); });
  }

  show(data) {
    const fresh = this.token !== data.token;
    this.data = data;
    if (fresh) {
      this.token = data.token;
      const brokers = data.labels.join();
      const others = this.brokers !== undefined && this.brokers !== brokers;
      this.count = data.labels.length;
      this.values = numbersOf(data.shown);
      this.also = data.also.map((one) => ({ ...one, values: numbersOf(one) }));
      this.palette = bytesOf(data.palette);
      if (brokers !== this.brokers) this.view = { row: 0, column: 0, rows: this.count, columns: this.count };
      if (others) this.figureState.now("zoom", "");
      this.brokers = brokers;
      this.drag = null;
      this.pointAt(null);
      this.cells.setAttribute("aria-label", data.label);
      this.root.dataset.figure = `Pairs of brokers: ${data.shown.words[1]}`;
      this.stage.style.setProperty("--pairs-height", `${data.height}px`);
      this.drawLegend();
    }
    this.draw();
    this.root.dataset.drawn = data.token;
  }

  // Only the half above the diagonal, and the diagonal, are sent: broker a with b is broker b with a.
  at(row, column) {
    const low = Math.min(row, column), high = Math.max(row, column);
    return low * this.count - (low * (low - 1)) / 2 + (high - low);
  }

  // A line a pair that is seen, each told once, and one a broker lost alone: the data of the figure when it is saved.
  savedRows() {
    const v = this.view, all = [{ ...this.data.shown, values: this.values }, ...this.also];
    const rows = [["broker", "other broker", ...all.map((one) => one.words[1])]];
    const seen = new Set();
    for (let row = v.row; row < v.row + v.rows; row += 1) {
      for (let column = v.column; column < v.column + v.columns; column += 1) {
        const at = this.at(row, column);
        if (seen.has(at)) continue;
        seen.add(at);
        rows.push([this.data.names[row], row === column ? "" : this.data.names[column], ...all.map((one) => one.values[at])]);
      }
    }
    return rows;
  }

  colour(value) {
    if (value === 0) return this.data.none;
    // By square root: one pair that loses everything would leave all others at the dark end. 1 is still seen.
    const place = 3 * Math.round(255 * Math.sqrt(value / this.data.top));
    return [this.palette[place], this.palette[place + 1], this.palette[place + 2]];
  }

  measure() {
    super.measure();
    const side = Math.max(Math.min(this.width - LEFT - RIGHT, this.height - TOP - BOTTOM), 40);
    // Few brokers keep cells of a readable size instead of filling the square.
    this.across = Math.min(side, this.view.columns * 64);
    this.down = Math.min(side, this.view.rows * 64);
    this.cellWidth = this.across / this.view.columns;
    this.cellHeight = this.down / this.view.rows;
  }

  // One pixel a cell; where there are more cells than pixels, a pixel shows the worst of its cells.
  paint() {
    const v = this.view;
    const wide = Math.min(v.columns, Math.max(Math.floor(this.across * this.ratio), 1));
    const high = Math.min(v.rows, Math.max(Math.floor(this.down * this.ratio), 1));
    const worst = new Uint32Array(wide * high);
    for (let row = 0; row < v.rows; row += 1) {
      const line = Math.floor((row * high) / v.rows) * wide;
      for (let column = 0; column < v.columns; column += 1) {
        const value = this.values[this.at(v.row + row, v.column + column)];
        const place = line + Math.floor((column * wide) / v.columns);
        if (value > worst[place]) worst[place] = value;
      }
    }
    const canvas = document.createElement("canvas");
    canvas.width = wide;
    canvas.height = high;
    const context = canvas.getContext("2d");
    const image = context.createImageData(wide, high);
    for (let i = 0; i < worst.length; i += 1) {
      const rgb = this.colour(worst[i]);
      image.data.set([rgb[0], rgb[1], rgb[2], 255], 4 * i);
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  draw() {
    if (!this.data || !this.stage.clientWidth || !this.count) return;
    this.measure();
    const c = this.cleared(this.cells);
    c.imageSmoothingEnabled = false;
    c.drawImage(this.paint(), LEFT, TOP, this.across, this.down);
    if (Math.min(this.cellWidth, this.cellHeight) >= 6) this.drawGaps(c);
    if (this.cellWidth >= 20 && this.cellHeight >= 14) this.drawNumbers(c);
    this.drawSides(c);
    this.outButton.hidden = this.view.rows === this.count && this.view.columns === this.count;
    this.drawMarks();
  }

  drawGaps(c) {
    c.strokeStyle = this.data.look.background;
    c.lineWidth = 1;
    c.beginPath();
    for (let i = 1; i < this.view.columns; i += 1) { c.moveTo(LEFT + i * this.cellWidth, TOP); c.lineTo(LEFT + i * this.cellWidth, TOP + this.down); }
    for (let i = 1; i < this.view.rows; i += 1) { c.moveTo(LEFT, TOP + i * this.cellHeight); c.lineTo(LEFT + this.across, TOP + i * this.cellHeight); }
    c.stroke();
  }

  drawNumbers(c) {
    c.font = `11px ${getComputedStyle(this.root).fontFamily}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    for (let row = 0; row < this.view.rows; row += 1) {
      for (let column = 0; column < this.view.columns; column += 1) {
        const value = this.values[this.at(this.view.row + row, this.view.column + column)];
        const words = value.toLocaleString("en-US");
        if (value === 0 || c.measureText(words).width > this.cellWidth - 3) continue;
        c.fillStyle = inkOn(this.colour(value));
        c.fillText(words, LEFT + (column + 0.5) * this.cellWidth, TOP + (row + 0.5) * this.cellHeight);
      }
    }
  }

  drawSides(c) {
    const v = this.view;
    c.font = `11px ${getComputedStyle(this.root).fontFamily}`;
    c.textBaseline = "middle";
    this.taken = new Set();
    for (const group of this.data.groups) {
      const from = Math.max(group.from, v.row), to = Math.min(group.to, v.row + v.rows);
      if (to > from) {
        const y = TOP + (from - v.row) * this.cellHeight, high = (to - from) * this.cellHeight;
        c.fillStyle = group.colour;
        c.fillRect(LEFT - BAND - 2, y + 0.5, BAND, Math.max(high - 1, 1));
      }
      const left = Math.max(group.from, v.column), right = Math.min(group.to, v.column + v.columns);
      if (right > left) {
        const x = LEFT + (left - v.column) * this.cellWidth, wide = (right - left) * this.cellWidth;
        c.fillStyle = group.colour;
        c.fillRect(x + 0.5, TOP - BAND - 2, Math.max(wide - 1, 1), BAND);
        this.fit(c, [group.label, group.short], x, TOP - BAND - 26, wide - 3);
      }
    }
    c.fillStyle = this.data.look.quiet;
    c.textAlign = "right";
    let last = -99;
    for (let row = 0; row < v.rows; row += 1) {
      const y = TOP + (row + 0.5) * this.cellHeight;
      if (y - last < 13) continue;
      last = y;
      c.fillText(this.data.labels[v.row + row], LEFT - BAND - 6, y, LEFT - BAND - 8);
    }
    this.drawColumnIds(c);
    c.textAlign = "left";
  }

  // As many as have room; a pair that one points at names both.
  drawColumnIds(c) {
    c.textAlign = "center";
    let free = -99;
    for (let column = 0; column < this.view.columns; column += 1) {
      const words = this.data.labels[this.view.column + column];
      const x = LEFT + (column + 0.5) * this.cellWidth, half = c.measureText(words).width / 2;
      if (x - half < free || x + half > this.width) continue;
      free = x + half + 6;
      c.fillText(words, x, TOP - BAND - 11);
    }
  }

  fit(c, choices, x, y, room) {
    let label = choices.find((words) => words && c.measureText(words).width <= room);
    label ??= shortened(choices.find((words) => words) || "", (words) => c.measureText(words).width <= room, this.taken);
    if (!label) return;
    this.taken.add(label);
    c.fillStyle = this.data.look.quiet;
    c.textAlign = "left";
    c.fillText(label, x + 1, y);
  }

  drawLegend() {
    const d = this.data;
    this.root.querySelector(".swatch").style.background = `rgb(${d.none.join(" ")})`;
    this.root.querySelector(".none .words").textContent = d.nothing;
    this.root.querySelector(".low").textContent = d.most > 1 ? "1" : "";
    this.root.querySelector(".high").textContent = d.most > 0 ? counted(d.most, d.shown.words) : "";
    const scale = this.root.querySelector(".scale"), c = scale.getContext("2d");
    scale.hidden = d.most === 0;
    for (let x = 0; x < scale.width; x += 1) {
      const rgb = this.colour(d.most > 1 ? Math.max(d.top * ((x + 1) / scale.width) ** 2, 1e-6) : 1);
      c.fillStyle = `rgb(${rgb.join(" ")})`;
      c.fillRect(x, 0, 1, scale.height);
    }
  }

  sentence(row, column) {
    const d = this.data, place = this.at(row, column);
    const who = row === column ? `${d.names[row]} alone` : `${d.names[row]} and ${d.names[column]}`;
    const what = [{ values: this.values, words: d.shown.words }, ...this.also].map((one) => counted(one.values[place], one.words));
    return `${who}:\n${what.join(", ")}`;
  }

  cellAt(event) {
    const box = this.cells.getBoundingClientRect(), v = this.view;
    const x = (event.clientX - box.left) / this.larger - LEFT, y = (event.clientY - box.top) / this.larger - TOP;
    const column = Math.floor(x / this.cellWidth), row = Math.floor(y / this.cellHeight);
    return {
      inside: x >= 0 && y >= 0 && column < v.columns && row < v.rows,
      row: v.row + Math.max(0, Math.min(row, v.rows - 1)),
      column: v.column + Math.max(0, Math.min(column, v.columns - 1)),
    };
  }

  cornerOf(cell) {
    const row = cell.row - this.view.row, column = cell.column - this.view.column;
    return { left: LEFT + column * this.cellWidth, top: TOP + row * this.cellHeight };
  }

  outline(c, row, column, rows = 1, columns = 1) {
    const { left: x, top: y } = this.cornerOf({ row, column });
    const wide = Math.max(columns * this.cellWidth, 4), high = Math.max(rows * this.cellHeight, 4);
    if (x + wide < LEFT || y + high < TOP || x > LEFT + this.across || y > TOP + this.down) return;
    c.strokeStyle = this.data.look.background;
    c.lineWidth = 4;
    c.strokeRect(x, y, wide, high);
    c.strokeStyle = this.data.look.accent;
    c.lineWidth = 2;
    c.strokeRect(x, y, wide, high);
  }

  drawMarks() {
    if (!this.ratio || !this.data) return;
    const c = this.cleared(this.marks);
    const [a, b] = this.data.selected;
    if (a >= 0) {
      this.outline(c, a, b);
      if (a !== b) this.outline(c, b, a);
    }
    if (this.drag && this.drag.moved) {
      const { from, to } = this.drag;
      this.outline(c, Math.min(from.row, to.row), Math.min(from.column, to.column), Math.abs(from.row - to.row) + 1, Math.abs(from.column - to.column) + 1);
    } else if (this.cursor) {
      const { left: x, top: y } = this.cornerOf(this.cursor);
      c.strokeStyle = this.data.look.text;
      c.lineWidth = 1;
      // Two lines to the sides show whose cell it is, also where cells are as small as a pixel.
      c.globalAlpha = 0.45;
      c.beginPath();
      c.moveTo(LEFT, y + this.cellHeight / 2); c.lineTo(x, y + this.cellHeight / 2);
      c.moveTo(x + this.cellWidth / 2, TOP); c.lineTo(x + this.cellWidth / 2, y);
      c.stroke();
      c.globalAlpha = 1;
      c.lineWidth = 2;
      c.strokeRect(x, y, this.cellWidth, this.cellHeight);
    }
  }

  released() {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    const { from, to } = drag;
    if (drag.moved) {
      this.zoom(Math.min(from.row, to.row), Math.min(from.column, to.column), Math.abs(from.row - to.row) + 1, Math.abs(from.column - to.column) + 1);
    } else if (Math.min(this.cellWidth, this.cellHeight) < TOO_SMALL) {
      this.nearer(from);
    } else {
      this.open(from);
    }
  }

  // Of an address: row, column, and how many of each are seen; what is no zoom of this matrix shows all of it.
  begin(zoom) {
    const [row, column, rows, columns, ...more] = zoom === "" ? [] : zoom.split(",").map(Number);
    const known = columns > 0 && rows > 0 && row >= 0 && column >= 0 && more.length === 0;
    if (known) this.look(row, column, rows, columns);
    else this.look(0, 0, this.count, this.count);
  }

  nearer(cell) { this.zoom(cell.row - NEAR, cell.column - NEAR, 2 * NEAR, 2 * NEAR); }

  zoom(row, column, rows, columns) {
    this.look(row, column, rows, columns);
    const v = this.view;
    const all = v.rows === this.count && v.columns === this.count;
    this.figureState.now("zoom", all ? "" : [v.row, v.column, v.rows, v.columns].join(","));
  }

  look(row, column, rows, columns) {
    const high = Math.min(Math.max(rows, 1), this.count), wide = Math.min(Math.max(columns, 1), this.count);
    this.view = {
      rows: high,
      columns: wide,
      row: Math.max(0, Math.min(row, this.count - high)),
      column: Math.max(0, Math.min(column, this.count - wide)),
    };
    this.pointAt(null);
    this.draw();
  }

  whole() { this.zoom(0, 0, this.count, this.count); }

  key(event) {
    const v = this.view, at = this.cursor;
    if (event.key in STEPS) {
      const far = event.shiftKey ? 10 : 1;
      const start = at || { row: v.row, column: v.column };
      const row = Math.max(0, Math.min(start.row + (at ? STEPS[event.key][0] * far : 0), this.count - 1));
      const column = Math.max(0, Math.min(start.column + (at ? STEPS[event.key][1] * far : 0), this.count - 1));
      this.follow(row, column);
      this.pointAt({ row, column, inside: true }, true);
    } else if (event.key === "Enter" && at) {
      this.open(at);
    } else if (event.key === "+" && at) {
      const half = Math.max(Math.floor(Math.min(v.rows, v.columns) / 4), 3);
      this.zoom(at.row - half, at.column - half, 2 * half, 2 * half);
      this.pointAt(at, true);
    } else if (event.key === "Escape" || event.key === "-") {
      this.whole();
    } else return;
    event.preventDefault();
  }

  // What the cursor walks to comes into sight.
  follow(row, column) {
    const v = this.view;
    const top = Math.max(Math.min(v.row, row), row - v.rows + 1), left = Math.max(Math.min(v.column, column), column - v.columns + 1);
    if (top === v.row && left === v.column) return;
    this.view = { ...v, row: top, column: left };
    this.draw();
  }

  // The token says which numbers the event is about, so that a late click is not taken for one on another matrix.
  open(cell) { this.emit({ kind: "open", row: cell.row, column: cell.column, token: this.token }); }
}

export default keeping(".pairs", (root) => new Pairs(root), (pairs, { data, setStateValue, setTriggerValue }) => {
  pairs.emit = (event) => setTriggerValue("event", event);
  if (data) pairs.show(data);
  pairs.figureState.begin(data?.figureState, setStateValue);
});
