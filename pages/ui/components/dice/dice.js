export default function ({ parentElement, data }) {
  const dice = parentElement.querySelector(".dice");
  const track = dice.querySelector(".track");
  const marker = dice.querySelector(".marker");
  const spot = dice.querySelector(".spot");
  track.setAttribute("role", "img");
  track.setAttribute("aria-label", data.alt);

  dice.classList.toggle("still", data.still);
  const taken = drawStrip(track, data.segments);
  const isNarrow = Boolean(taken) && taken.classList.contains("thin"); // a mark below it shows the place
  spot.hidden = !isNarrow;
  if (isNarrow) {
    spot.style.left = `${parseFloat(taken.style.left) + parseFloat(taken.style.width) / 2}%`;
    spot.title = taken.title;
  }

  dice.querySelector(".told").textContent = data.caption;
  if (data.roll === null) {
    marker.className = "marker";
    dice.thrown = "";
  } else {
    drawRoll(marker, data.roll, data.roll_text);
    if (dice.thrown !== data.throw && !data.still) {
      void marker.offsetWidth;
      marker.classList.add("falling");
    }
    dice.thrown = data.throw;
  }
}
