// What a report does where scripts may run: hovering, sorting, copying. Without them all of it can still be read.
"use strict";
document.documentElement.classList.add("scripts");

const packed = (slug) => document.getElementById(`data-${slug}`);

// The CSV behind a figure or a table: packed where it is long, else in its link.
const csvOf = async (slug) => {
  const held = packed(slug);
  if (!held) {
    const link = document.querySelector(`a.csv[data-of="${CSS.escape(slug)}"]`);
    return decodeURIComponent(link.href.slice(link.href.indexOf(",") + 1));
  }
  const bytes = Uint8Array.from(atob(held.textContent), (one) => one.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};

const rowsOf = (csv) => {
  const rows = [[]];
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === "\n") rows.push([]);
    if (end === "") break;
  }
  return rows;
};

const tip = Object.assign(document.createElement("div"), { className: "tip", hidden: true });
document.body.append(tip);
const hide = () => { tip.hidden = true; };
const show = (words, event) => {
  tip.textContent = words;
  tip.hidden = !words;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8));
  const above = event.clientY - height - 12;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : event.clientY + 18}px`;
};

for (const place of document.querySelectorAll(".hits rect")) {
  const words = place.firstElementChild.textContent;
  place.firstElementChild.remove(); // or the browser would say it a second time
  place.addEventListener("pointermove", (event) => show(words, event));
  place.addEventListener("pointerleave", hide);
}

// A large heatmap's cells are looked up in its data.
for (const drawn of document.querySelectorAll("svg.figure[data-grid]")) {
  if (drawn.querySelector(".hits")) continue;
  const [left, top, wide, high, rows, columns] = drawn.dataset.grid.split(" ").map(Number);
  const slug = drawn.dataset.of;
  if (!packed(slug) && !document.querySelector(`a.csv[data-of="${CSS.escape(slug)}"]`)) continue;
  let cells;
  drawn.addEventListener("pointermove", async (event) => {
    cells ??= csvOf(slug).then(rowsOf);
    const table = await cells;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawn.getScreenCTM().inverse());
    const row = Math.floor((at.y - top) / high * rows);
    const column = Math.floor((at.x - left) / wide * columns);
    if (row < 0 || column < 0 || row >= rows || column >= columns) return hide();
    const head = table[0];
    const cell = table[1 + row * columns + column];
    const last = head.length - 1;
    const amount = cell[last] === "" ? "unknown" : Number(cell[last]).toLocaleString("en");
    const where = head.slice(0, last).map((name, place) => `${name.toLowerCase()} ${cell[place]}`);
    return show(`${where.join(", ")}: ${amount} ${head[last].toLowerCase()}`, event);
  });
  drawn.addEventListener("pointerleave", hide);
}

const status = Object.assign(document.createElement("div"), { className: "hidden" });
status.setAttribute("role", "status");
document.body.append(status);

const copied = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // not allowed inside another page's frame: the older way
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "hidden" });
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
};

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const done = await copied(await csvOf(button.dataset.of));
    status.textContent = done ? `Copied: ${button.dataset.title}` : "The browser does not allow copying.";
    button.firstChild.data = done ? "Copied" : "Not copied"; // what it is the data of stays
    setTimeout(() => { button.firstChild.data = "Copy data"; }, 2000);
  });
}

for (const button of document.querySelectorAll("button.csv")) {
  button.addEventListener("click", async () => {
    const address = URL.createObjectURL(new Blob([await csvOf(button.dataset.of)], { type: "text/csv" }));
    Object.assign(document.createElement("a"), { href: address, download: `${button.dataset.of}.csv` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  });
}

// Sorting: a heading is pressed; numbers by what they are, texts as people order them, empty cells last.
const order = new Intl.Collator("en", { numeric: true });
const keyOf = (cell) => {
  if (cell.dataset.v !== undefined) return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  const text = cell.textContent.trim();
  if (!text) return null;
  return cell.classList.contains("number") ? Number(text.replaceAll(",", "")) : text;
};
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.append(...head.childNodes);
    head.append(button);
    head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((one) => one.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[place]), row]);
      rows.sort(([a], [b]) => {
        if (a === null || b === null) return (a === null) - (b === null);
        const by = typeof a === "number" ? a - b : order.compare(a, b);
        return down ? -by : by;
      });
      table.tBodies[0].append(...rows.map(([, row]) => row));
    });
  });
}
