// What this app mends of Streamlit 1.67 in the browser. Look at each with a new version; keys/mends.js has those of the keys.

// --- top: begins another page at its top. Streamlit keeps the place to which the page before was scrolled, and on a phone its menu open.
const PHONE = "(max-width: 640px)"; // there the menu covers the page

function closeMenu() {
  if (matchMedia(PHONE).matches) document.querySelector(`${STREAMLIT.sidebar}[data-collapsed="false"] ${STREAMLIT.collapse} button`)?.click();
}

function top({ data }) {
  if (window.tokenViewerPage !== undefined && window.tokenViewerPage !== data.page) {
    document.querySelector(STREAMLIT.main)?.scrollTo(0, 0);
    closeMenu();
  }
  window.tokenViewerPage = data.page;
}

// --- reconnect: between a restored connection and the next complete draw, the new session does not know the page's buttons. Clicks are
// held until then and repeated. Streamlit shows both states on its root element. After a restored connection the page is drawn again.
const LONGEST_HOLD = 60_000; // milliseconds; a server that has just started loads its model first
const MOST_HELD = 5; // clicks
const LATE = 3_000, LONGEST_HEALTH = 2_000; // milliseconds
const OURS = `${STREAMLIT.main}, ${STREAMLIT.sidebar}, ${STREAMLIT.bottom}, [class*="st-key-"]`;

function keyOf(node) {
  const named = node.closest?.('[class*="st-key-"]');
  return named ? [...named.classList].find(name => name.startsWith("st-key-")) : null;
}

function hold(state, event) {
  if (!(state.waiting || state.sending) || state.repeated.has(event) || !event.target.closest?.(OURS)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (state.held.length >= MOST_HELD) return;
  const node = event.composedPath()[0];
  state.held.push({ node, key: keyOf(event.target), tag: node.closest?.("button, a, input, label")?.tagName, x: event.clientX, y: event.clientY });
}

// Finds what took the place of a button, also inside of a component.
function drawnAgain(home, tag) {
  return home?.querySelector(tag) ?? [...home?.querySelectorAll("*") ?? []].map(node => node.shadowRoot?.querySelector(tag)).find(Boolean);
}

function repeat(state, { node, key, tag, x, y }) {
  let target = node.isConnected ? node : null;
  if (!target && key && tag) target = drawnAgain(document.querySelector(`.${CSS.escape(key)}`), tag.toLowerCase());
  if (!target) return;
  const click = new MouseEvent("click", { bubbles: true, composed: true, cancelable: true, view: window, clientX: x, clientY: y });
  state.repeated.add(click);
  target.dispatchEvent(click);
}

function release(state) {
  clearTimeout(state.late);
  state.waiting = false;
  repeatHeld(state);
}

function repeatHeld(state) {
  if (!state.waiting && !state.sending) for (const click of state.held.splice(0)) repeat(state, click);
}

// Calls `send`, whose message the browser sends a moment later, and holds the clicks of this moment. Streamlit sends all that happens in it
// as one message of one part of the page, so that a press in another part would draw nothing.
function sendAlone(send) {
  const state = window.tokenViewerReconnect ?? {};
  state.sending = true;
  send();
  setTimeout(() => {
    state.sending = false;
    if (state.held) repeatHeld(state);
  }, 0);
}

function check(state, root) {
  if (!isConnected(root)) {
    state.waiting = true;
    state.drawn = false;
    clearTimeout(state.late);
    state.late = undefined;
  } else if (state.waiting) {
    if (!state.late) state.send("connected", true);
    state.late ??= setTimeout(() => release(state), LONGEST_HOLD);
    if (state.drawn && isIdle(root)) release(state);
  }
}

// Says so when the server does not answer: LATE after a click or the begin of a run it is asked for its health.
async function answers() {
  try {
    return (await fetch(address("_stcore/health"), { cache: "no-store", signal: AbortSignal.timeout(LONGEST_HEALTH) })).ok;
  } catch {
    return false;
  }
}

async function ask(state) {
  state.asking = true;
  while (!await answers()) {
    state.notice.textContent = state.sentence;
    await new Promise(done => setTimeout(done, 500));
  }
  state.notice.textContent = "";
  state.asking = false;
}

function expectAnswer(state, answered) {
  clearTimeout(state.unanswered);
  if (!answered) state.unanswered = setTimeout(() => { if (!state.asking) ask(state); }, LATE);
}

function reconnect({ parentElement, data, setTriggerValue }) {
  const root = document.querySelector(STREAMLIT.app);
  const drawn = { notice: parentElement.querySelector(".late"), sentence: data.sentence, send: setTriggerValue };
  Object.assign(window.tokenViewerReconnect ?? {}, drawn);
  if (window.tokenViewerReconnect || !root) return;
  const state = window.tokenViewerReconnect = { ...drawn, waiting: false, drawn: true, held: [], repeated: new WeakSet(), late: undefined };
  window.addEventListener("click", event => hold(state, event), true);
  window.addEventListener("tokenvieweraddress", () => { // the page is drawn, and its session knows the page's query
    state.drawn = !window.tokenViewerAddress.asked;
    check(state, root);
  });
  window.addEventListener("click", event => { if (event.target.closest?.(OURS)) expectAnswer(state, false); }, true);
  new MutationObserver(() => {
    check(state, root);
    expectAnswer(state, isConnected(root) && isIdle(root));
  }).observe(root, { attributeFilter: STATES });
}
