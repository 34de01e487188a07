// Puts the same menu at every figure of the page: SVG, PNG, CSV. A chart is asked for its picture and its
// rows only when one is saved.

const KINDS = [["svg", "Picture (SVG)"], ["png", "Picture (PNG)"], ["csv", "Data (CSV)"]];
const HOLDER = "[data-testid='stElementContainer']";

// The chart inside an element of the page, once it is drawn, or null.
function figureIn(holder) {
  const chart = holder.querySelector(".js-plotly-plot");
  return chart?.querySelector(".main-svg") ? chart : null;
}

const slug = (words) => words.normalize("NFKD").replace(/[^\w]+/g, "-").replace(/^[-_]+|[-_]+$/g, "").toLowerCase().slice(0, 60);

// What a file is called: the page, the cluster where one is open, and the figure.
function fileName(holder, kind) {
  const page = slug(document.title.split(" · ")[0]);
  const cluster = document.title.split(" · ").slice(1, -1).map(slug);
  const key = [...holder.classList].find((name) => name.startsWith("st-key-"))?.slice(7) ?? "figure";
  const parts = ["reseat", page, ...cluster, slug(key).replace(`${page}-`, "")];
  return `${parts.filter(Boolean).join("-")}.${kind}`;
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
    download(new Blob([csvOf(plotlyRows(figure))], { type: "text/csv;charset=utf-8" }), name);
    return;
  }
  const svg = pictureOf(figure, nameOf(holder));
  download(kind === "svg" ? new Blob([svg.text], { type: "image/svg+xml" }) : await pngOf(svg), name);
}

// What the figure is, in the words that say it to those who cannot see it.
function nameOf(holder) {
  const named = holder.querySelector("[data-testid='stPlotlyChart']") ?? figureIn(holder);
  return named?.getAttribute("aria-label") || "figure";
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
    for (const item of this.all) item.hidden = item.dataset.kind === "csv" && !(figure && hasRows(figure));
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

let menus = new Map();

function look() {
  for (const [holder, menu] of menus) {
    if (holder.isConnected && figureIn(holder)) continue;
    menu.root.remove();
    menus.delete(holder);
  }
  for (const holder of document.querySelectorAll(`.stMain ${HOLDER}`)) {
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
  const soon = () => { asked ||= requestAnimationFrame(() => { asked = 0; look(); }); };
  const watch = new MutationObserver(soon);
  watch.observe(document.querySelector(".stApp") ?? document.body, { childList: true, subtree: true, attributeFilter: ["aria-label"] });
  soon();
  return () => {
    watch.disconnect();
    cancelAnimationFrame(asked);
    for (const menu of menus.values()) menu.root.remove();
    menus = new Map();
  };
}
