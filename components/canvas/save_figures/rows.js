// The data of a figure as rows of cells, heads first, and rows as CSV.

const ARRAYS = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array, i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

// Plotly is given arrays as they are, or their bytes in base64 with their type and shape.
function listOf(given) {
  if (given === undefined || given === null) return [];
  if (given.bdata === undefined) return Array.from(given, (one) => (one && typeof one === "object" && "length" in one ? Array.from(one) : one));
  const raw = atob(given.bdata), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  const flat = Array.from(new ARRAYS[given.dtype](bytes.buffer));
  const [rows, columns] = String(given.shape ?? flat.length).split(",").map(Number);
  return columns === undefined ? flat : Array.from({ length: rows }, (_, row) => flat.slice(row * columns, (row + 1) * columns));
}

// Plotly's texts have tags and escapes; a cell has words.
function plain(words) {
  const escapes = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'" };
  return String(words).replace(/<br\s*\/?>/g, " ").replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|amp|quot|#x27);/g, (one) => escapes[one]).trim();
}

function axisOf(chart, letter, trace) {
  return chart.layout[letter + "axis" + (trace[letter + "axis"] ?? letter).slice(1)] ?? {};
}

// Each place along an axis in words: what its bar is called, else what its tick says, else the number itself.
function placesOf(chart, letter, trace) {
  const axis = axisOf(chart, letter, trace), values = listOf(trace[letter]), names = listOf(trace.customdata);
  const count = values.length || listOf(trace[letter === "x" ? "y" : "x"]).length;
  const ticks = new Map(listOf(axis.tickvals).map((at, i) => [at, plain(listOf(axis.ticktext)[i] ?? at)]));
  const along = letter === (trace.orientation === "h" ? "y" : "x");
  return Array.from({ length: count }, (_, i) => {
    const value = values.length ? values[i] : i, name = [names[i]].flat()[0];
    if (along && axis.tickvals && typeof name === "string") return plain(name);
    return along && ticks.has(value) ? ticks.get(value) : value;
  });
}

function headOf(chart, letter, trace) {
  return chart.layout.meta?.[letter] ?? (plain(axisOf(chart, letter, trace).title?.text ?? "") || letter);
}

function flowRows(chart, trace) {
  const names = listOf(trace.node.label).map(plain), to = listOf(trace.link.target), values = listOf(trace.link.value);
  const unit = plain(trace.valuesuffix ?? "") || "value";
  return [["from", "to", unit], ...listOf(trace.link.source).map((from, i) => [names[from], names[to[i]], values[i]])];
}

function gridRows(chart, trace) {
  const cells = listOf(trace.z), wide = cells[0]?.length ?? 0;
  const named = (letter, count) => {
    const axis = axisOf(chart, letter, trace), values = listOf(trace[letter]), texts = listOf(axis.ticktext);
    const ticks = new Map(listOf(axis.tickvals).map((at, i) => [at, plain(texts[i] ?? at)]));
    return Array.from({ length: count }, (_, i) => { const at = values[i] ?? i; return ticks.get(at) ?? at; });
  };
  const columns = named("x", wide), rows = named("y", cells.length);
  const head = [headOf(chart, "y", trace), headOf(chart, "x", trace), plain(trace.name ?? "") || "value"];
  return [head, ...cells.flatMap((line, row) => line.map((value, column) => [rows[row], columns[column], value]))];
}

// Whether a chart has data of its own: it brings a table, names the heads of its axes, or is a flow. Others are drawings, whose
// places on the page are no data.
const hasRows = (figure) => Boolean(figure.layout?.meta?.heads || figure.layout?.meta?.x || figure.data?.some((trace) => trace.type === "sankey"));

// Bars over the same places stand in columns beside each other, everything else line by line.
function plotlyRows(chart) {
  const { heads, columns } = chart.layout.meta ?? {};
  if (heads) return [heads, ...columns[0].map((_, row) => columns.map((cells) => cells[row]))];
  const bars = chart.data.some((trace) => trace.type === "bar");
  // Bars that nobody sees, which take clicks, and numbers written at bars repeat what other traces say.
  const repeats = (trace) => trace.marker?.color === "rgba(0,0,0,0)" || (bars && trace.mode === "text");
  const traces = chart.data.filter((trace) => trace.visible !== false && !repeats(trace));
  const flow = traces.find((trace) => trace.type === "sankey");
  if (flow) return flowRows(chart, flow);
  const grids = traces.filter((trace) => trace.type === "heatmap");
  if (grids.length === traces.length && grids.length) return grids.flatMap((trace, i) => gridRows(chart, trace).slice(i ? 1 : 0));
  const upright = (trace) => trace.orientation !== "h";
  const drawn = traces.filter((trace) => trace.type !== "heatmap").map((trace) => ({
    name: plain(trace.name ?? "") || headOf(chart, upright(trace) ? "y" : "x", trace),
    place: placesOf(chart, upright(trace) ? "x" : "y", trace),
    value: placesOf(chart, upright(trace) ? "y" : "x", trace),
    text: listOf(trace.text),
    head: headOf(chart, upright(trace) ? "x" : "y", trace),
    axes: `${trace.xaxis} ${trace.yaxis}`,
    bar: trace.type === "bar",
  }));
  if (!drawn.length) return [];
  const [first] = drawn, same = (one) => one.bar && one.axes === first.axes && String(one.place) === String(first.place);
  if (drawn.every(same)) {
    return [[first.head, ...drawn.map((one) => one.name)], ...first.place.map((place, i) => [place, ...drawn.map((one) => one.value[i])])];
  }
  const texts = drawn.some((one) => one.text.length);
  return [
    ["series", first.head, "value", ...(texts ? ["text"] : [])],
    ...drawn.flatMap((one) => one.place.map((place, i) => [one.name, place, one.value[i], ...(texts ? [plain(one.text[i] ?? "")] : [])])),
  ];
}

// As all of Reseat's CSV: a text that a spreadsheet would take for a formula has an apostrophe before it.
function cellOf(value) {
  if (value === null || value === undefined || (typeof value === "number" && Number.isNaN(value))) return "";
  if (typeof value === "number") return String(value);
  const words = /^[=+\-@'\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}

const csvOf = (rows) => rows.map((row) => row.map(cellOf).join(",")).join("\n") + "\n";
