// What figures of cells on a canvas share: their canvases, a cursor with its tip, a drag, their printing. A figure
// builds on it with `data`, `draw`, `drawMarks`, `cellAt`, `cornerOf`, `sentence`, `released`, `key` and `savedRows`.

const PAPER = 720; // px: the width of a sheet upright
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function bytesOf(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) out[i] = raw.charCodeAt(i);
  return out;
}

// What is written on a colour.
function inkOn([red, green, blue]) { return 0.299 * red + 0.587 * green + 0.114 * blue > 122 ? "#14171c" : "#ffffff"; }

class Cells {
  constructor(root) {
    this.root = root;
    this.stage = root.querySelector(".stage");
    this.cells = root.querySelector(".cells");
    this.marks = root.querySelector(".marks");
    this.tip = root.querySelector(".tip");
    this.live = root.querySelector(".live");
    this.cursor = null;
    this.drag = null;
    const on = (what, act) => this.cells.addEventListener(what, act);
    on("pointermove", (e) => this.moved(e));
    on("pointerleave", () => { if (!this.drag) this.pointAt(null); });
    on("pointerdown", (e) => this.pressed(e));
    on("pointerup", () => this.released());
    on("pointercancel", () => { this.drag = null; this.pointAt(null); });
    on("keydown", (e) => this.key(e));
    on("blur", () => this.pointAt(null));
    on("reseat-paper", (e) => this.print(e.detail));
    root.savedRows = () => this.savedRows();
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(this.stage);
  }

  // Drawn in light and finely, as wide as paper is; told null, as on the screen again.
  print(look) {
    if (!this.data) return;
    this.paper = look;
    this.look ??= this.data.look;
    this.data.look = look ?? this.look;
    if (!look) this.look = null;
    this.draw();
  }

  measure() {
    // On a large screen the page enlarges its figures: they are laid out in their own pixels, and drawn in the screen's.
    const screen = this.stage.getBoundingClientRect();
    this.larger = this.stage.currentCSSZoom ?? 1;
    const box = this.width && (this.paper || window.matchMedia("print").matches) // no larger on paper than it was on the screen
      ? { width: Math.min(this.width, PAPER), height: this.height }
      : { width: screen.width / this.larger, height: screen.height / this.larger };
    const ratio = this.paper ? 3 : (window.devicePixelRatio || 1) * this.larger;
    for (const canvas of [this.cells, this.marks]) {
      const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
      if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    }
    this.cells.style.maxWidth = this.paper ? `${box.width}px` : "";
    this.ratio = ratio;
    this.width = box.width;
    this.height = box.height;
  }

  // A canvas emptied, to be drawn in the figure's own pixels.
  cleared(canvas) {
    const c = canvas.getContext("2d");
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.width, this.height);
    return c;
  }

  pointAt(cell, say = false) {
    this.cursor = cell;
    this.drawMarks();
    if (!cell) { this.tip.hidden = true; return; }
    const words = this.sentence(cell.row, cell.column);
    this.tip.textContent = words;
    this.tip.hidden = false;
    const { left, top } = this.cornerOf(cell);
    placeTip(this.tip, this.stage, { left, top, right: left + this.cellWidth, bottom: top + this.cellHeight }, this.larger);
    if (say) this.live.textContent = words;
  }

  moved(event) {
    const cell = this.cellAt(event);
    if (this.drag) {
      this.drag.to = cell;
      this.drag.moved ||= Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) > 5;
      if (this.drag.moved) { this.tip.hidden = true; this.drawMarks(); }
    } else if (!cell.inside) {
      this.pointAt(null);
    } else if (!this.cursor || cell.row !== this.cursor.row || cell.column !== this.cursor.column) {
      this.pointAt(cell);
    }
  }

  pressed(event) {
    const cell = this.cellAt(event);
    if (!cell.inside || event.button !== 0) return;
    this.drag = { from: cell, to: cell, x: event.clientX, y: event.clientY, moved: false };
    this.cells.setPointerCapture(event.pointerId);
  }
}
