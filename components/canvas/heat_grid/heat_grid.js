// Draws a grid of cells from raw numbers on a canvas. It only tells what a person did ("zoom", "open", "out"); what
// that means is decided in Python. Every text goes through fillText or textContent, never through HTML.

const LEFT = 104, TOP = 40, RIGHT = 92, BOTTOM = 58, BAND = 9;
const STATE_WORDS = ["no replica", "leader", "follower, in sync", "follower, out of sync", "offline", "moving in", "moving out", "replica, ISR unknown"];

function decoded(data) {
  const cells = bytesOf(data.values);
  const values = data.kind === "states" ? cells
    : data.kind === "difference" ? new Int16Array(cells.buffer) : new Uint16Array(cells.buffer);
  return {
    ...data,
    values,
    palette: bytesOf(data.palette),
    rowSums: new Float32Array(bytesOf(data.rowSums).buffer),
    columnSums: new Float32Array(bytesOf(data.columnSums).buffer),
  };
}

function amount(grid, value) {
  if (grid.format === "bytes") {
    const units = ["B", "kB", "MB", "GB", "TB", "PB"];
    let scaled = Math.abs(value), i = 0;
    while (scaled >= 999.5 && i < units.length - 1) { scaled /= 1000; i += 1; }
    const digits = i === 0 || scaled >= 99.5 ? 0 : 1;
    return (value < 0 ? "−" : "") + scaled.toFixed(digits) + " " + units[i];
  }
  const rounded = Math.round(value);
  return (rounded < 0 ? "−" : "") + Math.abs(rounded).toLocaleString("en-US");
}

function colourOf(grid, value) {
  if (grid.kind === "states") return grid.states[value];
  if (grid.kind === "counts" && value === 0) return grid.none;
  if (grid.kind === "counts") return at(grid, countShare(grid, value));
  const root = Math.sqrt(Math.abs(value) / grid.top);
  // Beside a broker that loses all, a change of one must still be seen against the white of no change.
  const part = value === 0 ? 0 : 0.25 + 0.75 * root;
  return at(grid, (value < 0 ? 1 - part : 1 + part) / 2);
}

// A few huge topics would otherwise leave every other cell at the dark end: the scale grows by factors, and its middle
// lies near what most cells hold.
function countShare(grid, value) {
  const part = (from, to) => (to > from ? Math.log(value / from) / Math.log(to / from) : 1);
  return value <= grid.middle ? 0.5 * part(grid.low, grid.middle) : 0.5 + 0.5 * part(grid.middle, grid.top);
}

function at(grid, share) {
  const place = 3 * Math.max(0, Math.min(255, Math.round(share * 255)));
  return [grid.palette[place], grid.palette[place + 1], grid.palette[place + 2]];
}

function css(rgb) { return `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`; }

class Heat extends Cells {
  constructor(root) {
    super(root);
    this.legend = root.querySelector(".legend");
    this.finder = new RowFinder(this);
    this.figureState = new FigureState(({ find }) => this.finder.begin(find));
  }

  get data() { return this.grid; }

  show(data) {
    this.grid = decoded(data);
    this.drag = null;
    this.pointAt(null);
    this.stage.style.setProperty("--heat-height", `${data.height}px`);
    this.stage.style.setProperty("--heat-most", `${data.most}px`);
    this.cells.setAttribute("aria-label", data.label);
    this.root.dataset.figure = `Heatmap: ${data.label.split(".")[0]}`;
    this.texture = this.paint();
    this.draw();
    this.drawLegend();
    this.finder.look(false);
    this.root.dataset.drawn = data.token;
  }

  paint() {
    const g = this.grid;
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(g.columns, 1);
    canvas.height = Math.max(g.rows, 1);
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    for (let i = 0; i < g.rows * g.columns; i += 1) {
      const rgb = colourOf(g, g.values[i]);
      image.data[4 * i] = rgb[0];
      image.data[4 * i + 1] = rgb[1];
      image.data[4 * i + 2] = rgb[2];
      image.data[4 * i + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  measure() {
    super.measure();
    // Few cells keep a readable shape instead of becoming bars across the screen.
    this.plotWidth = Math.min(this.width - LEFT - RIGHT, this.grid.columns * 160);
    this.plotHeight = Math.min(this.height - TOP - BOTTOM, this.grid.rows * 44);
    this.cellWidth = this.plotWidth / Math.max(this.grid.columns, 1);
    this.cellHeight = this.plotHeight / Math.max(this.grid.rows, 1);
  }

  draw() {
    if (!this.grid || !this.stage.clientWidth) return;
    this.measure();
    const g = this.grid;
    const c = this.cleared(this.cells);
    c.imageSmoothingEnabled = false;
    c.drawImage(this.texture, LEFT, TOP, this.plotWidth, this.plotHeight);
    if (this.cellWidth >= 7 && this.cellHeight >= 7) this.drawGaps(c);
    if (g.kind !== "states" && this.cellWidth >= 24 && this.cellHeight >= 15) this.drawNumbers(c);
    if (g.kind === "states" && this.cellWidth >= 9 && this.cellHeight >= 9) this.drawGlyphs(c);
    this.drawSides(c);
    this.drawSums(c);
    this.drawMarks();
  }

  drawGaps(c) {
    c.strokeStyle = this.grid.look.background;
    c.lineWidth = 1;
    c.beginPath();
    for (let i = 1; i < this.grid.columns; i += 1) {
      const x = LEFT + i * this.cellWidth;
      c.moveTo(x, TOP); c.lineTo(x, TOP + this.plotHeight);
    }
    for (let i = 1; i < this.grid.rows; i += 1) {
      const y = TOP + i * this.cellHeight;
      c.moveTo(LEFT, y); c.lineTo(LEFT + this.plotWidth, y);
    }
    c.stroke();
  }

  drawNumbers(c) {
    // Where there is room for the number itself, nobody has to read it off a scale.
    const g = this.grid;
    c.font = `11px ${getComputedStyle(this.root).fontFamily}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    for (let row = 0; row < g.rows; row += 1) {
      for (let column = 0; column < g.columns; column += 1) {
        const value = g.values[row * g.columns + column];
        if (value === 0) continue;
        const words = this.shown(value);
        if (c.measureText(words).width > this.cellWidth - 4) continue;
        c.fillStyle = inkOn(colourOf(g, value));
        c.fillText(words, LEFT + (column + 0.5) * this.cellWidth, TOP + (row + 0.5) * this.cellHeight);
      }
    }
  }

  // A line a cell, as they are at this zoom: the data of the figure when it is saved.
  savedRows() {
    const g = this.grid, unit = g.words || "bytes";
    const held = { states: "state", difference: `change of ${unit}` }[g.kind] ?? unit;
    const told = (value) => (g.kind === "states" ? STATE_WORDS[value] : Math.round(value * g.unit));
    const rows = [["brokers", g.columnSumsWord === "per partition" ? "partitions" : "topics", held]];
    for (let i = 0; i < g.rows * g.columns; i += 1) {
      rows.push([g.rowWords[Math.floor(i / g.columns)], g.columnWords[i % g.columns], told(g.values[i])]);
    }
    return rows;
  }

  shown(value) {
    const words = amount(this.grid, value * this.grid.unit);
    return this.grid.kind === "difference" && value > 0 ? `+${words}` : words;
  }

  drawGlyphs(c) {
    // A sign beside the colour: dot for the leader, slash behind, cross offline, plus and hatch for what moves.
    const g = this.grid;
    const size = Math.min(this.cellWidth, this.cellHeight) * 0.22;
    c.lineWidth = 1.6;
    for (let row = 0; row < g.rows; row += 1) {
      for (let column = 0; column < g.columns; column += 1) {
        const state = g.values[row * g.columns + column];
        if (state === 0 || state === 2 || state === 7) continue;
        const x = LEFT + (column + 0.5) * this.cellWidth, y = TOP + (row + 0.5) * this.cellHeight;
        c.strokeStyle = c.fillStyle = state === 1 || state === 4 ? "#fff" : "#14171c";
        c.beginPath();
        if (state === 1) { c.arc(x, y, size * 0.8, 0, 7); c.fill(); continue; }
        if (state === 3) { c.moveTo(x - size, y + size); c.lineTo(x + size, y - size); }
        if (state === 4) { c.moveTo(x - size, y + size); c.lineTo(x + size, y - size); c.moveTo(x - size, y - size); c.lineTo(x + size, y + size); }
        if (state === 5) { c.moveTo(x - size, y); c.lineTo(x + size, y); c.moveTo(x, y - size); c.lineTo(x, y + size); }
        if (state === 6) for (let k = -1; k <= 1; k += 1) { c.moveTo(x - size + k * size, y + size); c.lineTo(x + size + k * size, y - size); }
        c.stroke();
      }
    }
  }

  drawSides(c) {
    const g = this.grid;
    c.font = `12px ${getComputedStyle(this.root).fontFamily}`;
    c.textBaseline = "middle";
    c.textAlign = "right";
    let last = -99;
    for (let row = 0; row < g.rows; row += 1) {
      const y = TOP + (row + 0.5) * this.cellHeight;
      if (y - last < 13) continue;
      last = y;
      c.fillStyle = g.look.quiet;
      c.fillText(g.rowLabels[row], LEFT - BAND - 8, y, LEFT - BAND - 34);
    }
    for (const group of g.rowGroups) {
      const y = TOP + group.from * this.cellHeight, height = (group.to - group.from) * this.cellHeight;
      c.fillStyle = group.colour;
      c.fillRect(LEFT - BAND - 2, y + 0.5, BAND, Math.max(height - 1, 1));
      // As a column's: squeezed letters cannot be read.
      const label = height < 26 ? null : shortened(group.label, (words) => c.measureText(words).width <= height - 4);
      if (label === null) continue;
      c.save();
      c.translate(10, y + height / 2);
      c.rotate(-Math.PI / 2);
      c.textAlign = "center";
      c.fillStyle = g.look.text;
      c.fillText(label, 0, 0);
      c.restore();
    }
    c.textAlign = "left";
    // Names too wide for their columns take turns in two lines.
    const free = [LEFT, LEFT];
    const taken = new Set();
    for (const group of g.columnGroups) {
      const x = LEFT + group.from * this.cellWidth, width = (group.to - group.from) * this.cellWidth;
      c.fillStyle = g.look.line;
      c.fillRect(x, TOP - 5, Math.max(width - 1, 1), 3);
      c.fillStyle = g.look.quiet;
      const room = width >= 86 ? width : Math.max(2 * width, 86);
      const label = shortened(group.label, (words) => c.measureText(words).width <= room - 6, taken);
      if (label === null) continue;
      // The last name ends where the columns do.
      const wide = c.measureText(label).width, start = Math.min(x, Math.max(LEFT + this.plotWidth, x + width) - wide);
      const lane = free.findIndex((from) => start >= from);
      if (lane < 0) continue;
      const y = TOP - 14 - lane * 14;
      c.fillText(label, start, y);
      taken.add(label);
      free[lane] = start + wide + 6;
      if (lane === 1 && x >= free[0]) { // through no other name
        c.fillStyle = g.look.line;
        c.fillRect(x, y + 7, 1, 14);
      }
    }
  }

  drawSums(c) {
    const g = this.grid;
    const x0 = LEFT + this.plotWidth + 8, wide = RIGHT - 46;
    const most = Math.max(...g.rowSums.map(Math.abs), g.rowMean, 1e-9);
    const bar = g.look.bar;
    c.font = `11px ${getComputedStyle(this.root).fontFamily}`;
    c.textBaseline = "middle";
    c.textAlign = "left";
    for (let row = 0; row < g.rows; row += 1) {
      const y = TOP + row * this.cellHeight;
      c.fillStyle = bar;
      c.fillRect(x0, y + this.cellHeight * 0.15, wide * Math.abs(g.rowSums[row]) / most, Math.max(this.cellHeight * 0.7, 0.7));
      if (this.cellHeight >= 12) {
        c.fillStyle = g.look.quiet;
        const sign = g.kind === "difference" && g.rowSums[row] > 0 ? "+" : "";
        if (g.kind !== "difference" || g.rowSums[row] !== 0) c.fillText(sign + amount(g, g.rowSums[row]), x0 + wide + 4, y + this.cellHeight / 2, 42);
      }
    }
    const y0 = TOP + this.plotHeight + 8, high = BOTTOM - 24;
    const tallest = Math.max(...g.columnSums.map(Math.abs), 1e-9);
    for (let column = 0; column < g.columns; column += 1) {
      const height = high * Math.abs(g.columnSums[column]) / tallest;
      c.fillStyle = bar;
      c.fillRect(LEFT + (column + 0.12) * this.cellWidth, y0, Math.max(this.cellWidth * 0.76, 0.7), height);
      const words = amount(g, g.columnSums[column]);
      if (g.kind === "difference" && g.columnSums[column] === 0) continue;
      if (this.cellWidth < 24 || c.measureText(words).width > this.cellWidth - 2) continue;
      c.fillStyle = g.look.quiet;
      c.textAlign = "center";
      c.fillText(words, LEFT + (column + 0.5) * this.cellWidth, y0 + height + 8);
    }
    if (g.rowMean > 0) {
      const x = x0 + wide * g.rowMean / most;
      c.strokeStyle = g.look.text;
      c.setLineDash([3, 2]);
      c.beginPath(); c.moveTo(x, TOP); c.lineTo(x, TOP + this.plotHeight); c.stroke();
      c.setLineDash([]);
      c.fillStyle = g.look.quiet;
      c.textAlign = "center";
      c.fillText(`mean ${amount(g, g.rowMean)}`, Math.min(x, this.width - 42), TOP - 10);
      c.fillText(g.rowSumsWord, Math.min(x, this.width - 42), TOP - 24);
    }
    c.textAlign = "right";
    c.fillStyle = g.look.quiet;
    c.fillText(g.columnSumsWord, LEFT - 8, y0 + 6, LEFT - 12);
  }

  drawLegend() {
    const g = this.grid;
    this.legend.replaceChildren();
    const item = (swatch, words) => {
      const span = document.createElement("span");
      span.className = "item";
      span.append(swatch, document.createTextNode(words));
      this.legend.append(span);
    };
    const square = (rgb) => {
      const box = document.createElement("span");
      box.className = "swatch";
      box.style.background = css(rgb);
      return box;
    };
    if (g.kind === "states") {
      const signs = ["", "●", "", "/", "×", "+", "//", ""];
      for (const state of g.present) {
        const box = square(g.states[state]);
        box.textContent = signs[state];
        box.style.cssText += ";text-align:center;font-size:11px;line-height:15px";
        box.style.color = state === 1 || state === 4 ? "#fff" : "#14171c";
        item(box, STATE_WORDS[state]);
      }
      return;
    }
    const scale = document.createElement("canvas");
    scale.className = "scale";
    scale.width = 256; scale.height = 1;
    const context = scale.getContext("2d");
    for (let i = 0; i < 256; i += 1) {
      context.fillStyle = css([g.palette[3 * i], g.palette[3 * i + 1], g.palette[3 * i + 2]]);
      context.fillRect(i, 0, 1, 1);
    }
    const low = g.kind === "difference" ? `−${amount(g, g.top * g.unit)}` : amount(g, g.low * g.unit);
    if (g.kind === "counts") item(square(g.none), "none");
    const span = document.createElement("span");
    span.className = "item number";
    span.append(low, scale, `${g.kind === "difference" ? "+" : ""}${this.amountOf(g.top)}`);
    const middle = g.kind === "difference" ? "white: no change"
      : g.top >= 8 ? `scale midpoint ${amount(g, g.middle * g.unit)}` : "";
    const note = document.createElement("span");
    note.className = "item number";
    note.textContent = middle;
    this.legend.append(span, note);
  }

  amountOf(value) {
    const one = Math.round(Math.abs(value * this.grid.unit)) === 1;
    return `${amount(this.grid, value * this.grid.unit)} ${one ? this.grid.word : this.grid.words}`.trim();
  }

  cellAt(event) {
    const box = this.cells.getBoundingClientRect();
    const x = (event.clientX - box.left) / this.larger - LEFT, y = (event.clientY - box.top) / this.larger - TOP;
    const column = Math.floor(x / this.cellWidth), row = Math.floor(y / this.cellHeight);
    const inside = x >= 0 && y >= 0 && column < this.grid.columns && row < this.grid.rows;
    return { row: Math.max(0, Math.min(row, this.grid.rows - 1)), column: Math.max(0, Math.min(column, this.grid.columns - 1)), inside };
  }

  sentence(row, column) {
    const g = this.grid;
    const value = g.values[row * g.columns + column];
    const facts = g.columnFacts[column] ? `\n${g.columnFacts[column]}` : "";
    if (g.kind === "states") return `${g.rowWords[row]} × ${g.columnWords[column]}: ${STATE_WORDS[value]}.${facts}`;
    const sign = g.kind === "difference" && value > 0 ? "+" : "";
    return `${g.rowWords[row]} × ${g.columnWords[column]}: ${sign}${this.amountOf(value)}.${facts}`;
  }

  cornerOf(cell) { return { left: LEFT + cell.column * this.cellWidth, top: TOP + cell.row * this.cellHeight }; }

  drawMarks() {
    if (!this.ratio) return;
    const c = this.cleared(this.marks);
    const rectangle = (from, to) => {
      const left = Math.min(from.column, to.column), top = Math.min(from.row, to.row);
      const across = Math.abs(from.column - to.column) + 1, down = Math.abs(from.row - to.row) + 1;
      c.strokeRect(LEFT + left * this.cellWidth, TOP + top * this.cellHeight, across * this.cellWidth, down * this.cellHeight);
    };
    if (this.finder.row !== null && this.grid.columns) {
      const y = TOP + this.finder.row * this.cellHeight, height = Math.max(this.cellHeight, 3);
      c.strokeStyle = this.grid.look.background;
      c.lineWidth = 5;
      c.strokeRect(LEFT - 1, y - 1, this.plotWidth + 2, height + 2);
      c.strokeStyle = this.grid.look.accent;
      c.lineWidth = 2.5;
      c.strokeRect(LEFT - 1, y - 1, this.plotWidth + 2, height + 2);
    }
    c.strokeStyle = this.grid.look.text;
    c.lineWidth = 2;
    if (this.drag && this.drag.moved) rectangle(this.drag.from, this.drag.to);
    else if (this.cursor) rectangle(this.cursor, this.cursor);
  }

  released() {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    const ordered = (a, b) => [Math.min(a, b), Math.max(a, b) + 1];
    if (drag.moved) {
      this.say({ kind: "zoom", rows: ordered(drag.from.row, drag.to.row), columns: ordered(drag.from.column, drag.to.column) });
    } else {
      this.say({ kind: "open", row: drag.from.row, column: drag.from.column });
    }
    this.drawMarks();
  }

  key(event) {
    if (event.key in STEPS) {
      const at = this.cursor || { row: 0, column: 0 };
      const far = event.shiftKey ? 10 : 1;
      const row = Math.max(0, Math.min(at.row + STEPS[event.key][0] * far, this.grid.rows - 1));
      const column = Math.max(0, Math.min(at.column + STEPS[event.key][1] * far, this.grid.columns - 1));
      this.pointAt({ row, column, inside: true }, true);
    } else if (event.key === "Enter" && this.cursor) {
      this.say({ kind: "open", row: this.cursor.row, column: this.cursor.column });
    } else if (event.key === "Escape") {
      this.say({ kind: "out" });
    } else return;
    event.preventDefault();
  }

  // The token says which grid the event is about, so that a late click on an old grid is not taken for the new one.
  say(event) { this.emit({ ...event, token: this.grid.token }); }
}

export default keeping(".heat", (root) => new Heat(root), (heat, { data, setStateValue, setTriggerValue }) => {
  heat.emit = (event) => setTriggerValue("event", event);
  if (data && heat.token !== data.token) {
    heat.token = data.token;
    heat.show(data);
  }
  heat.figureState.begin(data?.figureState, setStateValue);
});
