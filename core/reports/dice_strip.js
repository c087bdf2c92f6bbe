// Draws the strip of the dice in a browser: where each token lies on it, and where the roll lands. Read after step.js.

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
