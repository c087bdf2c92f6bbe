// The app's tasks in the browser itself, one function per task. Each place that mounts this component names its task in `data.task`.

// --- address: keeps the browser's address equal to the visitor's run, without a new history entry for every token. A query too long for
// an address is kept in this browser's storage, under the name that the address holds.
function askForAddress({ data, setTriggerValue }) {
  const before = window.tokenViewerAddress;
  if (before?.session !== data.session) {
    if (!data.asks) return;
    // The page was loaded again, the server restarted, another replica answered, or the session expired. The page still knows its query;
    // the query that the browser sends by itself may be older. Another address in the same tab begins anew.
    const tab = before ? {} : keptForTab();
    const whole = before?.whole || (data.wanted ? load(data.wanted) : "");
    const secret = isKept(tab) ? tab.secret : "";
    const recording = Boolean(before ? before.recording : secret && tab.recording);
    if (before?.whole || data.wanted || secret) {
      const shown = data.wanted ? "" : window.location.search.slice(1); // until the server answers, a lost connection begins from this
      setAddress({ session: data.session, whole: whole || shown, recording, asked: true });
      setTriggerValue("found", { query: whole, back: Boolean(before?.whole), recording, secret });
      return;
    }
  } else if (before.asked && !data.answered) {
    return; // the server has not answered yet
  }
  writeAddress(data);
}

// --- talk: keeps the talk in the storage of this tab. A session can end on the server; the talk goes on.
const TALK = "token-probability-viewer talk";

function storedTalk() {
  try {
    return JSON.parse(sessionStorage.getItem(TALK));
  } catch {
    return null;
  }
}

function talk({ data, setTriggerValue }) {
  const stored = storedTalk();
  if (stored && stored.session !== data.session && window.tokenViewerTalk !== data.session) {
    window.tokenViewerTalk = data.session; // sent once; the next draw holds the server's answer
    setTriggerValue("found", { order: stored.order, given: stored.given, place: stored.place });
    return;
  }
  window.tokenViewerTalk = data.session;
  try {
    if (data.given || data.order) sessionStorage.setItem(TALK, JSON.stringify(data));
    else sessionStorage.removeItem(TALK);
  } catch { /* storage is disabled: a talk then ends with its page */ }
}

// --- presets: keeps the visitor's own presets in this browser. Every change is made in the storage itself, so that two tabs keep both.
const PRESETS = "token-probability-viewer presets";

function storedPresets() {
  try {
    const stored = JSON.parse(localStorage.getItem(PRESETS));
    return stored && typeof stored === "object" && !Array.isArray(stored) ? stored : {};
  } catch {
    return {};
  }
}

function presets({ data, setTriggerValue }) {
  const state = window.tokenViewerPresets ??= {};
  if (state.session !== data.session) {
    Object.assign(state, { session: data.session, serial: 0 });
    const stored = Object.entries(storedPresets()).slice(0, data.most);
    if (stored.length) setTriggerValue("found", Object.fromEntries(stored));
  }
  if (data.serial === state.serial) return;
  state.serial = data.serial;
  const known = storedPresets();
  if (data.change.query === undefined) delete known[data.change.name];
  else known[data.change.name] = data.change.query;
  try {
    localStorage.setItem(PRESETS, JSON.stringify(known));
  } catch { /* storage is disabled or full: the presets then end with the page */ }
}

// --- theme: reports a system that turns dark or light: the server draws the colours of charts, texts and the logo.
const REPAINTED = 300; // milliseconds after which Streamlit has its other theme

function theme({ setTriggerValue }) {
  const isNew = !window.tokenViewerTheme;
  const state = window.tokenViewerTheme ??= {};
  state.repaint = setTriggerValue;
  if (!isNew) return;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({ matches }) => setTimeout(() => state.repaint("dark", matches), REPAINTED));
}

// --- page: sets the page's language, marks its entry in the menu (for frame.css and screen readers), and names its tabs.
const ENTRIES = [STREAMLIT.menuSection, STREAMLIT.menuLink, STREAMLIT.sidebarLink].join();

function page({ data }) {
  const names = [data.group, data.section].filter(Boolean);
  window.tokenViewerPage = data.page;
  const mark = () => {
    if (window.tokenViewerPage !== data.page) return; // another page was opened since
    document.querySelectorAll(ENTRIES).forEach(entry => {
      if (!names.some(name => entry.textContent.trim().startsWith(name))) entry.removeAttribute("aria-current");
      else if (!entry.hasAttribute("aria-current")) entry.setAttribute("aria-current", "true"); // Streamlit's own is "page"
    });
    const tabs = document.querySelector(".st-key-page_tabs");
    tabs?.setAttribute("role", "navigation");
    tabs?.setAttribute("aria-label", data.group);
  };
  mark();
  document.documentElement.lang = data.language;
  window.onbeforeunload = data.asks ? event => event.preventDefault() : null;
  for (const delay of [300, 1500]) setTimeout(mark, delay); // Streamlit may draw the menu after this
}

// --- announce: a sentence for screen readers.
function announce({ parentElement, data }) {
  announceIn(parentElement.querySelector(".announcer"), data.sentence);
}

// --- round_trip: the time of this server's smallest answer and of one frame of this browser, measured once for every `data.turn`.
const REQUESTS = 7; // the first opens the connection; the result is the median of the others
const frame = () => new Promise(done => requestAnimationFrame(done));

async function measure() {
  const health = address("_stcore/health");
  const times = [];
  for (let request = 0; request < REQUESTS; request++) {
    const start = performance.now();
    await (await fetch(health, { cache: "no-store" })).text();
    if (request) times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  await frame();
  const drawn = performance.now();
  await frame();
  return { network: times[Math.floor(times.length / 2)] / 1000, drawing: (performance.now() - drawn) / 1000 };
}

function round_trip({ parentElement, data, setStateValue }) {
  if (parentElement.turn === data.turn) return;
  parentElement.turn = data.turn;
  measure().then(found => setStateValue("measured", { ...found, turn: data.turn })).catch(() => {}); // no answer: no measurement
}

// --- bring_into_view: scrolls to a container on a narrow screen, once for every `data.turn`, if it begins in the lower third or below it.
// What stands above it may still grow, and a page that has just opened goes to its top: it looks again until the visitor does something.
const SETTLED = 3000; // milliseconds
function bring_into_view({ parentElement, data }) {
  if (!data.turn || parentElement.turn === data.turn || !matchMedia("(max-width: 640px)").matches) return;
  parentElement.turn = data.turn;
  const look = () => {
    const place = document.querySelector(`.st-key-${data.name}`);
    if (place?.getBoundingClientRect().top > window.innerHeight * 2 / 3) place.scrollIntoView({ block: "center" });
  };
  look();
  const again = setInterval(look, 200), done = new AbortController();
  const end = () => { clearInterval(again); done.abort(); };
  setTimeout(end, SETTLED);
  for (const act of ["wheel", "touchstart", "pointerdown", "keydown"])
    window.addEventListener(act, end, { capture: true, passive: true, signal: done.signal });
}

const TASKS = { address: askForAddress, talk, presets, theme, progress, page, top, reconnect, announce, round_trip, bring_into_view };

export default function (component) {
  TASKS[component.data.task](component);
}
