// Tells the server when this tab goes behind another and when it is seen again. A glance elsewhere is not worth a word.
const GLANCE = 1_000; // milliseconds

export default function ({ setStateValue }) {
  const state = window.tokenViewerVisibility ??= { told: false, timer: undefined, tell: null };
  state.tell = setStateValue;
  const say = () => {
    if (document.hidden === state.told) return;
    state.told = document.hidden;
    state.tell("hidden", state.told);
  };
  if (state.listening) return;
  state.listening = true;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(state.timer);
    if (document.hidden) state.timer = setTimeout(say, GLANCE);
    else say();
  });
  if (document.hidden) state.timer = setTimeout(say, GLANCE);
}
