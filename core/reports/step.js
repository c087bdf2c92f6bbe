// Draws a step in a browser: rows of bars and the tint of a word. The app's components and the offline page share it.

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
