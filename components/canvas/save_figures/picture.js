// One SVG of a figure as it stands on the page, with a ground of its own: drawings are cloned with the styles that they
// have, canvases become images, and boxes and words of HTML are drawn again where they stand. No foreignObject, so that
// every program opens it, and a canvas that it is drawn on may be read.

const SVG = "http://www.w3.org/2000/svg";
// What belongs to the screen alone: controls, what follows the pointer, what only a screen reader reads.
const UNSAVED = [
  ".save-figure, .modebar-container, .hoverlayer, .zoomlayer, .draglayer, style, script, form, input, select",
  ".player > .bar, .board button.ids, .board .hint, .tray-reset, .pairs .out, .tip, .live, .proxy",
].join(", ");
const TITLE = 15, LAYOUT = 12, MARGIN = 8; // px: sizes of the words above a figure, and the room around them
const STYLES = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "opacity", "visibility", "display",
  "font-family", "font-size", "font-weight", "font-style", "text-anchor", "dominant-baseline", "paint-order", "text-shadow",
  "clip-path", "shape-rendering", "image-rendering", "stop-color", "stop-opacity", "white-space",
];

function drawn(tag, attributes, parent) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  parent?.append(made);
  return made;
}

// A colour as every program reads it: color-mix and the like are computed to notations that only browsers know.
const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const known = new Map();
function plainColour(colour) {
  if (/^(rgba?\([\d., ]+\)|none|url.*)$/.test(colour)) return colour;
  if (!known.has(colour)) {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = colour;
    brush.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = brush.getImageData(0, 0, 1, 1).data;
    known.set(colour, `rgba(${red}, ${green}, ${blue}, ${(alpha / 255).toFixed(3)})`);
  }
  return known.get(colour);
}

const seen = (colour) => !/^rgba\(.*, 0(\.0+)?\)$/.test(plainColour(colour));

class Picture {
  constructor(root, title, layout) {
    const box = root.getBoundingClientRect(), app = getComputedStyle(document.querySelector(".stApp") ?? document.body);
    const width = Math.ceil(box.width), lines = this.lines(title, width - 2 * MARGIN, app.fontFamily);
    const head = 2 * MARGIN + lines.length * (TITLE + 4) + (layout ? LAYOUT + 4 : 0);
    // Where the figure begins in the picture: below its title.
    this.box = { left: box.left, top: box.top - head };
    const ground = app.backgroundColor, height = Math.ceil(box.height) + head;
    this.svg = drawn("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    drawn("title", {}, this.svg).textContent = title;
    drawn("rect", { width, height, fill: plainColour(ground) }, this.svg);
    const look = { x: MARGIN, fill: plainColour(app.color), "font-family": app.fontFamily };
    lines.forEach((line, i) => {
      const place = { y: MARGIN + (i + 1) * (TITLE + 4) - 4, "font-size": `${TITLE}px`, "font-weight": 600 };
      drawn("text", { ...look, ...place }, this.svg).textContent = line;
    });
    if (layout) drawn("text", { ...look, y: head - MARGIN - 4, "font-size": `${LAYOUT}px` }, this.svg).textContent = layout;
    this.ids = 0;
    this.element(root, this.svg);
  }

  // A title in as many lines as it takes.
  lines(title, width, family) {
    brush.font = `600 ${TITLE}px ${family}`;
    const lines = [];
    for (const word of title.split(/\s+/)) {
      const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
      if (lines.length && brush.measureText(longer).width <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }

  element(node, into) {
    if (node.matches(UNSAVED)) return;
    const style = getComputedStyle(node), box = node.getBoundingClientRect();
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    // What only a screen reader reads is a single pixel.
    if (style.position === "absolute" && box.width <= 1 && box.height <= 1) return;
    if (style.opacity !== "1") into = drawn("g", { opacity: style.opacity }, into);
    if (node instanceof SVGElement) { into.append(this.cloned(node, box)); return; }
    this.boxOf(style, box, into);
    if (node instanceof HTMLCanvasElement) { this.canvas(node, box, into); return; }
    if (style.overflow !== "visible" && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1)) into = this.clipped(box, into);
    // A table's head stays above the rows that are scrolled below it.
    const children = [...node.childNodes].sort((one, other) => (one.nodeName === "THEAD") - (other.nodeName === "THEAD"));
    for (const child of children) {
      if (child.nodeType === Node.ELEMENT_NODE) this.element(child, into);
      else if (child.nodeType === Node.TEXT_NODE && child.data.trim()) this.words(child, style, into);
    }
  }

  at(box) { return { x: box.left - this.box.left, y: box.top - this.box.top, width: box.width, height: box.height }; }

  // A copy with the styles that its style sheets gave it, which it has lost on its own.
  cloned(node, box) {
    const copy = node.cloneNode(true), copies = [copy, ...copy.querySelectorAll("*")];
    [node, ...node.querySelectorAll("*")].forEach((one, i) => {
      const style = getComputedStyle(one);
      const told = STYLES.map((name) => [name, style.getPropertyValue(name)]).filter(([, value]) => value && value !== "auto" && value !== "normal");
      copies[i].removeAttribute("class");
      copies[i].setAttribute("style", told.map(([name, value]) => `${name}: ${/^(fill|stroke|stop-color)$/.test(name) ? plainColour(value) : value}`).join("; "));
    });
    [...copies].forEach((one, i) => { if ([node, ...node.querySelectorAll("*")][i].matches(UNSAVED)) one.remove(); });
    if (!copy.hasAttribute("viewBox")) copy.setAttribute("viewBox", `0 0 ${copy.getAttribute("width")} ${copy.getAttribute("height")}`);
    for (const [name, value] of Object.entries(this.at(box))) copy.setAttribute(name, value);
    return copy;
  }

  canvas(node, box, into) {
    if (!node.width || !node.height) return;
    drawn("image", { ...this.at(box), href: node.toDataURL(), preserveAspectRatio: "none" }, into);
  }

  clipped(box, into) {
    const id = `clip-${this.ids += 1}`;
    drawn("rect", this.at(box), drawn("clipPath", { id }, into));
    return drawn("g", { "clip-path": `url(#${id})` }, into);
  }

  // Ground and border of an element of HTML.
  boxOf(style, box, into) {
    if (!box.width || !box.height) return;
    const radius = parseFloat(style.borderTopLeftRadius) || 0, place = this.at(box);
    const fill = style.backgroundImage.includes("gradient") ? this.gradient(style.backgroundImage, into) : plainColour(style.backgroundColor);
    if (fill.startsWith("url") || seen(style.backgroundColor)) drawn("rect", { ...place, rx: radius, fill }, into);
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
      wide: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]), colour: style[`border${side}Color`], kind: style[`border${side}Style`],
    })).map((side) => (seen(side.colour) ? side : { ...side, wide: 0 }));
    const line = ({ wide, colour, kind }) => ({ fill: "none", stroke: plainColour(colour), "stroke-width": wide, ...(kind === "dashed" ? { "stroke-dasharray": "4 3" } : {}) });
    if (sides.every((side) => side.wide === sides[0].wide && side.colour === sides[0].colour)) {
      const { wide } = sides[0];
      if (wide) drawn("rect", { x: place.x + wide / 2, y: place.y + wide / 2, width: Math.max(place.width - wide, 0), height: Math.max(place.height - wide, 0), rx: radius, ...line(sides[0]) }, into);
      return;
    }
    const left = place.x, top = place.y, right = left + place.width, bottom = top + place.height;
    const ends = [[left, top, right, top], [right, top, right, bottom], [left, bottom, right, bottom], [left, top, left, bottom]];
    sides.forEach((side, i) => {
      const [x1, y1, x2, y2] = ends[i];
      if (side.wide) drawn("line", { x1, y1, x2, y2, ...line(side) }, into);
    });
  }

  // Stripes for a gradient that repeats (a hatch), else its colours from left to right.
  gradient(image, into) {
    const colours = (image.match(/(?:rgba?|color|oklab|oklch)\([^()]*\)/g) ?? []).map(plainColour), id = `fill-${this.ids += 1}`;
    if (image.startsWith("repeating")) {
      const hatch = drawn("pattern", { id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, into);
      drawn("rect", { width: 6, height: 6, fill: colours.at(-1) }, hatch);
      drawn("rect", { width: 3, height: 6, fill: colours[0] }, hatch);
    } else {
      const scale = drawn("linearGradient", { id }, into);
      colours.forEach((colour, i) => drawn("stop", { offset: i / Math.max(colours.length - 1, 1), "stop-color": colour }, scale));
    }
    return `url(#${id})`;
  }

  // The words of one text, a line of it at a time, as wide as they are on the page.
  words(text, style, into) {
    const range = document.createRange(), lines = [];
    for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const box = range.getBoundingClientRect(), last = lines.at(-1);
      if (last && Math.abs(last.top - box.top) < 2) { last.words += ` ${word}`; last.right = box.right; }
      else if (box.width) lines.push({ words: word, left: box.left, right: box.right, top: box.top, height: box.height });
    }
    brush.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    for (const line of lines) {
      const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = brush.measureText(line.words);
      const shown = drawn("text", {
        x: line.left - this.box.left, y: line.top - this.box.top + (line.height - up - down) / 2 + up, textLength: line.right - line.left,
        lengthAdjust: "spacingAndGlyphs", fill: plainColour(style.color), "font-family": style.fontFamily, "font-size": style.fontSize, "font-weight": style.fontWeight, "font-style": style.fontStyle,
      }, into);
      shown.textContent = line.words;
    }
  }
}

function pictureOf(root, title, layout) {
  const { svg } = new Picture(root, title, layout);
  return { text: new XMLSerializer().serializeToString(svg), width: Number(svg.getAttribute("width")), height: Number(svg.getAttribute("height")) };
}

// The page's fonts within the picture: one drawn as an image has none of the page's.
async function withFonts(text) {
  const faces = [...document.styleSheets].flatMap((sheet) => { try { return [...sheet.cssRules]; } catch { return []; } })
    .filter((rule) => rule instanceof CSSFontFaceRule && text.includes(rule.style.getPropertyValue("font-family").replaceAll('"', "")));
  const inlined = await Promise.all(faces.map(async (rule) => {
    const [, address] = rule.style.getPropertyValue("src").match(/url\("?([^")]+)/) ?? [];
    if (!address) return "";
    const read = new FileReader();
    const font = await (await fetch(new URL(address, rule.parentStyleSheet.href ?? document.baseURI))).blob();
    await new Promise((done) => { read.onload = done; read.readAsDataURL(font); });
    return rule.cssText.replace(/src:[^;]*;/, `src: url(${read.result});`);
  }));
  return text.replace("</title>", `</title><style>${inlined.join("")}</style>`);
}

const SCALE = 2, LARGEST = 8000; // px: browsers refuse canvases not much larger

async function pngOf(svg) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([await withFonts(svg.text)], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas"), scale = Math.min(SCALE, LARGEST / Math.max(svg.width, svg.height));
    canvas.width = Math.round(svg.width * scale);
    canvas.height = Math.round(svg.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => { canvas.toBlob(done, "image/png"); });
  } finally {
    URL.revokeObjectURL(address);
  }
}
