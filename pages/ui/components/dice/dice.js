// One node per token, kept between draws, so that segments slide to their new size when a setting changes.
export default function ({ parentElement, data }) {
  const dice = parentElement.querySelector(".dice");
  const track = dice.querySelector(".track");
  const marker = dice.querySelector(".marker");
  const spot = dice.querySelector(".spot");
  track.setAttribute("role", "img");
  track.setAttribute("aria-label", data.alt);

  dice.classList.toggle("still", data.still);
  const kept = dice.parts ?? new Map();
  const next = new Map();
  const width = track.clientWidth || 600;
  let rest = 0;
  let hidden = true;
  data.segments.forEach(([id, label, start, end, chosen, share], i) => {
    const name = id < 0 ? `rest${rest++}` : String(id);
    let part = kept.get(name);
    if (!part) {
      part = document.createElement("div");
      track.append(part);
    }
    kept.delete(name);
    next.set(name, part);
    const room = (end - start) * width;
    part.className = `part${id < 0 ? " bundle" : ""}${chosen ? " chosen" : ""}${i % 2 ? " odd" : ""}${room < 6 ? " thin" : ""}`;
    part.style.left = `${start * 100}%`;
    part.style.width = `${(end - start) * 100}%`;
    const text = room > 8 * label.length + 6 ? label : "";
    if (part.textContent !== text) part.textContent = text;
    part.title = `${label} · ${share}`;
    if (chosen && room < 4) { // its true width is hardly visible: a mark below it shows the place
      hidden = false;
      spot.style.left = `${(start + end) * 50}%`;
      spot.title = part.title;
    }
  });
  spot.hidden = hidden;
  for (const part of kept.values()) part.remove();
  dice.parts = next;

  dice.querySelector(".told").textContent = data.caption;
  if (data.roll === null) {
    marker.className = "marker";
    dice.thrown = "";
  } else {
    const side = data.roll < 0.04 ? " left" : data.roll > 0.96 ? " right" : "";
    marker.textContent = data.roll_text;
    marker.style.left = `${data.roll * 100}%`;
    marker.className = `marker down${side}`;
    if (dice.thrown !== data.throw) {
      void marker.offsetWidth;
      if (!side && !data.still) marker.classList.add("falling");
    }
    dice.thrown = data.throw;
  }
}
