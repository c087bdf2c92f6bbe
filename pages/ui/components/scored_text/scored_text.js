// A text token by token, each tinted. Hover and focus show a token's card, a click keeps it open, arrow keys move.
function build(text, below) {
  const word = element("button", "token");
  word.tabIndex = -1;
  return placeWord(text, word, below);
}

function fillCard(card, { text, head, lines, bars }) {
  const first = element("div");
  first.append(element("span", "piece", text), element("span", "quiet", head ? `  ${head}` : ""));
  card.replaceChildren(first, ...lines.map(line => element("div", "", line)));
  if (!bars.length) return;
  const grid = element("div", "bars");
  for (const [name, share, number, chosen] of bars) {
    const track = element("div", "track");
    const bar = element("div", chosen ? "fill chosen" : "fill");
    bar.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
    track.append(bar);
    grid.append(element("span", chosen ? "name chosen" : "name", name), track, element("span", "number", number));
  }
  card.append(grid);
}

export default function ({ parentElement, data }) {
  const strip = parentElement.querySelector(".strip");
  const words = strip.querySelector(".words");
  const card = strip.querySelector(".card");
  strip.style.setProperty("--size", data.size);
  strip.style.setProperty("--max-height", data.max_height);
  words.setAttribute("aria-label", data.alt);

  const places = words.places ??= [];
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
    tintWord(place.word, depth, colour);
  });
  roving(words, () => places.map(place => place.word));

  const sign = data.words.map(([text]) => text).join("\u0000");
  if (words.sign !== sign) { words.sign = sign; pin(null); card.hidden = true; }
  else if (words.pinned) show(words.pinned);

  function pin(place) {
    if (words.pinned) words.pinned.word.setAttribute("aria-pressed", "false");
    words.pinned = place;
    if (place) place.word.setAttribute("aria-pressed", "true");
  }
  function show(place) {
    card.hidden = !place;
    if (!place) return;
    fillCard(card, place.token);
    placeCard(card, place.word, strip);
  }
  const find = event => places.find(place => place.word.contains(event.target)) ?? null;
  words.onpointerover = event => { const place = find(event); if (place) show(place); };
  words.onpointerleave = () => show(words.pinned);
  words.focused = event => show(event.type === "focusin" ? find(event) : words.pinned);
  if (!words.ready) { // focusin and focusout have no `on...` property
    words.ready = true;
    for (const kind of ["focusin", "focusout"]) words.addEventListener(kind, event => words.focused(event));
  }
  words.onscroll = () => { if (!card.hidden) show(words.pinned); };
  words.onclick = event => { const place = find(event); pin(place && place !== words.pinned ? place : null); show(place ? words.pinned : null); };
  words.onkeydown = event => { if (event.key === "Escape") { pin(null); show(null); } };
}
