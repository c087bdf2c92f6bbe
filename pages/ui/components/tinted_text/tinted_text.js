// One span per token, patched in place.
export default function ({ parentElement, data }) {
  const home = parentElement.querySelector(".written");
  const c = data.colours;
  const paint = { "--one": data.other ? c.other : c.dice, "--mark": c.text, "--muted": c.muted_text };
  for (const [name, colour] of Object.entries(paint)) home.style.setProperty(name, colour);
  home.classList.toggle("small", data.small);
  if (!home.label) {
    home.label = document.createElement("b");
    home.append(home.label);
    home.parts = [];
  }
  home.label.textContent = data.label;
  home.label.hidden = !data.label;
  while (home.parts.length > data.words.length) home.parts.pop().remove();
  data.words.forEach(([text, share, told], i) => {
    let part = home.parts[i];
    if (!part) {
      part = home.parts[i] = document.createElement("span");
      home.append(part);
    }
    if (part.textContent !== text) part.textContent = text;
    part.title = i === data.mark ? `${data.told} · ${told}` : told;
    part.className = i === data.mark ? "mark" : data.mark >= 0 && i < data.mark ? "same" : "";
    part.style.setProperty("--depth", `${Math.round(3 + 25 * share)}%`);
  });
}
