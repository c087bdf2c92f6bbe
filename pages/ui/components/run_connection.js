// The connection of a live view to the routes of its run (pages/ui/live/routes.py). Each press has a number, and the server does each number
// once. Presses are sent one after the other, so that their order is kept; one whose answer was lost is sent again.
const AGAIN = [100, 200, 400, 800, 1600]; // milliseconds before a press is sent again; then always the last

class RunConnection {
  // gone: called with a sentence when the session has ended. Its press waits for the key of the session that follows.
  constructor(gone) {
    this.gone = gone;
    this.opens = "";
    this.renewed = () => {};
    this.view = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");
    this.number = 0;
    this.last = Promise.resolve();
  }

  get key() {
    return this.opens;
  }

  set key(key) {
    if (this.opens === key) return;
    this.opens = key;
    this.renewed();
  }

  // Sends a press after those before it. more: its other fields, or a function that returns them when it is sent. Returns what the view
  // shows then, or {error: a sentence} if it was refused.
  press(verb, more = {}) {
    this.number += 1;
    const { number } = this;
    this.last = this.last.then(() => this.send(verb, () => ({ view: this.view, number, ...(typeof more === "function" ? more() : more) })));
    return this.last;
  }

  async send(verb, fields) {
    for (let tries = 0; ; tries += 1) {
      await isSettled();
      const { key } = this;
      try {
        const response = await fetch(address(`run/${verb}`), { method: "POST", body: JSON.stringify(fields()), headers: { "x-run-key": key } });
        const answer = await response.json();
        if (response.status === 410) {
          this.gone(answer.error);
          if (this.key === key) await new Promise(done => { this.renewed = done; });
          continue;
        }
        if (response.status < 500 && response.status !== 429) return answer;
      } catch { /* the connection or the answer was lost */ }
      await new Promise(resolve => setTimeout(resolve, AGAIN[Math.min(tries, AGAIN.length - 1)]));
    }
  }
}

// When the visitor last pressed or typed anything on the page. Nobody else asks for a run of it in the moment after.
const RESTING = 250; // milliseconds: Streamlit sends a changed slider after 200
let acted = -Infinity;
for (const act of ["click", "pointerdown", "pointerup", "keydown", "input", "change"])
  window.addEventListener(act, () => { acted = performance.now(); }, { capture: true, passive: true });

// Forgets the parts (a Map by their root elements) that have left the page, and returns whether any is left.
function anyShown(parts) {
  for (const [root, part] of parts) { // a part is added before its element stands on the page
    if (root.isConnected) part.stood = true;
    else if (part.stood) parts.delete(root);
  }
  return parts.size > 0;
}

// A stream of server-sent events of the run's routes. It is opened again and again as long as it is wanted and the tab is seen.
const HIDDEN = 1000; // milliseconds after which a hidden tab closes its streams
const RETRY = 1000; // milliseconds before a lost stream is opened again
const NEXT = 20; // milliseconds before the next stream is opened: the server ends each after some seconds

class EventStream {
  // headers: a promise of them. take: called with the data of each event.
  constructor(route, headers, isWanted, take) {
    Object.assign(this, { route, headers, isWanted, take, isOpen: false });
    document.addEventListener("visibilitychange", () => {
      clearTimeout(this.hiding);
      if (document.hidden) this.hiding = setTimeout(() => this.close(), HIDDEN);
      else this.open();
    });
  }

  close() {
    this.stream?.abort();
  }

  async open() {
    if (this.isOpen) return;
    this.isOpen = true;
    while (this.isWanted() && !document.hidden) {
      const headers = await this.headers();
      const stream = this.stream = new AbortController();
      const opened = performance.now();
      let pause = RETRY;
      try {
        const response = await fetch(address(this.route), { headers, signal: stream.signal });
        if (response.ok) {
          await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader());
          if (performance.now() - opened > RETRY) pause = NEXT; // one that ends at once was replaced by the stream of another view
        }
      } catch { /* the connection was lost, the tab hidden, or the key is another one */ }
      if (!stream.signal.aborted) await new Promise(done => setTimeout(done, pause));
    }
    this.isOpen = false;
  }

  async read(reader) {
    let text = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const messages = text.split("\n\n");
      text = messages.pop();
      for (const message of messages) {
        if (message.startsWith("data: ")) queueMicrotask(() => this.take(JSON.parse(message.slice(6)))); // an error in a draw is no lost stream
      }
      if (!this.isWanted()) return reader.cancel();
    }
  }
}

// Waits until the page knows its session: a tab that was loaded again continues its old one (see `address` in components/browser).
async function isSettled() {
  while (window.tokenViewerAddress?.asked !== false) {
    await new Promise(resolve => window.addEventListener("tokenvieweraddress", resolve, { once: true }));
  }
}

// The address of a route of the app, from any of its pages, also below a path of a proxy.
function address(route) {
  return new URL(route, window.location.href).href;
}
