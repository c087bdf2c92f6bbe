// --- progress: asks Streamlit to draw a part of the page again when the server says that it has advanced: once the browser has drawn the
// state before, not while the visitor presses or types, and never in a hidden tab.
const UNDRAWN = 3000; // milliseconds after which a part that was not drawn is asked for again

class Progress {
  constructor() {
    this.parts = new Map();
    this.asked = -Infinity; // when a part was asked for that is not drawn yet
    const headers = async () => ({ "x-run-key": this.key });
    this.stream = new EventStream("run/progress", headers, () => anyShown(this.parts), numbers => { this.numbers = numbers; this.look(); });
    new MutationObserver(() => this.look()).observe(document.querySelector(STREAMLIT.app), { attributeFilter: STATES });
  }

  add(root, { run_key, part, number, pause }, send) {
    if (this.key !== run_key) this.stream.close();
    this.key = run_key;
    this.parts.set(root, { asked: -Infinity, ...this.parts.get(root), part, number, pause, send });
    this.asked = -Infinity;
    this.stream.open();
    this.look();
  }

  // Asks for the part that has waited longest, or looks again when it may.
  look() {
    clearTimeout(this.timer);
    const app = document.querySelector(STREAMLIT.app);
    if (!isIdle(app)) this.asked = -Infinity; // it is drawn now
    if (!isIdle(app) || !isConnected(app) || document.hidden || !anyShown(this.parts)) return;
    const due = [...this.parts.values()].filter(({ part, number }) => (this.numbers?.[part] ?? number) !== number);
    if (!due.length) return;
    const next = due.reduce((first, part) => (part.asked < first.asked ? part : first));
    const now = performance.now();
    const left = Math.max(next.asked + next.pause, acted + RESTING, this.asked + UNDRAWN) - now;
    if (left > 0) {
      this.timer = setTimeout(() => this.look(), left);
      return;
    }
    this.asked = next.asked = now;
    sendAlone(() => next.send("due", this.numbers[next.part]));
  }
}

function progress({ parentElement, data, setTriggerValue }) {
  (window.tokenViewerProgress ??= new Progress()).add(parentElement, data, setTriggerValue);
}
