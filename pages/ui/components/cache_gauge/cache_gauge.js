// How full the notepad is; the card with the formula opens on hover, on focus and on a tap.
export default function ({ parentElement, data }) {
  const gauge = parentElement.querySelector(".gauge");
  const card = gauge.querySelector(".card");
  const c = data.colours;
  for (const [name, colour] of Object.entries({ "--muted": c.muted_text, "--line": c.line, "--computed": c.computed, "--card": c.card })) gauge.style.setProperty(name, colour);
  gauge.querySelector(".held").textContent = data.held;
  gauge.querySelector(".used").textContent = data.used;
  gauge.querySelector(".full").style.width = `${Math.min(100, data.share * 100)}%`;
  data.lines.forEach((text, i) => {
    const line = card.children[i] ?? card.appendChild(document.createElement("div"));
    if (line.textContent !== text) line.textContent = text;
  });
  gauge.tabIndex = 0;
  gauge.onpointerenter = gauge.onfocus = () => { card.hidden = false; };
  gauge.onpointerleave = gauge.onblur = () => { card.hidden = true; };
}
