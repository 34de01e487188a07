// Puts the same menu at every figure of the page: SVG, PNG, CSV. A figure is asked for its picture and its
// rows only when one is saved. Our own figures say what they are by "data-figure" and have their rows by "savedRows".

const KINDS = [["svg", "Picture (SVG)"], ["png", "Picture (PNG)"], ["csv", "Data (CSV)"]];
const HOLDER = "[data-testid='stElementContainer']";

const SHADOW = "[data-testid='stBidiComponentIsolated']";

// The chart or figure of our own inside an element of the page, once it is drawn, or null.
function figureIn(holder) {
  const chart = holder.querySelector(".js-plotly-plot");
  if (chart) return chart.querySelector(".main-svg") ? chart : null;
  return holder.querySelector(SHADOW)?.shadowRoot?.querySelector("[data-figure]") ?? null;
}

const withRows = (figure) => Boolean(figure && (figure.dataset.figure === undefined ? hasRows(figure) : figure.savedRows));

const slug = (words) => words.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^[-_]+|[-_]+$/g, "").toLowerCase().slice(0, 60);

const layoutName = () => document.title.split(" · ").slice(1, -1).join(" · ");

// What a file is called: the page, what the figure shows, and the layout where one is open; what says the page's name
// by itself needs it no second time.
function fileName(holder, kind) {
  const [page] = document.title.split(" · ").map(slug), told = figureIn(holder)?.layout?.meta;
  const shows = slug(told?.name || (told?.x ? `${told.y} by ${told.x}` : nameOf(holder).split(/[:,.(]/)[0]));
  return `${[shows.includes(page) ? "" : page, shows, slug(layoutName())].filter(Boolean).join("-")}.${kind}`;
}

function download(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a browser may ask first where it goes
}

async function save(holder, kind) {
  const figure = figureIn(holder);
  if (!figure) return;
  const name = fileName(holder, kind);
  if (kind === "csv") {
    const rows = figure.savedRows?.() ?? plotlyRows(figure);
    download(new Blob([csvOf(rows)], { type: "text/csv;charset=utf-8" }), name);
    return;
  }
  const svg = pictureOf(figure, nameOf(holder), layoutName());
  download(kind === "svg" ? new Blob([svg.text], { type: "image/svg+xml" }) : await pngOf(svg), name);
}

// What the figure is, in the words that say it to those who cannot see it.
function nameOf(holder) {
  const chart = holder.querySelector("[data-testid='stPlotlyChart']");
  return (chart ? chart.getAttribute("aria-label") : figureIn(holder)?.dataset.figure) || "figure";
}

class Menu {
  constructor(holder) {
    this.holder = holder;
    this.root = document.createElement("div");
    this.root.className = "save-figure";
    this.opener = this.button(this.root, "Save");
    this.opener.setAttribute("aria-haspopup", "menu");
    this.opener.title = "Save this figure or its data";
    this.list = document.createElement("div");
    this.list.setAttribute("role", "menu");
    this.list.hidden = true;
    this.root.append(this.list);
    this.all = KINDS.map(([kind, words]) => {
      const item = this.button(this.list, words);
      item.dataset.kind = kind;
      item.setAttribute("role", "menuitem");
      item.tabIndex = -1;
      item.addEventListener("click", () => { this.show(false); this.opener.focus(); save(this.holder, kind); });
      return item;
    });
    this.opener.addEventListener("click", () => this.show(this.list.hidden));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("focusout", (event) => { if (!this.root.contains(event.relatedTarget)) this.show(false); });
    this.show(false);
    this.rename();
  }

  button(parent, words) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = words;
    parent.append(made);
    return made;
  }

  rename() {
    const label = `Save: ${nameOf(this.holder)}`;
    if (this.opener.getAttribute("aria-label") === label) return;
    this.opener.setAttribute("aria-label", label);
    this.list.setAttribute("aria-label", label);
  }

  get items() { return this.all.filter((item) => !item.hidden); }

  show(open) {
    const figure = figureIn(this.holder);
    for (const item of this.all) item.hidden = item.dataset.kind === "csv" && !withRows(figure);
    this.list.hidden = !open;
    this.opener.setAttribute("aria-expanded", String(open));
    if (open) this.items[0].focus();
  }

  key(event) {
    const at = this.items.indexOf(this.root.getRootNode().activeElement), last = this.items.length - 1;
    const to = { ArrowDown: at < last ? at + 1 : 0, ArrowUp: at > 0 ? at - 1 : last, Home: 0, End: last }[event.key];
    if (event.key === "Escape" && !this.list.hidden) { this.show(false); this.opener.focus(); }
    else if (to !== undefined && (at >= 0 || event.key.startsWith("Arrow"))) { this.show(true); this.items[to].focus(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

let menus = new Map(), watched = new WeakSet();

// Puts menus where figures are; what is drawn in a shadow is told by ``watch``, which does not see into it by itself.
function look(watch, soon) {
  for (const [holder, menu] of menus) {
    if (holder.isConnected && figureIn(holder)) continue;
    menu.root.remove();
    menus.delete(holder);
  }
  for (const one of document.querySelectorAll(`.stMain :is(.js-plotly-plot, ${SHADOW})`)) {
    const holder = one.closest(HOLDER), shadow = one.matches(SHADOW) ? one.shadowRoot : undefined;
    if (!holder) continue;
    if (shadow === null) setTimeout(soon, 100); // its shadow is made a moment after itself
    else if (shadow && !watched.has(shadow)) {
      watched.add(shadow);
      watch.observe(shadow, { childList: true, subtree: true, attributeFilter: ["data-figure"] });
    }
    const menu = menus.get(holder);
    if (menu) {
      menu.rename();
      if (menu.root.parentElement !== holder) holder.append(menu.root);
    } else if (figureIn(holder)) {
      const made = new Menu(holder);
      menus.set(holder, made);
      holder.append(made.root);
    }
  }
}

export default function saveFigures() {
  let asked = 0;
  const soon = () => { asked ||= requestAnimationFrame(() => { asked = 0; look(watch, soon); }); };
  const watch = new MutationObserver(soon);
  watch.observe(document.querySelector(".stApp") ?? document.body, { childList: true, subtree: true, attributeFilter: ["aria-label"] });
  soon();
  return () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
    for (const menu of menus.values()) menu.root.remove();
    menus = new Map();
    watched = new WeakSet();
  };
}
