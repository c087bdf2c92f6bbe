// Draws the strip of the dice in a browser: where each token lies on it, and where the roll lands. Read after step.js.
function buildDice() {
  const dice = element("div", "dice"), sky = element("div", "sky"), ground = element("div", "ground"), foot = element("div", "ends");
  Object.assign(dice, { marker: element("div", "marker"), track: element("div", "track"), spot: element("div", "spot"), told: element("span", "told") });
  dice.spot.hidden = true;
  dice.track.role = "img";
  sky.append(dice.marker);
  ground.append(dice.spot);
  foot.append(element("span", "", "0"), dice.told, element("span", "", "1"));
  dice.append(sky, dice.track, ground, foot);
  new ResizeObserver(() => measure(dice)).observe(dice.track);
  return dice;
}

// still: without animation. throw: another value lets the roll fall again. fallen: whether the chosen token is marked. waits: for its roll.
function drawDice(dice, drawn) {
  const { segments, roll, roll_text, caption = "", alt = "", still = false, throw: thrown, fallen = true, waits = false } = drawn;
  const { marker, spot, track } = dice;
  dice.drawn = drawn;
  if (track.ariaLabel !== alt) track.ariaLabel = alt;
  dice.classList.toggle("still", still);
  const taken = drawStrip(track, segments, fallen), isNarrow = Boolean(taken?.classList.contains("thin")); // a mark below it shows the place
  spot.hidden = !isNarrow;
  if (isNarrow) {
    spot.style.left = `${parseFloat(taken.style.left) + parseFloat(taken.style.width) / 2}%`;
    spot.title = taken.title;
  }
  if (dice.told.textContent !== caption) dice.told.textContent = caption;
  if (roll === null) {
    marker.className = waits ? "marker rolling" : "marker";
    marker.textContent = waits ? "?" : "";
    dice.thrown = "";
    return;
  }
  const falls = dice.thrown !== thrown && !still;
  drawRoll(marker, roll, roll_text, falls ? "" : marker.classList.contains("falling") ? " falling" : "");
  if (falls) {
    void marker.offsetWidth;
    marker.classList.add("falling");
  }
  dice.thrown = thrown;
}

// Keeps the width of the strip and the size of its letters, so that a draw forces no layout, and draws it again with the labels that fit.
function measure(dice) {
  const { track } = dice, width = track.clientWidth || 600, size = parseFloat(getComputedStyle(track).fontSize);
  if (width === track.width && size === track.size) return;
  Object.assign(track, { width, size });
  if (dice.drawn) drawDice(dice, dice.drawn);
}

// Draws the segments of the dice. A token keeps its element between draws, so that CSS can move it. Returns the element of the chosen one.
function drawStrip(track, segments, fallen = true) {
  const kept = track.parts ?? new Map(), next = new Map(), { width = 600, size = 14 } = track;
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
