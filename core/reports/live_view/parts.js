// A part of the live view. Each stands where the page puts it and keeps its elements. It draws what its source has (`tokens`, `prompt`,
// `data`) and tells it what was pressed (`press`): a run (shown_run.js), or what a page of the app gives.
const PARTS = {
  text: drawText, heading: drawHeading, moment: drawMoment, bars: drawBars, dice_head: drawDiceHead, dice: drawThrow, cache: drawCache,
  times: drawTimes, surprise: drawSurprise, player: drawPlayer, prompt: drawPrompt,
};

// A button with Streamlit's looks. icon: a name of its icons or "". kind: "primary", "quiet" or "". key: of the keyboard, shown beside it.
function buildButton(name, label, icon, kind, act, key = "") {
  const button = element("button", `press ${kind}`);
  button.dataset.name = name;
  if (label) button.ariaLabel = label; // on a phone some show their icon alone
  if (icon) button.append(Object.assign(element("span", "icon", icon), { ariaHidden: "true" }));
  button.append(element("span", "name", label));
  if (key) button.append(Object.assign(element("kbd", "", key), { ariaHidden: "true" }));
  button.onclick = act;
  return button;
}

// Returns a child of the root by name, made at the first call.
function partOf(root) {
  const made = {};
  return (name, make) => made[name] ??= root.appendChild(make());
}

// Draws a part. my: what belongs to it: `made` (partOf), `live` (its source), `data` (words and options). name: in PARTS.
function drawPart(root, my, name) {
  root.classList.toggle("unbegun", !my.data.given && !my.live.tokens.length);
  root.classList.toggle("plain", my.data.signs === false);
  PARTS[name](my);
}
