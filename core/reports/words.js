// Draws a text token by token in a browser. Updates only the tokens that changed, so that the text stays in place while it grows.

const SIGNS = /(⟨[^⟨⟩]*⟩|↵|⇥|␍|␣|⍽)/;
const CHARACTERS = { "␣": " ", "⇥": "\t", "⍽": "\u00a0", "↵": "" }; // what a sign stands for; a line end becomes a <br>

// Returns a sign as words.css draws it. A copy of the text has the character in its place.
function signOf(sign) {
  const drawn = element("span", sign === "␣" ? "space" : "faint", sign in CHARACTERS ? "" : sign);
  if (sign in CHARACTERS) {
    drawn.dataset.sign = sign;
    drawn.append(element("i", "", CHARACTERS[sign]));
  }
  return drawn;
}

// Writes a token into `word` and returns its place in the text. Leading spaces and line ends stay outside of the word, so that tint and
// outline cover the letters only. text: with signs, or as the model wrote it.
// below: a text under the token, which then keeps its space. A copy is without it.
function placeWord(text, word, below = "") {
  const signed = text.replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥");
  const place = element("span", below ? "stacked" : "");
  const lead = below ? 0 : signed.match(/^␣*(?=.)|/s)[0].length;
  for (let i = 0; i < lead; i += 1) {
    const gap = signOf("␣");
    gap.ariaHidden = "true";
    place.append(gap, element("wbr"));
  }
  let end = signed.length;
  while (end > lead && signed[end - 1] === "↵") end -= 1;
  for (const part of signed.slice(lead, end).split(SIGNS)) {
    if (part) word.append(SIGNS.test(part) ? signOf(part) : part);
    if (part === "↵") word.append(element("br"));
  }
  for (let i = end; i < signed.length; i += 1) word.append(signOf("↵"));
  if (word.tagName === "BUTTON" && ![...signed].some(sign => !(sign in CHARACTERS))) word.ariaLabel = signed; // drawn by the style sheet alone
  place.append(word);
  if (below) place.dataset.below = below;
  for (let i = end; i < signed.length; i += 1) place.append(element("br"));
  place.word = word;
  return place;
}

// The same without signs: spaces and line ends are characters, as on the stage.
function placePlain(text, word) {
  const place = element("span"), written = plain(text), lead = written.trim() === "" ? "" : written.match(/^ */)[0];
  word.textContent = written.slice(lead.length);
  place.append(lead, word);
  return Object.assign(place, { word, isMark: MARK.test(text) });
}

const MARK = /^⟨.*⟩$/; // a special token
const plain = text => text.replaceAll("␣", " ").replaceAll("↵", "\n");

function buildStrip() {
  const strip = element("div", "strip"), words = element("div", "words"), legend = element("div", "legend"), card = element("div", "card");
  words.role = "group";
  words.places = [];
  words.before = element("button", "before");
  words.caret = element("span", "caret");
  [words.ask, words.left] = [element("button", "ask"), element("button", "back")];
  card.hidden = true;
  words.append(words.before, words.caret, words.ask, words.left);
  legend.append(element("span"), element("i"), element("span"), element("b"), element("b", "steered"));
  strip.append(words, legend, card);
  Object.assign(strip, { words, legend, card });
  const leave = event => { if (!card.contains(event.relatedTarget)) card.hidden = true; };
  const show = event => strip.show(words.places.find(place => place.word.contains(event.target)));
  words.onpointerover = show;
  words.onpointerleave = card.onpointerleave = leave;
  words.addEventListener("focusin", show);
  words.addEventListener("focusout", () => { card.hidden = true; });
  words.addEventListener("keydown", event => { if (event.key === "Escape") card.hidden = true; });
  words.onclick = event => {
    const place = words.places.find(place => place.word.contains(event.target));
    if (place?.word.role === "button") strip.open(place.token.step);
  };
  words.keepsLast = true;
  words.onscroll = () => { words.isLeft = words.scrollTop + words.clientHeight < words.scrollHeight - 4; }; // by the reader, for an earlier line
  new ResizeObserver(() => { if (!words.isLeft) showEnd(words); }).observe(words);
  return strip;
}

// tokens: {text, id, step (-1 in the prompt), template, depth, forced, model, dice, rank, wanted}. opened, accent: steps. isPlain: without
// signs. card, legend, before, ask, left, forced, steered: words; nothing is drawn without them. act: what a press does: open(step),
// ask(step), whole() for the earlier tokens, left() for a text that was left.
function drawWords(strip, { tokens, tint, branch, flow, direction, opened = -1, accent, clickable, isPlain, ...more }, act = {}) {
  const { words, card, legend } = strip, { places } = words;
  strip.classList.toggle("branch", Boolean(branch));
  strip.classList.toggle("flow", Boolean(flow));
  strip.classList.toggle("shared", branch === "muted_text");
  strip.style.setProperty("--tint", `var(--tv-${(tint === "unsure" ? "doubt" : branch || "dice").replace("_", "-")})`);
  const said = { before: "", ask: "", left: "", legend: ["", ""], forced: "", steered: "", ...more };
  if (said.card) words.ariaLabel = said.card.label;
  if (words.dir !== direction) words.dir = direction;

  const grown = tokens.length > places.length && places.length > 0;
  while (places.length > tokens.length) places.pop().remove();
  tokens.forEach((token, i) => {
    const written = token.step >= 0, pressable = written && clickable;
    const sign = token.text + (pressable ? "!" : "");
    let place = places[i];
    const fresh = place?.sign !== sign;
    if (fresh) {
      // A <button> is a box of its own: it would break joined letters and the direction of Arabic and Hebrew. A <span> does not.
      const made = (isPlain ? placePlain : placeWord)(token.text, Object.assign(element("span"), pressable ? { role: "button", tabIndex: -1 } : {}));
      const focused = place?.word.matches(":focus");
      if (place) place.replaceWith(made); else words.insertBefore(made, words.caret);
      if (focused) made.word.focus();
      place = places[i] = Object.assign(made, { sign });
    }
    place.token = token;
    const { word } = place, isAccent = written && token.step === accent, isOpened = written && token.step === opened;
    const name = ["token", !written && "prompt", token.template && "template", isAccent && "accent", token.forced && "forced", token.wanted && "steered",
      isOpened && "opened", fresh && grown && i === tokens.length - 1 && "fresh", place.isMark && "mark"].filter(Boolean).join(" ");
    if (word.className !== name) word.className = name;
    const depth = written && !isAccent ? token.depth : 0;
    if (word.tinted !== depth) tintWord(word, word.tinted = depth);
    if (!pressable) return;
    word.ariaPressed = String(isOpened);
    word.dataset.step = token.step;
    const label = `${token.text.replace(/^␣/, "")}: ${token.model}${token.wanted ? `; ${said.card.wanted} ${token.wanted}` : ""}`;
    if (word.ariaLabel !== label) word.ariaLabel = label;
  });

  words.before.textContent = said.before;
  words.before.hidden = !said.before;
  words.before.onclick = act.whole;
  words.ask.textContent = said.ask;
  words.ask.hidden = !said.ask || opened >= 0 || !(tokens.at(-1)?.step >= 0);
  words.ask.onclick = () => act.ask(tokens.at(-1).step);
  words.left.textContent = said.left;
  words.left.hidden = !said.left;
  words.left.onclick = act.left;
  const [low, scale, high, mark, other] = legend.children;
  [low.textContent, high.textContent, mark.textContent, other.textContent] = [...said.legend, said.forced, said.steered];
  mark.hidden = !said.forced;
  other.hidden = !said.steered;
  scale.hidden = !said.legend[0];

  // Its end is kept in view, also when another token takes the place of the newest one. After all that is drawn now: a scroll needs a layout.
  const last = `${tokens.length} ${tokens.at(-1)?.step} ${tokens.at(-1)?.id}`, isNew = words.last !== last;
  words.last = last;
  if (isNew) card.hidden = true;
  if (isNew || !words.isLeft) queueMicrotask(() => showEnd(words));
  roving(words, () => places.filter(place => place.word.role === "button").map(place => place.word));
  strip.open = act.open;
  strip.show = place => { if (said.card) showToken(strip, place, said, clickable, act); };
}

function showEnd(words) {
  words.scrollTop = words.scrollHeight;
}

// Shows the numbers of a token below it; no place: hides them.
function showToken(strip, place, { card: names, ask }, clickable, act) {
  const { card } = strip;
  card.hidden = !place;
  if (!place) return;
  const { token } = place;
  const lines = token.step < 0 ? [[[names.prompt, "quiet"]]] : [
    [[`${token.model} `], [`${names.model}, `, "quiet"], [`${token.dice} `], [names.dice, "quiet"]],
    [[`${names.rank} ${token.rank.toLocaleString(document.documentElement.lang || "en")}`], [token.forced ? `  ·  ${names.forced}` : "", "quiet"]],
    token.wanted && [[`${names.wanted} `, "quiet"], [token.wanted]],
    clickable && [[names.again, "quiet"]],
  ];
  card.replaceChildren(...[[[token.text, "piece"], [`  id ${token.id}`, "quiet"]], ...lines].filter(Boolean).map(parts => {
    const line = element("div");
    line.append(...parts.map(([text, kind]) => element("span", kind, text)));
    return line;
  }));
  if (ask && token.step >= 0) {
    const button = element("button", "ask", ask);
    button.tabIndex = -1; // the keyboard has the button after the text
    button.onclick = () => act.ask(token.step);
    card.append(button);
  }
  placeCard(card, place.word, strip, ask ? 0 : 6);
}
