// What this tab knows of a talk, kept beside the page: a server's session ends with the page, a speaker's talk does not.
const SHELF = "token-probability-viewer talk";

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(SHELF));
  } catch {
    return null;
  }
}

export default function ({ data, setTriggerValue }) {
  const kept = read();
  if (kept && kept.session !== data.session && window.tokenViewerTalk !== data.session) {
    window.tokenViewerTalk = data.session; // told once; what the server makes of it comes with its next drawing
    setTriggerValue("found", { order: kept.order, given: kept.given, place: kept.place });
    return;
  }
  window.tokenViewerTalk = data.session;
  try {
    if (data.given || data.order) sessionStorage.setItem(SHELF, JSON.stringify(data));
    else sessionStorage.removeItem(SHELF);
  } catch { /* no storage here: a talk then ends with its page */ }
}
