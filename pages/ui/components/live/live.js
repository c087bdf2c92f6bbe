// The component of a part of the live view: the run, which all parts share (live_run.js), or what the page gives (given_run.js).
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
  const draw = () => drawPart(root, my, data.part);
  if (data.given) my.live.give(data.given, draw, setTriggerValue, setStateValue);
  else my.live.add(root, data.run_key, draw, setTriggerValue);
}
