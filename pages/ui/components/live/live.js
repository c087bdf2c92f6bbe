// A part of the live view. Each stands where the page puts it and keeps its elements. It draws what its source has (`tokens`, `prompt`,
// `data`) and tells it what was pressed (`press`): the run, which all parts share (live_run.js), or what the page gives (given_run.js).
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

export default function ({ parentElement, data, setTriggerValue, setStateValue }) {
  const root = parentElement.querySelector(".live");
  if (root.language !== data.language) { // another language: all words anew
    root.language = data.language;
    root.replaceChildren();
    root.my = { made: partOf(root), live: data.given ? new GivenRun() : liveRun() };
  }
  const { my } = root;
  my.data = data;
  root.dataset.part = data.part;
  const draw = () => {
    root.classList.toggle("unbegun", !data.given && !my.live.tokens.length);
    root.classList.toggle("plain", data.signs === false);
    PARTS[data.part](my);
  };
  if (data.given) my.live.give(data.given, draw, setTriggerValue, setStateValue);
  else my.live.add(root, data.run_key, draw, setTriggerValue);
}
