// What every drawing of a step in a browser needs: elements, rows of bars, tints, cards, groups of buttons. The app's components and the
// offline page share it.

function element(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  if (tag === "button") node.type = "button";
  return node;
}

// Keeps the first `count` children of an element; makes those that lack and removes the others. Returns them.
function fill(home, count, make) {
  while (home.children.length < count) home.append(make());
  while (home.children.length > count) home.lastElementChild.remove();
  return [...home.children];
}

// Sets how strongly a word is tinted, 0 to 1, and with which colour of the palette.
function tintWord(word, depth, colour) {
  word.style.setProperty("--depth", `${100 * depth}%`);
  if (colour) word.style.setProperty("--tint", `var(--tv-${colour.replace("_", "-")})`);
}

// Makes a row of bars from an element and the elements of its label, its two bars and its number.
function buildRow(row, label, room, number) {
  label.className = "label";
  room.className = "room";
  number.className = "number";
  room.append(element("i", "model"), element("i", "used"));
  row.append(label, room, number);
  return row;
}

// Updates a row in place, so that CSS can animate it. Kind: "open", "removed" or "rest"; names: more classes.
function drawRow(row, [label, , model, used, number, kind], ...names) {
  row.className = ["bar", kind, ...names].filter(Boolean).join(" ");
  row.children[0].textContent = label;
  row.children[2].textContent = number;
  const [pale, solid] = row.children[1].children;
  pale.style.setProperty("--share", model);
  solid.style.setProperty("--share", used);
}

// Shows a card below an element, or above it where the window ends. `home` is the positioned parent of the card.
const FOOT = 64; // pixels at the lower edge of a window, where a player stands

function placeCard(card, below, home, gap = 6) {
  card.hidden = false;
  card.style.left = 0; // where it has its own width
  const box = below.getBoundingClientRect(), frame = home.getBoundingClientRect();
  card.style.left = `${Math.max(0, Math.min(box.left - frame.left, frame.width - card.offsetWidth))}px`;
  const above = box.top - gap - card.offsetHeight, isLow = box.bottom + gap + card.offsetHeight > window.innerHeight - FOOT;
  card.style.top = `${(isLow && above > 0 ? above : box.bottom + gap) - frame.top}px`;
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

// Says a sentence to screen readers in this element; in Play at most one a second, the newest.
const ANNOUNCED = 1000; // milliseconds between two sentences

function announceIn(region, sentence) {
  region.role = "status";
  region.ariaLive = "polite";
  region.latest = sentence;
  if (region.waiting || region.textContent === sentence) return;
  region.waiting = setTimeout(() => {
    region.waiting = 0;
    if (region.textContent === region.latest) return;
    region.textContent = region.latest;
    region.at = performance.now();
  }, Math.max(0, (region.at ?? -ANNOUNCED) + ANNOUNCED - performance.now()));
}
