// The next-token distribution as bars: a list of buttons, each a row with its token, its number and its two bars. A press takes the token.
const FLOOR = 1e-4; // start of the logarithmic axis
const FOLDED = -2; // key of the line of the excluded tokens
const TICKS = { linear: [0, 0.25, 0.5, 0.75, 1], logarithmic: [1e-4, 1e-3, 0.01, 0.1, 1] };

function drawBars(my) {
  const { live, data: { texts, logarithmic } } = my;
  const step = live.data?.refused ? null : live.data?.step;
  const home = my.made("odds", () => buildBars(my));
  home.hidden = !step;
  if (!step) return;
  const scale = share => (logarithmic ? Math.max(0, Math.min(1, 1 - Math.log10(Math.max(share, FLOOR)) / Math.log10(FLOOR))) : share);
  const kind = logarithmic ? "logarithmic" : "linear";
  if (home.axis.kind !== kind) {
    home.axis.kind = kind;
    home.axis.replaceChildren(...TICKS[kind].map(share => {
      const tick = element("span", "", `${Number((100 * share).toPrecision(2)).toLocaleString(document.documentElement.lang || "en")} %`);
      tick.style.left = `${100 * scale(share)}%`;
      return tick;
    }));
  }
  drawLegend(home, my.data.legend);
  home.fold.hidden = step.folded;
  home.why.hidden = !step.why;
  if (home.why.textContent !== step.why) home.why.textContent = step.why;
  const rows = home.rows;
  home.before = live.before(step.index); // the node that a press on one of these bars continues
  rows.ariaLabel = texts.bars;
  rows.classList.toggle("still", live.isFast);
  fill(rows, step.rows + 1, buildBar).forEach((row, i) => {
    const bar = row.bar = step.bars[i] ?? null;
    row.hidden = !bar;
    row.gap.hidden = Boolean(bar);
    if (!bar) return;
    drawRow(row, [bar.label, bar.token_id, scale(bar.model), scale(bar.dice), bar.number, bar.kind]);
    row.dataset.space = bar.space;
    if (row.note.textContent !== bar.note) row.note.textContent = bar.note;
    const said = sentenceOf(bar, texts);
    if (row.ariaLabel !== said) row.ariaLabel = said;
    row.ariaDisabled = String(!my.data.clickable || bar.token_id < 0 && bar.token_id !== FOLDED);
  });
  roving(rows, () => [...rows.children].filter(row => !row.hidden));
  if (home.card.row) showBar(home, home.card.row, texts);
  drawNotes(home.notes, step.notes);
}

// A bar in one sentence, for those who hear the page.
function sentenceOf({ piece, kind, model_text, dice_text, removed_by }, { said, signs }) {
  const bare = piece.replace(/^␣(?=.)/s, "");
  const token = signs[bare] ?? bare.replaceAll("␣", " ").replaceAll("↵", ` ${signs["↵"]} `).trim();
  const values = { token, model: model_text, dice: dice_text, stage: removed_by };
  return (said[kind] ?? said.open).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

// The meaning of each colour; another one for a saved answer.
function drawLegend(home, entries) {
  const text = JSON.stringify(entries);
  if (home.drawnLegend === text) return;
  home.drawnLegend = text;
  home.legend.replaceChildren(...entries.map(([name, meaning]) => {
    const entry = element("span"), colour = element("i");
    colour.style.background = `var(--tv-${name})`;
    entry.append(colour, meaning);
    return entry;
  }), home.fold, home.why);
  home.legend.hidden = !entries.length;
}

function buildBars(my) {
  const { live, data: { texts } } = my;
  const home = element("div", "odds"), legend = home.legend = element("div", "entries");
  home.fold = buildButton("fold", texts.fold, "", "quiet", () => live.press("fold", { index: 0 }));
  home.why = buildButton("why", "", "help_center", "quiet why", () => live.ask("asked", Date.now()));
  home.why.title = texts.why;
  home.rows = element("div", "rows");
  home.rows.role = "group";
  home.rows.dataset.down = "";
  home.axis = element("div", "axis");
  home.axis.ariaHidden = "true";
  home.card = element("div", "card");
  home.card.hidden = true;
  home.notes = element("div", "notes");
  home.append(legend, home.axis, home.rows, home.notes, home.card);
  const find = event => event.target.closest(".bar");
  home.rows.onclick = event => {
    const bar = find(event)?.bar;
    if (!bar || !my.data.clickable) return;
    if (bar.token_id === FOLDED) live.press("fold", { index: 1 });
    else if (bar.token_id >= 0) live.press("force", { node: home.before, token: bar.token_id });
  };
  home.rows.onpointerover = event => showBar(home, find(event), texts);
  home.rows.onpointerleave = () => { showBar(home, null, texts); };
  home.rows.addEventListener("focusin", event => { if (event.target.matches(":focus-visible")) showBar(home, find(event), texts); });
  home.rows.addEventListener("focusout", () => { showBar(home, null, texts); });
  home.rows.addEventListener("keydown", event => { if (event.key === "Escape") showBar(home, null, texts); });
  return home;
}

function buildBar() {
  const row = buildRow(element("button", "bar"), element("span"), element("span"), element("span"));
  row.note = element("span", "note");
  row.gap = element("span", "gap"); // keeps the place of a row that a step does not have
  row.append(row.note);
  return row;
}

// Shows the numbers of a row below it; no row: hides them.
function showBar(home, row, texts) {
  const { card } = home, bar = row?.bar;
  card.row = bar?.piece ? row : null;
  card.hidden = !card.row;
  if (!card.row) return;
  const lines = [["token", bar.piece], ...bar.removed_by ? [["id", bar.id ?? "–"], ["rank", figures(bar.rank)]] : [], ["model", bar.model_text],
    ["dice", bar.dice_text], ...bar.removed_by ? [["logit", figures(bar.logit, 2)], ["removed", bar.removed_by]] : []];
  card.replaceChildren(...lines.flatMap(([name, value]) =>
    [element("span", "quiet", texts.bar_card[name]), element("b", name === "token" ? "piece" : "", value)]));
  placeCard(card, row, home, 2);
}

// A number in the language of the page, "–" without one.
function figures(number, places = 0) {
  const options = { minimumFractionDigits: places, maximumFractionDigits: places };
  return number?.toLocaleString(document.documentElement.lang || "en", options).replace("-", "−") ?? "–";
}

function drawNotes(home, notes) {
  const sign = JSON.stringify(notes);
  if (home.sign === sign) return;
  home.sign = sign;
  home.replaceChildren(...notes.map(([sentence, help]) => Object.assign(element("p", "", sentence), { title: help })));
}
