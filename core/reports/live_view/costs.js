// What the steps cost: the cache and its gauge, the time of each step, entropy and surprise. Small charts with one column for each step.
const FEWEST = 24, MOST = 60; // columns
const REUSED = 0, COMPUTED = 1, SECONDS = 2, ENTROPY = 3, SURPRISE = 4, PREFILL = 5, TOKEN = 6, BYTES = 7, TIME = 8;

function drawCache(my) {
  const { live, data: { texts } } = my, step = live.data?.step;
  const gauge = my.made("gauge", () => {
    const made = element("div", "gauge"), fill = element("div", "fill");
    made.used = element("b");
    made.filled = element("small");
    fill.append(made.level = element("i"));
    made.append(made.used, made.filled, fill);
    return made;
  });
  gauge.hidden = !step;
  if (!step) return;
  const [used, filled, share, details] = step.gauge;
  [gauge.used.textContent, gauge.filled.textContent, gauge.title] = [used, filled, details];
  gauge.level.style.width = `${100 * Math.min(1, share)}%`;
  drawColumns(my, { height: 104, alt: texts.cache_alt, most: row => (row[REUSED] ?? 0) + (row[COMPUTED] ?? 0) }, (column, row, top) => {
    part(column, "reused", 0, (row?.[REUSED] ?? 0) / top);
    part(column, "computed", (row?.[REUSED] ?? 0) / top, (row?.[COMPUTED] ?? 0) / top);
    column.dataset.label = row?.[PREFILL] ? texts.prefill : "";
  }, row => [[texts.reused, row[REUSED] ?? texts.unmeasured], [texts.computed, row[COMPUTED] ?? texts.unmeasured], [texts.in_use, row[BYTES]]]);
}

function drawTimes(my) {
  const { live, data: { texts } } = my;
  drawColumns(my, { height: 66, alt: texts.times_alt, most: row => (row[SECONDS] ?? 0) * 1000 }, (column, row, top) => {
    part(column, "time", 0, (row?.[SECONDS] ?? 0) * 1000 / top, row?.[PREFILL] ? "computed" : "time");
  }, row => [[texts.time, row[TIME]]]);
  drawNotes(my.made("notes", () => element("div", "notes")), live.data?.step?.times ?? []);
}

function drawSurprise(my) {
  const { data: { texts } } = my;
  const bits = value => (value == null ? "–" : texts.bits.replace("{bits}", figures(value, 1)));
  drawColumns(my, { height: 84, alt: texts.surprise_alt, most: row => Math.max(row[ENTROPY] ?? 0, row[SURPRISE] ?? 0) }, (column, row, top) => {
    part(column, "entropy", 0, (row?.[ENTROPY] ?? 0) / top);
    column.bars.entropy.hidden = row?.[ENTROPY] == null; // its upper edge is a line
    const dot = column.dot ??= column.appendChild(element("i", "dot"));
    dot.hidden = row?.[SURPRISE] == null;
    dot.style.bottom = `${100 * (row?.[SURPRISE] ?? 0) / top}%`;
  }, row => [[texts.token, row[TOKEN]], [texts.entropy, bits(row[ENTROPY])], [texts.surprise, bits(row[SURPRISE])]]);
}

// Draws a column for each of the newest steps, the places for later ones, and the axis. lines: of the card of a step.
function drawColumns(my, { height, alt, most }, drawColumn, lines) {
  const { live } = my;
  const chart = my.made("chart", () => buildChart(my, height));
  const rows = live.series.slice(-MOST), first = live.from + live.series.length - rows.length;
  chart.hidden = Boolean(live.data?.refused);
  const top = roundedUp(rows.reduce((largest, row) => Math.max(largest, most(row)), 0));
  const { columns } = chart;
  chart.tops.forEach((tick, i) => { tick.textContent = rows.length && top ? short(top / (i + 1)) : ""; });
  chart.lines = i => (rows[i] ? [[my.data.texts.step, first + i + 1], ...lines(rows[i])] : null);
  fill(columns, Math.max(FEWEST, rows.length), () => element("div")).forEach((column, i) => drawColumn(column, rows[i], top || 1));
  const said = rows.slice(-12).map((row, i) => chart.lines(rows.length - Math.min(12, rows.length) + i).map(pair => pair.join(" ")).join(", "));
  columns.ariaLabel = [alt, said.join("; ")].filter(Boolean).join(" ");
  if (chart.card.column) showColumn(chart, chart.card.column);
}

function buildChart(my, height) {
  const chart = element("div", "chart");
  chart.columns = element("div", "columns");
  chart.columns.role = "img";
  chart.columns.style.height = `${height - 14}px`;
  chart.tops = [element("span"), element("span", "half")];
  chart.card = element("div", "card");
  chart.card.hidden = true;
  chart.append(...chart.tops, chart.columns, chart.card);
  chart.columns.onpointerover = event => showColumn(chart, event.target.closest(".columns > *"));
  chart.columns.onpointerleave = () => showColumn(chart, null);
  return chart;
}

function showColumn(chart, column) {
  const lines = column && chart.lines([...chart.columns.children].indexOf(column));
  chart.card.column = lines ? column : null;
  chart.card.hidden = !lines;
  if (!lines) return;
  chart.card.replaceChildren(...lines.flatMap(([name, value]) => [element("span", "quiet", name), element("b", "", String(value))]));
  placeCard(chart.card, column, chart, 2);
}

// Sets a part of a column: where it begins and how high it is, as shares of the chart. name: its colour, by default that of the part.
function part(column, slot, bottom, height, name = slot) {
  const bar = (column.bars ??= {})[slot] ??= column.appendChild(element("i"));
  bar.className = name;
  bar.style.bottom = `${100 * bottom}%`;
  bar.style.height = `${100 * height}%`;
}

// The next larger number of the form 1, 2 or 5 times a power of ten, for an axis; 0 for 0.
function roundedUp(largest) {
  if (!largest) return 0;
  const size = 10 ** Math.floor(Math.log10(largest));
  return size * [1, 2, 3, 4, 5, 6, 8, 10].find(times => times * size >= largest * 0.9999);
}

function short(number) {
  return Number(number.toPrecision(2)).toLocaleString(document.documentElement.lang || "en", { notation: "compact" });
}
