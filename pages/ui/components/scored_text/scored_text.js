// A text, word by word, each tinted; hover shows what stands behind a word, a click keeps it open, arrow keys walk along.
const BYTES = /(⟨[^⟩]*⟩|↵|⇥|␍|␣|⍽)/;

function element(kind, className, text) {
  const made = document.createElement(kind);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

function build(text, below) {
  const place = element("span", below ? "stacked" : "");
  const word = element("button", "token");
  word.type = "button";
  word.tabIndex = -1;
  const lead = !below && text.length > 1 && text.startsWith("␣") ? 1 : 0;
  if (lead) place.append(element("span", "space", "␣"), element("wbr"));
  for (const part of text.slice(lead).split(BYTES)) {
    if (!part) continue;
    word.append(BYTES.test(part) ? element("span", part === "␣" ? "space" : "faint", part) : part);
  }
  place.append(word);
  if (below) place.append(element("span", "below", below));
  else for (const _ of text.match(/↵*$/)[0]) place.append(element("br"));
  place.word = word;
  return place;
}

function fillCard(card, { text, head, lines, bars }) {
  card.textContent = "";
  const first = element("div");
  first.append(element("span", "piece", text), element("span", "quiet", head ? `  ${head}` : ""));
  card.append(first);
  for (const line of lines) card.append(element("div", "", line));
  if (!bars.length) return;
  const grid = element("div", "bars");
  for (const [name, share, number, taken] of bars) {
    const track = element("div", "track");
    const bar = element("div", taken ? "fill taken" : "fill");
    bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    track.append(bar);
    grid.append(element("span", taken ? "name taken" : "name", name), track, element("span", "number", number));
  }
  card.append(grid);
}

export default function ({ parentElement, data }) {
  const strip = parentElement.querySelector(".strip");
  const words = strip.querySelector(".words");
  const card = strip.querySelector(".card");
  const c = data.colours;
  const paint = { "--chosen": c.chosen, "--chosen-text": c.chosen_text, "--muted": c.muted_text, "--dice": c.dice, "--model": c.model, "--line": c.line, "--card": c.card, "--size": data.size, "--tall": data.tall };
  for (const [name, value] of Object.entries(paint)) strip.style.setProperty(name, value);
  words.setAttribute("aria-label", data.alt);

  const places = words.places ?? (words.places = []);
  while (places.length > data.words.length) places.pop().remove();
  data.words.forEach(([text, colour, depth, marked, head, lines, bars, below], i) => {
    let place = places[i];
    if (!place || place.sign !== text + below) {
      const made = build(text, below);
      made.sign = text + below;
      if (place) place.replaceWith(made); else words.append(made);
      place = places[i] = made;
    }
    place.token = { text, head, lines, bars };
    place.word.className = marked ? "token marked" : "token";
    place.word.style.backgroundColor = depth > 0 ? `color-mix(in srgb, ${c[colour]} ${Math.round(depth * 100)}%, transparent)` : "transparent";
  });
  if (places.length && !places.some(place => place.word.tabIndex === 0)) places[0].word.tabIndex = 0;

  const sign = data.words.map(([text]) => text).join("\u0000");
  if (words.sign !== sign) { words.sign = sign; pin(null); card.hidden = true; }
  else if (words.pinned) show(words.pinned);

  function pin(place) {
    if (words.pinned) words.pinned.word.setAttribute("aria-pressed", "false");
    words.pinned = place;
    if (place) place.word.setAttribute("aria-pressed", "true");
  }
  function show(place) {
    if (!place) { card.hidden = true; return; }
    fillCard(card, place.token);
    card.hidden = false;
    const box = place.word.getBoundingClientRect();
    const home = strip.getBoundingClientRect();
    card.style.left = `${Math.max(0, Math.min(box.left - home.left, home.width - card.offsetWidth))}px`;
    card.style.top = `${box.bottom - home.top + 6}px`;
  }
  const find = event => places.find(place => place.word.contains(event.target)) ?? null;
  words.onpointerover = event => { const place = find(event); if (place) show(place); };
  words.onpointerleave = () => show(words.pinned);
  words.focused = event => show(event.type === "focusin" ? find(event) : words.pinned);
  if (!words.ready) { // these two have no `on...` of their own
    words.ready = true;
    for (const kind of ["focusin", "focusout"]) words.addEventListener(kind, event => words.focused(event));
  }
  words.onscroll = () => { if (!card.hidden) show(words.pinned); };
  words.onclick = event => { const place = find(event); pin(place && place !== words.pinned ? place : null); show(place ? words.pinned : null); };
  words.onkeydown = event => {
    if (event.key === "Escape") { pin(null); show(null); return; }
    const at = places.findIndex(place => place.word === event.target);
    const next = places[at + ({ ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0)];
    if (at < 0 || !next || next.word === event.target) return;
    event.preventDefault();
    event.stopPropagation();
    event.target.tabIndex = -1;
    next.word.tabIndex = 0;
    next.word.focus();
  };
}
