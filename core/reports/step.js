// Draws a step in a browser: rows of bars, the strip of the dice, the tint of a word. The app's components and the offline page share it.

function element(tag, name, text) {
  const node = document.createElement(tag);
  if (name) node.className = name;
  if (text !== undefined) node.textContent = text;
  if (tag === "button") node.type = "button";
  return node;
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

// Draws the segments of the dice. A token keeps its element between draws, so that CSS can move it. Returns the element of the chosen one.
function drawStrip(track, segments, fallen = true) {
  const kept = track.parts ?? new Map(), next = new Map();
  const width = track.clientWidth || 600, size = parseFloat(getComputedStyle(track).fontSize);
  let rest = 0, taken = null;
  segments.forEach(([key, label, start, end, chosen, share], i) => {
    const name = key < 0 ? `rest${rest++}` : String(key);
    const part = kept.get(name) ?? element("div");
    kept.delete(name);
    next.set(name, part);
    if (!part.parentNode) track.append(part);
    const room = (end - start) * width, marked = chosen && fallen;
    part.className = `part${key < 0 ? " bundle" : ""}${i % 2 ? " odd" : ""}${room < 6 ? " thin" : ""}${marked ? " chosen" : ""}`;
    part.style.left = `${100 * start}%`;
    part.style.width = `${100 * (end - start)}%`;
    part.title = `${label} · ${share}`;
    const text = room > 0.6 * size * label.length + 6 ? label : "";
    if (part.textContent !== text) part.textContent = text;
    if (marked) taken = part;
  });
  for (const part of kept.values()) part.remove();
  track.parts = next;
  return taken;
}

// Puts the marker at the roll. Near an end of the strip it stands beside the roll and points at it. names: more classes.
function drawRoll(marker, roll, text, names = "") {
  marker.textContent = text;
  marker.style.left = `${100 * roll}%`;
  const side = roll < 0.05 ? " left" : roll > 0.95 ? " right" : "";
  const name = `marker fallen${side}${names}`;
  if (marker.className !== name) marker.className = name;
}
