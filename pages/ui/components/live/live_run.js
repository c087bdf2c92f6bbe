// The run that the parts of the live view show: one for each page of the browser, shared by all parts through the window.
const REST = 400; // milliseconds without a change after which the page runs, if it shows an older state
const BETWEEN = 1000; // least milliseconds between two runs of the page
const WRITTEN = 150; // milliseconds without a change after which the address is written
const TOLD = 100; // milliseconds between two messages in Play that say what was drawn
const SLOW = 500; // milliseconds without an answer after which the view says that the model computes

class LiveRun extends ShownRun {
  constructor() {
    super();
    this.parts = new Map();
    this.done = 0; // presses that were answered
    this.asking = 0; // presses and questions that were not
    this.connection = new RunConnection(sentence => { this.gone = sentence; this.draw(); });
    const headers = async () => {
      await isSettled();
      return { "x-run-key": this.connection.key, "x-run-view": this.connection.view };
    };
    this.stream = new EventStream("run/events", headers, () => anyShown(this.parts), data => this.receive(data));
    this.forget();
    window.addEventListener("tokenvieweraddress", () => { if (!this.writing) this.writeSoon(); });
  }

  forget() {
    this.empty();
    Object.assign(this, { version: 0, drawn: 0, told: 0, gone: "", held: [] });
  }

  // Adds a part of the view. key: of the session's routes. send: a trigger of the component, which runs the page.
  add(root, key, draw, send) {
    this.parts.set(root, { draw, send });
    if (this.connection.key !== key) {
      this.connection.key = key;
      this.forget();
      this.stream.close();
    }
    if (this.data || this.gone) draw();
    this.listen();
  }

  // Changes with the run and the session.
  get name() {
    return this.run + this.connection.key;
  }

  press(verb, more = {}) {
    const { run } = this; // of the tokens that the press names
    this.expect();
    this.asking += 1;
    const sent = this.connection.press(verb, () => ({ drawn: [this.run, this.node], run, ...more }));
    return sent.then(answer => {
      this.done += 1;
      this.asking -= 1;
      this.take(answer);
      this.release();
      this.listen();
    });
  }

  // Says that the model computes, if the answer takes long: a long prompt, a large model, a server.
  expect() {
    this.late ??= setTimeout(() => { this.isBusy = true; this.draw(); }, SLOW);
  }

  // Asks for all that is shown now.
  async refresh() {
    this.asking += 1;
    const shown = await this.fetched("run/now");
    this.asking -= 1;
    if (!shown) return this.held = []; // the next message of the stream asks again
    this.version = 0;
    this.run = 0;
    this.take(shown);
    this.release();
  }

  // Takes what the stream says. It goes on from the newest answer, and is held until that has come.
  receive(data) {
    if (this.asking) this.held.push(data);
    else this.take(data);
  }

  release() {
    for (const data of this.held.splice(0)) this.receive(data);
  }

  // Returns what a route answers, null if it does not: the connection is lost, or the page is being left.
  async fetched(route) {
    try {
      const response = await fetch(address(route), { headers: { "x-run-key": this.connection.key } });
      return response.ok ? await response.json() : null;
    } catch {
      return null;
    }
  }

  // Applies what the server sent, in the order of its versions.
  take(data) {
    clearTimeout(this.late);
    this.late = null;
    const wasBusy = this.isBusy;
    this.isBusy = false;
    if (data.error) {
      this.refused = data.error;
      return this.draw();
    }
    if (data.version < this.version || !("playing" in data)) { // an older answer, or what a scene shows, such as the stage
      if (wasBusy) this.draw();
      return;
    }
    this.refused = this.gone = "";
    const { text } = data;
    if (data.run !== this.run) {
      if (text && !text.prompt) return this.refresh();
      Object.assign(this, { run: data.run, tokens: [], series: [], from: 0, prompt: text?.prompt ?? [], direction: text?.direction ?? "ltr" });
    } else if (text && (text.first > this.tokens.length || this.before(text.first) !== text.after)) return this.refresh();
    if (text) {
      this.tokens.splice(text.first, Infinity, ...text.tokens);
      if (text.from > this.from + this.series.length || text.from < this.from) Object.assign(this, { series: [], from: text.from });
      this.series.splice(text.from - this.from, Infinity, ...text.series);
    }
    this.version = data.version;
    if (this.data?.run === data.run) data.prompt ??= this.data.prompt; // is sent once; another page's field of the prompt needs it later
    this.data = data;
    this.draw();
    this.rest();
  }

  // Draws all parts in the next frame, once for all that came until then.
  draw() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (anyShown(this.parts)) for (const part of this.parts.values()) part.draw();
      this.drawn = this.version;
      this.tell();
    });
  }

  // Says in Play what was drawn, so that the server makes steps no faster than that.
  tell() {
    if (!this.data?.playing || this.telling) return;
    this.telling = setTimeout(() => {
      this.telling = 0;
      if (this.told === this.drawn) return;
      const version = this.told = this.drawn;
      fetch(address("run/drawn"), { method: "POST", body: JSON.stringify({ version }), headers: { "x-run-key": this.connection.key } })
        .then(({ ok }) => ok || Promise.reject())
        .catch(() => setTimeout(() => { this.told = 0; this.tell(); }, RETRY)); // the server waits for it
    }, TOLD);
  }

  // Asks for a run of the page if it shows an older state outside the view: once nothing changes any more, and in Play after a moment.
  rest() {
    this.writeSoon();
    if (this.resting && this.data.playing) return;
    clearTimeout(this.resting);
    this.resting = 0;
    if (!this.data.needs_page) return;
    this.resting = setTimeout(() => {
      this.resting = 0;
      // A run of the page would close a dialog, also one that a press is about to open.
      const isBusy = !isIdle(document.querySelector(STREAMLIT.app)) || performance.now() < acted + RESTING;
      if (isBusy || document.querySelector(STREAMLIT.dialog)) return this.rest();
      this.ran = performance.now();
      this.ask("rested", Date.now());
    }, Math.max(REST, (this.ran ?? -BETWEEN) + BETWEEN - performance.now()));
  }

  // Sends a trigger of one of the parts, which runs the page.
  ask(name, value) {
    if (anyShown(this.parts)) this.parts.values().next().value.send(name, value);
  }

  // Writes the address once nothing changes any more, and in Play now and then, so that a server that ends takes little with it.
  writeSoon() {
    if (this.waiting && this.data?.playing) return;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.waiting = 0;
      this.writeAddress();
    }, this.data?.playing ? BETWEEN : WRITTEN);
  }

  async writeAddress() {
    if (!anyShown(this.parts) || window.tokenViewerAddress?.asked !== false) return;
    const { version } = this;
    const written = await this.fetched("run/address");
    if (!written) return;
    this.writing = true;
    writeAddress(written);
    this.writing = false;
    this.written = version; // of what the address opens
  }

  // Reads the stream of the run as long as a part of the view is on the page and the tab is seen.
  listen() {
    if (!this.connection.key) return;
    if (!this.data) this.expect();
    this.stream.open();
  }
}

function liveRun() {
  return window.tokenViewerLive ??= new LiveRun();
}
