// The browser's address, which is kept equal to the visitor's run: of the task `address`, and of the live view.
const STORED = "token-probability-viewer:";
const MOST_STORED = 12; // texts; the oldest is deleted first

function store(name, query) {
  try {
    const others = Object.keys(localStorage).filter(key => key.startsWith(STORED) && key !== STORED + name);
    const byAge = others.map(key => [JSON.parse(localStorage.getItem(key))?.at ?? 0, key]).sort((a, b) => a[0] - b[0]);
    for (const [, key] of byAge.slice(0, Math.max(0, byAge.length - MOST_STORED + 1))) localStorage.removeItem(key);
    localStorage.setItem(STORED + name, JSON.stringify({ at: Date.now(), query }));
  } catch { /* storage is disabled or full: a later visit reports that the text is missing */ }
}

function load(name) {
  try {
    return JSON.parse(localStorage.getItem(STORED + name))?.query ?? "";
  } catch {
    return "";
  }
}

// Keeps for this tab the secret of its session, its newest addresses, and whether a recording is open, which no address contains. A page that
// is loaded again begins with what its tab kept. While a browser loads it again, the old page can still change its address.
const TAB = "token-probability-viewer tab";
const MOST_ADDRESSES = 8;

function keepForTab(kept) {
  const shown = window.location.search, earlier = keptForTab().addresses ?? [];
  const addresses = [shown, ...earlier.filter(search => search !== shown)].slice(0, MOST_ADDRESSES);
  try {
    sessionStorage.setItem(TAB, JSON.stringify({ ...kept, addresses }));
  } catch { /* storage is disabled: a reload then begins a new session */ }
}

function keptForTab() {
  try {
    return JSON.parse(sessionStorage.getItem(TAB)) ?? {};
  } catch {
    return {};
  }
}

// Whether the tab shows the address that it kept, or had it a moment before it was loaded again.
function isKept({ addresses = [] }) {
  const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
  return (isReload ? addresses : addresses.slice(0, 1)).includes(window.location.search);
}

function setAddress(state) {
  window.tokenViewerAddress = state;
  window.dispatchEvent(new Event("tokenvieweraddress"));
}

// Writes an address without a new entry of the history. data: as `address_bar.address_data` returns it.
function writeAddress(data) {
  setAddress({ session: data.session, whole: data.stored || data.query, recording: data.recording, asked: false });
  if (data.stored) store(data.name, data.stored);
  const search = data.query ? `?${data.query}` : "";
  if (window.location.search !== search) window.history.replaceState(window.history.state, "", window.location.pathname + search);
  keepForTab({ secret: data.secret, recording: data.recording });
}
