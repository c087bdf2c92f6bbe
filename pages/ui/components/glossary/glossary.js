// Explains the terms in a page's text. React owns the page's nodes, so transparent buttons are laid over the terms, in a layer that
// scrolls with them. The underlines are highlights of the text itself, so they move with it. All buttons are one Tab stop; arrows move
// among them.
const TEXT = `${STREAMLIT.markdown}, ${STREAMLIT.caption}, ${STREAMLIT.html}`;
const NOT = `.tv-screen-reader, .tv-tinted, .tv-drafts, .tv-board, .st-key-unseen, details:not([open]), summary, button, a, input, textarea, select, svg, code, pre, h1, [role="dialog"], [role="option"], [role="radio"], ${STREAMLIT.plainText}, ${STREAMLIT.tooltip}`;
const PLACES = `${STREAMLIT.main}, ${STREAMLIT.sidebarContent}`;
const MOST = 160;
const STYLE = `
  .tv-terms { position: absolute; top: 0; left: 0; width: 0; height: 0; z-index: 1; }
  .tv-term { position: absolute; padding: 0; margin: 0; border: 0; background: none; cursor: help; border-radius: 4px; -webkit-tap-highlight-color: transparent; }
  ::highlight(tv-term) { text-decoration: underline dotted 1px color-mix(in srgb, currentColor 70%, transparent); text-underline-offset: 0.24em; }
  @media (forced-colors: active) { ::highlight(tv-term) { color: CanvasText; background-color: Canvas; } }
  @media print { .tv-terms { display: none; } }
  .tv-term:focus-visible { outline: 2px solid var(--tv-dice); outline-offset: 1px; }
  .tv-card { position: fixed; z-index: 1000010; box-sizing: border-box; width: min(21rem, calc(100vw - 24px)); padding: 0.7rem 0.9rem; border-radius: 0.7rem; border: 1px solid var(--tv-line);
    background: var(--tv-card); color: var(--tv-text); font: 400 0.95rem/1.5 "Source Sans", sans-serif; box-shadow: 0 8px 28px rgb(0 0 0 / 0.2); }
  .tv-card[hidden] { display: none; }
  .tv-card b { display: block; font-weight: 600; margin-bottom: 0.15rem; }
  .tv-card p { margin: 0; }
  .tv-card button { margin: 0.35rem 0 0; padding: 0.25rem 0; min-height: 28px; border: 0; background: none; color: var(--tv-dice-text); font: inherit; text-decoration: underline; text-underline-offset: 0.2em; cursor: pointer; }
  .tv-card button:focus-visible { outline: 2px solid var(--tv-dice); outline-offset: 2px; }
  @media (pointer: coarse) { .tv-card button { min-height: 44px; } }
`;

function make() {
  document.head.append(element("style", "", STYLE));
  const card = element("div", "tv-card");
  card.id = "tv-card";
  card.hidden = true;
  document.body.append(card);
  const state = { terms: new Map(), pattern: null, layers: new Map(), card, timer: 0, hiding: 0, current: null, label: "", see: "", here: "", go: () => {} };
  const later = () => { if (!state.timer) state.timer = setTimeout(() => { state.timer = 0; scan(state); }, 600); };
  new MutationObserver(changes => {
    if (changes.some(change => !(change.target.closest?.(".tv-terms, .tv-card")))) later();
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
  state.sizes = new ResizeObserver(later);
  window.addEventListener("resize", later);
  state.later = later;
  card.addEventListener("pointerenter", () => clearTimeout(state.hiding));
  card.addEventListener("pointerleave", () => hide(state));
  card.addEventListener("focusout", event => { if (!card.contains(event.relatedTarget) && event.relatedTarget !== state.current) hide(state, 0); });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || card.hidden) return;
    if (card.contains(document.activeElement)) state.current?.focus();
    hide(state, 0);
    event.stopPropagation();
  }, true);
  document.addEventListener("scroll", () => { if (!card.hidden) hide(state, 0); }, true);
  document.addEventListener("pointerdown", event => { if (!card.hidden && !card.contains(event.target) && !event.target.closest?.(".tv-term")) hide(state, 0); }, true);
  return state;
}

function uses(state, root) {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, node => {
    const home = node.parentElement;
    return home && home.closest(TEXT) && !home.closest(NOT) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT;
  });
  for (let node = walker.nextNode(); node && found.length < MOST; node = walker.nextNode()) {
    for (const match of node.data.matchAll(state.pattern)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const box = range.getClientRects()[0], table = node.parentElement.closest("table");
      if (table && box && box.right > table.getBoundingClientRect().right + 1) continue; // a wide table scrolls
      if (box && box.width > 2) found.push({ box, range, text: match[0], term: state.terms.get(match[1].toLowerCase()) });
    }
  }
  return found;
}

function scan(state) {
  const kept = new Set();
  const seen = new Set();
  const underlined = [];
  for (const root of document.querySelectorAll(PLACES)) {
    let layer = state.layers.get(root);
    if (!layer) {
      layer = element("div", "tv-terms");
      layer.setAttribute("role", "group");
      root.append(layer);
      state.layers.set(root, layer);
      for (const inner of root.children) state.sizes.observe(inner);
      if (root.firstElementChild?.firstElementChild) state.sizes.observe(root.firstElementChild.firstElementChild);
    }
    kept.add(root);
    if (getComputedStyle(root).position === "static") root.style.position = "relative";
    layer.setAttribute("aria-label", state.label);
    layer.hidden = false;
    const home = layer.getBoundingClientRect();
    const all = state.pattern ? uses(state, root) : [];
    while (layer.children.length > all.length) layer.lastElementChild.remove();
    all.forEach(({ box, range, text, term }, i) => {
      let spot = layer.children[i];
      if (!spot) {
        spot = element("button", "tv-term");
        spot.tabIndex = -1;
        listen(state, spot);
        layer.append(spot);
      }
      const width = Math.max(24, box.width + 6);
      const height = Math.max(24, box.height);
      const style = `left:${(box.left + box.width / 2 - width / 2 - home.left).toFixed(1)}px;top:${(box.top + box.height / 2 - height / 2 - home.top).toFixed(1)}px;width:${width.toFixed(1)}px;height:${height.toFixed(1)}px`;
      if (spot.placed !== style) spot.style.cssText = spot.placed = style;
      if (!seen.has(term.title)) underlined.push(range);
      seen.add(term.title);
      if (spot.text !== text) spot.setAttribute("aria-label", spot.text = text);
      spot.term = term;
    });
    layer.hidden = all.length === 0;
    roving(layer, () => [...layer.children]);
  }
  if (window.CSS?.highlights) CSS.highlights.set("tv-term", new Highlight(...underlined)); // an old browser shows no underlines
  for (const [root, layer] of state.layers) if (!kept.has(root)) { layer.remove(); state.layers.delete(root); }
}

function listen(state, spot) {
  spot.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") show(state, spot); });
  spot.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hide(state); });
  spot.addEventListener("focus", () => show(state, spot));
  spot.addEventListener("blur", event => { if (!state.card.contains(event.relatedTarget)) hide(state, 0); });
  spot.addEventListener("click", () => show(state, spot));
  spot.addEventListener("keydown", event => {
    if (event.key === "Tab" && !event.shiftKey && !state.card.hidden && state.card.querySelector("button")) {
      event.preventDefault();
      state.card.querySelector("button").focus();
    }
  });
}

function show(state, spot) {
  clearTimeout(state.hiding);
  const { card } = state;
  const { title, text, page, named } = spot.term;
  state.current = spot;
  card.textContent = "";
  card.append(element("b", "", title), element("p", "", text));
  spot.setAttribute("aria-describedby", card.id);
  if (page && page !== state.here) {
    const way = element("button", "", state.see.replace("{page}", named));
    way.addEventListener("click", () => { hide(state, 0); state.go(page); });
    way.addEventListener("keydown", event => {
      if (event.key === "Tab") { event.preventDefault(); spot.focus(); hide(state, 0); }
    });
    card.append(way);
  }
  card.hidden = false;
  const box = spot.getBoundingClientRect();
  const below = box.bottom + 6 + card.offsetHeight < innerHeight;
  card.style.left = `${Math.max(12, Math.min(box.left, innerWidth - card.offsetWidth - 12))}px`;
  card.style.top = `${Math.max(8, below ? box.bottom + 6 : box.top - card.offsetHeight - 6)}px`;
}

function hide(state, wait = 220) {
  clearTimeout(state.hiding);
  state.hiding = setTimeout(() => { state.card.hidden = true; }, wait);
}

export default function ({ data, setTriggerValue }) {
  const state = window.tokenViewerGlossary ??= make();
  state.terms = new Map();
  for (const [title, names, text, page, named] of data.terms) for (const name of names) state.terms.set(name.toLowerCase(), { title, text, page, named });
  const names = [...state.terms.keys()].sort((a, b) => b.length - a.length).map(name => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  state.pattern = names.length ? new RegExp(`(?<![\\p{L}\\p{N}-])(${names.join("|")})s?(?![\\p{L}\\p{N}-])`, "giu") : null;
  Object.assign(state, { label: data.label, see: data.see, here: data.here, go: page => setTriggerValue("go", page) });
  state.later();
}
