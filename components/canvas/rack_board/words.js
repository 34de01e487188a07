// Words, numbers and measures that the rooms of the board share.

const MOST_FLOWS = 2400; // as Python sends at most
const STATES = ["alive", "cordoned", "fenced", "shutting down", "dead", "state unknown"];
const MARKS = ["", "⊘", "◐", "↓", "✕", ""];
const [, CORDONED, , , DEAD, UNKNOWN] = STATES.keys();
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

const MOST_DIRECTORIES = 6; // of a broker that are told when one points at it

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

const directoriesOf = (many) => count(many, "log directory", "log directories");

// What lies in a log directory and what is left, or why nothing comes into it.
function directoryWords(replicas, bytes, left, state) {
  if (state === "offline") return "offline";
  return (
    count(replicas, "replica") +
    (bytes === null ? "" : `, ${size(bytes)}`) +
    (left === null ? "" : `, ${size(left)} left`) +
    (state === "online" ? "" : ` (${state})`)
  );
}

// A broker's log directories, a line each.
function directoryLines(directories) {
  const lines = directories.slice(0, MOST_DIRECTORIES).map(([path, ...says]) => `${path}: ${directoryWords(...says)}`);
  const more = directories.length - lines.length;
  return more > 0 ? [...lines, `and ${count(more, "more directory", "more directories")}`] : lines;
}

const offlineOf = (broker) => broker.directories.filter(([, , , , state]) => state === "offline").length;
