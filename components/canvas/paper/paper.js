// What a style sheet alone cannot do when the page goes to paper. Everything here is done at once, since a browser
// waits for nothing before it prints, and undone when it has printed.

const PAINTS = ["color", "background-color", "border-top-color", "border-right-color", "border-bottom-color", "border-left-color", "fill", "stroke"];
const NARROW = 900; // px: a sheet upright, in the pixels that a browser lays pages out in
const PAPER = 700, LEAST = 8.2; // px: what a sheet upright has within its margins, and words of six points
const media = window.matchMedia("print");

let given = { look: {}, twins: {} };
let undo = null; // how to give the page back; null while it is on the screen

function set(style, name, value) {
  const old = [style.getPropertyValue(name), style.getPropertyPriority(name)];
  style.setProperty(name, value, "important");
  undo.push(() => (old[0] ? style.setProperty(name, ...old) : style.removeProperty(name)));
}

// A drawing of fixed pixels is drawn at the width that there is once it says what its pixels are. Its words stay large
// enough to be read: those that would not are enlarged first, and where they then reach beyond the drawing it grows.
function shrinkFigures() {
  let done = 0;
  for (const figure of document.querySelectorAll(".stMain .js-plotly-plot .svg-container")) {
    const svgs = [...figure.querySelectorAll(":scope > .main-svg")];
    if (!svgs.length) continue;
    const [width, height] = ["width", "height"].map((name) => parseFloat(svgs[0].getAttribute(name)));
    if (figure.dataset.paper === `${width}`) continue; // done, and not drawn anew since
    for (const svg of svgs) svg.removeAttribute("viewBox");
    done += 1;
    figure.dataset.paper = width;
    undo.push(() => { delete figure.dataset.paper; for (const svg of svgs) svg.removeAttribute("viewBox"); });
    const least = LEAST * Math.max(width / PAPER, 1), drawn = figure.getBoundingClientRect(), seen = drawn.width / width || 1;
    const small = svgs.flatMap((svg) => [...svg.querySelectorAll("text")]).filter((text) => parseFloat(getComputedStyle(text).fontSize) < least);
    for (const text of small) set(text.style, "font-size", `${least}px`);
    const boxes = small.map((text) => text.getBoundingClientRect()).filter((box) => box.width);
    const left = Math.min(0, ...boxes.map((box) => (box.left - drawn.left) / seen)), right = Math.max(width, ...boxes.map((box) => (box.right - drawn.left) / seen));
    set(figure.style, "max-width", `min(${width}px, 100%)`);
    set(figure.style, "aspect-ratio", `${right - left} / ${height}`);
    for (const svg of svgs) svg.setAttribute("viewBox", `${left} 0 ${right - left} ${height}`);
  }
  return done;
}

function row(cells, kind, right) {
  const line = document.createElement("tr");
  cells.forEach((words, i) => {
    const cell = document.createElement(kind);
    cell.textContent = words.replace(/^(\S) /, "$1\u00a0"); // a sign stays with its word
    cell.classList.toggle("right", Boolean(right[i]));
    cell.classList.toggle("long", /\S{25}/.test(words)); // a word that may be broken, so that the others are not
    line.append(cell);
  });
  return line;
}

// A grid that scrolls shows a few rows of many: all that it was given stand in its place.
function layOutTables() {
  let grid = null;
  for (const one of document.querySelectorAll(".stMain [data-testid='stDataFrame'], .stMain .paper-table")) {
    if (!one.matches(".paper-table")) { grid = one; continue; }
    const { heads, rows, right, more } = JSON.parse(one.dataset.table), table = document.createElement("table");
    table.createTHead().append(row(heads, "th", right));
    table.createTBody().append(...rows.map((cells) => row(cells, "td", right)));
    one.append(table);
    if (more) one.append(document.createTextNode(more));
    undo.push(() => one.replaceChildren());
    if (grid) set(grid.closest("[data-testid='stElementContainer']").style, "display", "none");
    grid = null;
  }
}

function lightened(colour) {
  const [red, green, blue, alpha] = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  if (!colour.startsWith("rgb") || blue === undefined) return null;
  const twin = given.twins[`#${[red, green, blue].map((one) => one.toString(16).padStart(2, "0")).join("")}`];
  return twin && (alpha === undefined ? twin : `${twin}${Math.round(255 * alpha).toString(16).padStart(2, "0")}`);
}

// A dark ground of Streamlit's own, which the theme's file does not name: the greys among them, not what data is drawn in.
function darkGround(colour) {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g)?.map(Number) ?? [];
  return alpha > 0.4 && Math.max(red, green, blue) < 90 && Math.max(red, green, blue) - Math.min(red, green, blue) < 60;
}

// First all is read and then all is set: taking turns would lay the page out for each element.
function lighten() {
  if (!Object.keys(given.twins).length) return 0;
  const found = [];
  for (const one of document.querySelectorAll(".stMain, .stMain *")) {
    const style = getComputedStyle(one);
    for (const name of PAINTS) {
      const colour = style.getPropertyValue(name);
      const twin = lightened(colour) ?? (name === "background-color" && darkGround(colour) ? "transparent" : null);
      if (twin) found.push([one.style, name, twin]);
    }
  }
  for (const [style, name, twin] of found) set(style, name, twin);
  return found.length;
}

// Pixels know no style sheet: what is drawn on a canvas is told in which colours to draw itself anew, null for its own.
function redraw(look) {
  for (const host of document.querySelectorAll(".stMain *")) {
    for (const canvas of host.shadowRoot?.querySelectorAll("canvas") ?? []) canvas.dispatchEvent(new CustomEvent("reseat-paper", { detail: look }));
  }
}

// What scrolls within the page is as high as what it holds: a text, and a report, which takes more lines on narrow paper.
function stretch() {
  for (const box of document.querySelectorAll(".stMain textarea")) if (box.value) set(box.style, "height", `${box.scrollHeight + 4}px`);
  for (const frame of document.querySelectorAll(".stMain iframe")) {
    const body = frame.contentDocument?.body; // null where its sandbox keeps it to itself
    if (body) set(frame.style, "height", `${Math.ceil(body.scrollHeight * Math.max(frame.clientWidth / NARROW, 1))}px`);
  }
}

// What is folded away is a part of the answer where it was drawn: a finding's partitions, the table behind a figure. How to
// read a figure, and what one fills in, is not.
function unfold() {
  for (const fold of document.querySelectorAll(".stMain details:not([open])")) {
    const held = fold.querySelector("[data-testid='stExpanderDetails']");
    if (fold.closest("[class*='st-key-how']") || !held?.textContent.trim() && !held?.querySelector(".paper-table") || held.querySelector("input, textarea")) continue;
    fold.open = true;
    undo.push(() => { fold.open = false; });
  }
}

function begin() {
  if (undo) return;
  undo = [];
  document.documentElement.dataset.paper = "";
  undo.push(() => delete document.documentElement.dataset.paper);
  unfold();
  layOutTables();
  shrinkFigures();
  stretch();
  lighten();
  redraw(given.look);
  setTimeout(settle, 300);
}

// Charts that follow their width draw themselves anew, in their own colours, once there is time for it: until none has for
// a second.
function settle(quiet = 0) {
  if (!undo) return;
  const now = shrinkFigures() + lighten() > 0 ? 0 : quiet + 1;
  if (now > 3) document.documentElement.dataset.paper = "settled";
  else setTimeout(() => settle(now), 300);
}

function end() {
  if (!undo || media.matches) return;
  for (const one of undo.reverse()) one();
  undo = null;
  redraw(null);
}

const turn = () => (media.matches ? begin() : end());

// What is folded away may be written in a face that the page has not needed yet. Asked for while the browser prints, it comes
// too late: all that follows on later sheets is lost. So each is there before.
function readyFaces() {
  for (const face of document.fonts) if (face.status === "unloaded" && /^"?Source/.test(face.family)) face.load().catch(() => {});
}

export default keeping(null, () => {
  window.addEventListener("beforeprint", begin);
  window.addEventListener("afterprint", end);
  media.addEventListener("change", turn);
  return {
    destroy() {
      window.removeEventListener("beforeprint", begin);
      window.removeEventListener("afterprint", end);
      media.removeEventListener("change", turn);
    },
  };
}, (_, { data }) => {
  given = data;
  readyFaces();
});
