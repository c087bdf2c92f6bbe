// Functions that several components share.

const SIGNS = /(⟨[^⟩]*⟩|↵|⇥|␍|␣|⍽)/;

// Writes a token into `word` and returns its place in the text. Leading spaces and line ends stay outside of the word, so that tint and
// outline cover the letters only. below: a text under the token, which then keeps its space.
function placeWord(text, word, below = "") {
  const place = element("span", below ? "stacked" : "");
  const lead = below ? 0 : text.match(/^␣*(?=.)|/s)[0].length;
  for (let i = 0; i < lead; i += 1) {
    const gap = element("span", "space", "␣");
    gap.ariaHidden = "true";
    place.append(gap, element("wbr"));
  }
  for (const part of text.slice(lead).split(SIGNS)) {
    if (part) word.append(SIGNS.test(part) ? element("span", part === "␣" ? "space" : "faint", part) : part);
  }
  place.append(word);
  if (below) place.append(element("span", "below", below));
  else for (const _ of text.match(/↵*$/)[0]) place.append(element("br"));
  place.word = word;
  return place;
}

// Shows a card below an element. `home` is the positioned parent of the card.
function placeCard(card, below, home, gap = 6) {
  card.hidden = false;
  const box = below.getBoundingClientRect(), frame = home.getBoundingClientRect();
  card.style.left = `${Math.max(0, Math.min(box.left - frame.left, frame.width - card.offsetWidth))}px`;
  card.style.top = `${box.bottom - frame.top + gap}px`;
}

// Whether a text field, a list or an editable element has the focus. Buttons, sliders and checkboxes do not count.
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

function focused() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node ?? document.body;
}

function typing(node = focused()) {
  return node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT" || (node.tagName === "INPUT" && !NOT_TYPED.has(node.type));
}

// Makes a group of tokens or bars one Tab stop: arrows move, Home and End go to the ends, Enter and Space click. `find` returns the items.
function roving(group, find) {
  group.rove = find;
  const items = find();
  // While the focus is elsewhere, Tab enters a growing text at its newest token.
  const stop = group.keepsLast && !group.matches(":focus-within") ? items.at(-1) : items.find(item => item.tabIndex === 0) ?? items[0];
  for (const item of items) if ((item.tabIndex === 0) !== (item === stop)) item.tabIndex = item === stop ? 0 : -1;
  if (group.roves) return;
  group.roves = true;
  const turn = (from, to) => {
    for (const item of group.rove()) if (item.tabIndex === 0 && item !== to) item.tabIndex = -1;
    to.tabIndex = 0;
    if (from !== to) to.focus();
  };
  group.addEventListener("focusin", event => { if (group.rove().includes(event.target)) turn(event.target, event.target); });
  group.addEventListener("keydown", event => {
    const all = group.rove();
    const at = all.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const across = group.dataset.down === "" ? { ArrowDown: at + 1, ArrowUp: at - 1 } : { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = { ...across, Home: 0, End: all.length - 1 }[event.key];
    if (to === undefined) {
      if (event.target.tagName !== "BUTTON" && (event.key === "Enter" || event.key === " ")) {
        event.preventDefault();
        event.stopPropagation();
        event.target.click();
      }
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    turn(event.target, all[Math.max(0, Math.min(to, all.length - 1))]);
  });
}

// When a talk began, in milliseconds. Kept for this tab, so that its clock runs on from page to page.
function beganAt(clock) {
  const name = `token-viewer-clock-${clock}`;
  try {
    const began = Number(sessionStorage.getItem(name)) || Date.now();
    sessionStorage.setItem(name, String(began));
    return began;
  } catch { return beganAt[name] ??= Date.now(); }
}

function openNotes() {
  window.open(window.location.pathname.replace(/[^/]*$/, "notes"), "token-viewer-notes", "popup,width=900,height=700");
}
