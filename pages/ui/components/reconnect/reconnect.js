// Between a connection that is there again and a page that has been drawn anew, the session behind a button may be one that does not know
// it yet: it would do nothing. Clicks wait until then. Streamlit says on its root element whether it is connected and whether it draws.
const PATIENCE = 60_000; // milliseconds; a server that has just begun loads its model first
const MOST = 5; // clicks that wait; whoever presses more often is not counting
const APP = '[data-testid="stApp"]';
const OURS = '[data-testid="stMain"], [data-testid="stSidebar"], [data-testid="stBottom"], [class*="st-key-"]';

function keyOf(node) {
  const named = node.closest?.('[class*="st-key-"]');
  return named ? [...named.classList].find(name => name.startsWith("st-key-")) : null;
}

function hold(state, event) {
  if (!state.waiting || state.repeated.has(event) || !event.target.closest?.(OURS)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (state.held.length >= MOST) return;
  const node = event.composedPath()[0];
  state.held.push({ node, key: keyOf(event.target), tag: node.closest?.("button, a, input, label")?.tagName, x: event.clientX, y: event.clientY });
}

function repeat(state, { node, key, tag, x, y }) {
  let target = node.isConnected ? node : null;
  if (!target && key && tag) target = document.querySelector(`.${CSS.escape(key)} ${tag.toLowerCase()}`);
  if (!target) return;
  const again = new MouseEvent("click", { bubbles: true, composed: true, cancelable: true, view: window, clientX: x, clientY: y });
  state.repeated.add(again);
  target.dispatchEvent(again);
}

function release(state) {
  clearTimeout(state.late);
  state.waiting = false;
  for (const click of state.held.splice(0)) repeat(state, click);
}

function look(state, root) {
  const connected = root.dataset.testConnectionState === "CONNECTED";
  if (!connected) {
    state.waiting = true;
    state.told = false;
    clearTimeout(state.late);
    state.late = undefined;
  } else if (state.waiting) {
    state.late ??= setTimeout(() => release(state), PATIENCE);
    if (state.told && root.dataset.testScriptState === "notRunning") release(state);
  }
}

export default function () {
  if (window.tokenViewerReconnect) return;
  const root = document.querySelector(APP);
  if (!root) return;
  const state = window.tokenViewerReconnect = { waiting: false, told: true, held: [], repeated: new WeakSet(), late: undefined };
  window.addEventListener("click", event => hold(state, event), true);
  window.addEventListener("tokenvieweraddress", () => { // the page was drawn, and its session knows the text that was on it
    state.told = !window.tokenViewerAddress.asked;
    look(state, root);
  });
  new MutationObserver(() => look(state, root)).observe(root, { attributeFilter: ["data-test-connection-state", "data-test-script-state"] });
}
