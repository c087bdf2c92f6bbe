// Updates only the tokens that changed, so that the text stays in place while it grows.
// A <button> is a box of its own: it would break joined letters and the direction of Arabic and Hebrew. A <span> does not.
function build(text, clickable) {
  const word = element("span");
  if (clickable) { word.role = "button"; word.tabIndex = -1; }
  return placeWord(text, word);
}

export default function ({ parentElement, data, setTriggerValue }) {
  const strip = parentElement.querySelector(".strip");
  const words = strip.querySelector(".words");
  const card = strip.querySelector(".card");
  strip.classList.toggle("branch", Boolean(data.branch));
  strip.classList.toggle("flow", data.flow);
  strip.classList.toggle("shared", data.branch === "muted_text");
  const tint = data.tint === "unsure" ? "doubt" : data.branch || "dice";
  strip.style.setProperty("--tint", `var(--tv-${tint.replace("_", "-")})`);
  const w = data.card;
  words.ariaLabel = w.label;
  if (words.dir !== data.direction) words.dir = data.direction;

  const all = data.prompt.map(([text, id, template]) => ({ text, id, template, step: -1 })).concat(
    data.steps.map(([text, id, depth, forced, model, dice, rank, wanted], i) => ({ text, id, depth, forced, model, dice, rank, wanted, step: data.skipped + i })));
  let caret = words.caret;
  if (!caret) {
    caret = words.caret = element("span", "caret");
    words.places = [];
    words.ask = element("button", "ask");
    words.ask.type = "button";
    words.append(caret, words.ask);
  }
  words.ask.textContent = data.ask;
  words.ask.hidden = !data.ask || data.opened >= 0 || !data.steps.length;
  words.ask.onclick = () => setTriggerValue("asked", data.skipped + data.steps.length - 1);
  const places = words.places;
  const grown = all.length > places.length && places.length > 0;
  while (places.length > all.length) places.pop().remove();

  all.forEach((token, i) => {
    const clickable = token.step >= 0 && data.clickable;
    const sign = token.text + (clickable ? "!" : "");
    let place = places[i];
    const fresh = !place || place.sign !== sign;
    if (fresh) {
      const made = build(token.text, clickable);
      made.sign = sign;
      if (place?.word.matches(":focus")) made.wants = true;
      if (place) place.replaceWith(made); else words.insertBefore(made, caret);
      if (made.wants) made.word.focus();
      place = places[i] = made;
    }
    place.token = token;
    const word = place.word;
    const names = ["token"];
    if (token.step < 0) names.push(token.template ? "prompt template" : "prompt");
    if (token.step >= 0 && token.step === data.accent) names.push("accent");
    if (token.forced) names.push("forced");
    if (token.wanted) names.push("steered");
    if (token.step >= 0 && token.step === data.opened) names.push("opened");
    if (fresh && grown && i === all.length - 1) names.push("fresh");
    const name = names.join(" ");
    if (word.className !== name) word.className = name;
    const depth = token.step < 0 || token.step === data.accent ? 0 : token.depth;
    if (word.tinted !== depth) tintWord(word, word.tinted = depth);
    if (clickable) {
      word.setAttribute("aria-pressed", String(token.step === data.opened));
      word.dataset.step = token.step;
      const said = `${token.text.replace(/^␣/, "")}: ${token.model}${token.wanted ? `; ${w.wanted} ${token.wanted}` : ""}`;
      if (word.ariaLabel !== said) word.ariaLabel = said;
    }
  });

  const before = words.querySelector(".before");
  before.textContent = data.before;
  before.hidden = !data.before;
  before.onclick = () => setTriggerValue("whole", true);

  const [low, scale, high, mark, other] = strip.querySelector(".legend").children;
  [low.textContent, high.textContent, mark.textContent, other.textContent] = [...data.legend, data.forced, data.steered];
  mark.hidden = !data.forced;
  other.hidden = !data.steered;
  scale.hidden = !data.legend[0];

  const count = data.skipped + all.length;
  if (words.count !== count) {
    words.count = count;
    words.scrollTop = words.scrollHeight;
    card.hidden = true;
  }

  words.keepsLast = true;
  roving(words, () => places.filter(place => place.word.role === "button").map(place => place.word));

  const find = event => places.find(place => place.word.contains(event.target));
  words.onclick = event => {
    const place = find(event);
    if (place && data.clickable && place.token.step >= 0) setTriggerValue("opened", place.token.step);
  };
  const leave = event => { if (!card.contains(event.relatedTarget)) card.hidden = true; };
  const show = event => {
    const place = find(event);
    if (!place) { card.hidden = true; return; }
    const token = place.token;
    card.textContent = "";
    const line = (...parts) => {
      const row = element("div");
      row.append(...parts.map(([text, kind]) => element("span", kind, text)));
      card.append(row);
    };
    line([token.text, "piece"], [`  id ${token.id}`, "quiet"]);
    if (token.step < 0) line([w.prompt, "quiet"]);
    else {
      line([`${token.model} `], [`${w.model}, `, "quiet"], [`${token.dice} `], [w.dice, "quiet"]);
      line([`${w.rank} ${token.rank.toLocaleString(document.documentElement.lang || "en")}`], [token.forced ? `  ·  ${w.forced}` : "", "quiet"]);
      if (token.wanted) line([`${w.wanted} `, "quiet"], [token.wanted]);
      if (data.clickable) line([w.again, "quiet"]);
      if (data.ask) {
        const ask = element("button", "ask", data.ask);
        ask.type = "button";
        ask.tabIndex = -1; // the keyboard has the button after the text
        ask.onclick = () => setTriggerValue("asked", token.step);
        card.append(ask);
      }
    }
    placeCard(card, place.word, strip, data.ask ? 0 : 6);
  };
  words.onpointerover = show;
  words.onpointerleave = card.onpointerleave = leave;
  words.shown = show;
  if (!words.ready) { // focusin and focusout have no `on...` property
    words.ready = true;
    words.addEventListener("focusin", event => words.shown(event));
    words.addEventListener("focusout", () => { card.hidden = true; });
    words.addEventListener("keydown", event => { if (event.key === "Escape") card.hidden = true; });
  }
}
