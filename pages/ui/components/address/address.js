// Keeps the browser's address equal to what is on screen, without a new entry in its history for every token. What is too long for an
// address lies in this browser's storage, under the name that the address holds.
const SHELF = "token-probability-viewer:";
const KEPT = 12; // texts; the oldest goes first

function put(name, query) {
  try {
    const mine = Object.keys(localStorage).filter(key => key.startsWith(SHELF) && key !== SHELF + name);
    const old = mine.map(key => [JSON.parse(localStorage.getItem(key))?.at ?? 0, key]).sort((a, b) => a[0] - b[0]);
    for (const [, key] of old.slice(0, Math.max(0, old.length - KEPT + 1))) localStorage.removeItem(key);
    localStorage.setItem(SHELF + name, JSON.stringify({ at: Date.now(), query }));
  } catch { /* no storage here, or it is full: whoever comes back is told that the text is not there */ }
}

function take(name) {
  try {
    return JSON.parse(localStorage.getItem(SHELF + name))?.query ?? "";
  } catch {
    return "";
  }
}

function remember(said) {
  window.tokenViewerAddress = said;
  window.dispatchEvent(new Event("tokenvieweraddress"));
}

export default function ({ data, setTriggerValue }) {
  const before = window.tokenViewerAddress;
  if (before?.session !== data.session) {
    if (!data.asks) return;
    // Another session on the same page: the server has begun again, another one answers, or this page was away too long. The page still
    // knows what was on it, and says so; what the browser tells a server by itself then may be an older address.
    const whole = before?.whole || (data.wanted ? take(data.wanted) : "");
    if (before?.whole || data.wanted) {
      remember({ session: data.session, whole, asked: true });
      setTriggerValue("found", { query: whole, back: Boolean(before?.whole), recording: Boolean(before?.recording) });
      return;
    }
  } else if (before.asked && !data.answered) {
    return; // the answer is under way
  }
  remember({ session: data.session, whole: data.stored || data.query, recording: data.recording, asked: false });
  if (data.stored) put(data.name, data.stored);
  const search = data.query ? `?${data.query}` : "";
  if (window.location.search !== search) window.history.replaceState(window.history.state, "", window.location.pathname + search);
}
