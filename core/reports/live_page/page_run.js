// The run of a live page: the tree of all tokens that were taken, over the model in the page. It answers the parts of the view as the app's
// run does behind its routes: each press is done after those before it, then everything that is shown is drawn.
const BUSY = 300; // milliseconds of a press after which the page says that the model computes
const FRAME = 50; // milliseconds of steps between two drawings, as fast as it goes
const SLOWEST = 1; // steps per second up to which a step is shown twice: its probabilities, then its roll

const LETTER = new RegExp("\\p{L}", "u");
const [NEXT_TASK, ASKED] = [new MessageChannel(), []]; // a hidden tab delays timers, and not messages
NEXT_TASK.port1.onmessage = () => ASKED.splice(0).forEach(done => done());
const drawn = () => new Promise(done => {
  ASKED.push(done);
  NEXT_TASK.port2.postMessage(0);
});

// What each press does, by its name in the app's routes.
const VERBS = {
  step: run => run.next(),
  play: (run, { speed }) => run.play(speed),
  pause: () => {}, // `press` has stopped it
  speed: (run, { speed }) => { run.speed = speed; },
  back: run => run.stand(run.line.at(-2) ?? 0),
  restart: run => run.stand(0),
  seed: run => {
    run.settings.seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
    run.stand(0);
  },
  roll: run => run.rollAgain(),
  force: (run, { node, token }) => run.force(node, token),
  switch: (run, { node }) => run.stand(node),
  go: (run, { index }) => run.open(index),
  coming: run => Object.assign(run, { moment: "coming", opened: -1 }),
  rolled: run => Object.assign(run, { moment: "rolled", opened: -1 }),
  fold: (run, { index }) => { run.folded = index !== 1; },
  prompt: (run, { text }) => { if (text !== run.text) run.begin(text); },
  example: (run, { text }) => run.begin(text),
  settings: (run, settings) => Object.assign(run, { settings, opened: -1, moment: "coming" }),
};

const choiceOf = ({ key, how, attempt, settings }) => JSON.stringify([key, how, how === "sampled" ? attempt : 0, settings]);
const visible = () => new Promise(done => (document.hidden ? document.addEventListener("visibilitychange", done, { once: true }) : done()));

class PageRun extends ShownRun {
  // file: what the page holds (page.py). speech: of its language. drawAll: draws the page.
  constructor(file, model, tokenizer, drawAll) {
    super();
    const { prompt, settings, nodes, settings_of: used, here } = file.start;
    Object.assign(this, { file, model, tokenizer, drawAll, settings: { ...settings }, last: Promise.resolve(), number: 0 });
    Object.assign(this, { playing: false, speed: 2, folded: true, gone: "" });
    this.begin(prompt);
    nodes.forEach(([parent, key, how, attempt, at], i) => this.attach({ id: i + 1, parent, key, how, attempt, settings: used[at] }));
    this.stand(here);
  }

  get name() {
    return this.number;
  }

  get path() {
    return this.line.slice(1).map(id => this.nodes[id]);
  }

  // The newest node, if this is the prompt alone: a text that was left.
  get left() {
    return this.line.length > 1 ? 0 : this.nodes.length - 1;
  }

  // Why the run has ended here, "" if it goes on.
  get ended() {
    if (this.file.tokenizer.ends.includes(this.path.at(-1)?.key)) return "end of text";
    return this.promptIds.length + this.path.length >= this.model.context ? "context full" : "";
  }

  // Begins with this prompt. One that cannot be continued is refused with a sentence.
  begin(text) {
    this.empty();
    this.model.ids = []; // the notepad of a new run is empty
    Object.assign(this, { number: this.number + 1, text, nodes: [{ id: 0, children: [] }], promptIds: [], refusal: null });
    this.stand(0);
    const { context } = this.model, most = { most: context, model: this.file.model };
    if (!text) this.refusal = ["empty"];
    else if (/[\ud800-\udfff]/u.test(text)) this.refusal = ["half"];
    else if (text.length > context * this.tokenizer.longest) this.refusal = ["too_long", { count: text.length, ...most }]; // before anything reads it
    else this.promptIds = this.tokenizer.encode(text);
    if (this.promptIds.length > context) this.refusal = ["too_many", { count: this.promptIds.length, ...most }];
    if (this.refusal) this.promptIds = [];
    this.promptWords = [];
    for (const id of this.promptIds) this.promptWords.push(this.spelled(id, this.promptWords.at(-1)?.waiting ?? []));
    this.direction = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(text.slice(0, 600).match(LETTER)?.[0] ?? "") ? "rtl" : "ltr";
  }

  // Returns what a token adds to the text after the bytes of an incomplete character, how it is shown, and the bytes that are then incomplete.
  spelled(id, waiting) {
    const raw = this.tokenizer.raw[id], [text, left] = this.tokenizer.special.has(id) ? ["", waiting] : addedBy(raw, waiting);
    return { text, shown: shownAs(text, this.file.pieces[id], raw), waiting: left };
  }

  attach(node) {
    this.nodes[node.id] = { ...node, children: [] };
    this.nodes[node.parent].children.push(node.id);
  }

  // Makes this node the current one.
  stand(id) {
    this.line = [];
    for (let at = id; at !== undefined; at = this.nodes[at].parent) this.line.unshift(at);
    Object.assign(this, { opened: -1, ahead: null, moment: id ? "rolled" : "coming" });
  }

  // Does a press after those before it, and draws what is shown then.
  press(verb, more = {}) {
    if (verb === "pause" || !["play", "speed", "coming", "rolled", "fold", "settings"].includes(verb)) this.playing = false; // at once
    return this.inTurn(() => VERBS[verb](this, more));
  }

  inTurn(act) {
    const busy = setTimeout(() => { this.isBusy = true; this.drawAll(); }, BUSY);
    const fail = error => {
      Object.assign(this, { failed: true, playing: false, seen: null });
      console.error(error);
    };
    this.last = this.last.then(() => { this.failed = false; }).then(act).then(() => this.show()).catch(fail).then(() => {
      clearTimeout(busy);
      this.isBusy = false;
      this.drawAll();
    });
    return this.last;
  }

  ask() { /* what a token depended on is asked in the app */ }

  // Observes what comes at an index of the path. how: by what its token is chosen, with this attempt; undefined for the probabilities alone.
  // key: of the token, if it is known.
  async observe(index, { how, attempt, settings, key }) {
    const written = this.path.slice(0, index).map(node => node.key), ids = [...this.promptIds, ...written];
    const isAhead = index === this.path.length, forward = (isAhead && this.ahead) || await this.model.after(ids, drawn);
    if (isAhead) this.ahead = forward;
    const roll = how === "sampled" ? rollOf(settings.seed, index, attempt) : undefined;
    const seen = observed(forward.logits, settings, this.file.stages, { ids, written }, { forced: key, greedily: how === "greedy", roll });
    const { reused, computed, seconds } = forward;
    return { ...seen, index, how, settings, roll, position: ids.length, reused, computed, seconds };
  }

  // Goes on by one token: by the roll of this attempt, greedily, or with a forced token. The same choice again leads to the same node.
  async next({ forced, attempt = 0 } = {}) {
    if (this.refusal || this.ended) return;
    const settings = { ...this.settings }, how = forced !== undefined ? "forced" : settings.greedy ? "greedy" : "sampled", parent = this.line.at(-1);
    const seen = await this.observe(this.path.length, { how, attempt, settings, key: forced });
    const node = { id: this.nodes.length, parent, key: seen.chosen, how, attempt, settings, seen };
    const same = this.nodes[parent].children.find(id => choiceOf(this.nodes[id]) === choiceOf(node));
    if (same === undefined) this.attach(node);
    this.stand(same ?? node.id);
  }

  // Computes what the nodes of the path lack: those that came with the file, or of another branch.
  async known() {
    const { path } = this;
    let latest = performance.now();
    for (const [index, node] of path.entries()) {
      if (performance.now() - latest > YIELD) {
        await drawn();
        latest = performance.now();
      }
      node.words ??= this.spelled(node.key, index ? path[index - 1].words.waiting : this.promptWords.at(-1).waiting);
      node.seen ??= await this.observe(index, node);
    }
  }

  play(speed) {
    this.speed = speed;
    this.playing = !this.refusal && !this.ended;
    if (this.playing && !this.isLooping) this.loop();
  }

  // Makes the steps of Play, each in its turn, until a press or the end stops it. It rests while the tab is hidden.
  async loop() {
    this.isLooping = true;
    while (this.playing) {
      await this.inTurn(() => this.playOn());
      const pause = 1000 / this.speed / (this.speed <= SLOWEST ? 2 : 1);
      await new Promise(done => (this.speed ? setTimeout(done, pause) : requestAnimationFrame(done)));
      await visible();
    }
    this.isLooping = false;
  }

  async playOn() {
    if (!this.playing) return;
    this.opened = -1;
    if (this.speed && this.speed <= SLOWEST && this.moment === "rolled") {
      this.moment = "coming";
      return;
    }
    const latest = performance.now() + FRAME;
    do await this.next(); while (!this.speed && !this.ended && performance.now() < latest);
    this.playing &&= !this.ended;
  }

  // Rolls the reopened token again, or the newest one, with the number after the highest that its branches have with this seed.
  async rollAgain() {
    const index = this.opened >= 0 ? this.opened : this.path.length - 1;
    if (index < 0) return;
    if (this.settings.greedy) {
      this.notice = ["no_dice"];
      return;
    }
    this.stand(this.line[index]);
    const isRoll = ({ how, settings }) => how === "sampled" && settings.seed === this.settings.seed;
    const rolls = this.nodes[this.line.at(-1)].children.map(id => this.nodes[id]).filter(isRoll);
    await this.next({ attempt: Math.max(-1, ...rolls.map(({ attempt }) => attempt)) + 1 });
  }

  async force(node, token) {
    if (this.nodes[this.line[this.line.indexOf(node) + 1]]?.key === token) return; // the token that stands there
    this.stand(node);
    await this.next({ forced: token });
  }

  // Shows a step of the current path again; -1: the newest.
  open(index) {
    if (index < 0) this.moment = this.path.length ? "rolled" : "coming";
    this.opened = index < this.path.length ? index : -1;
  }

  // Computes the step that is shown, if it is not known yet.
  async show() {
    await this.known();
    const { path } = this, isComing = this.opened < 0 && (this.moment === "coming" || !path.length) && !this.ended && !this.refusal;
    if (isComing) this.seen = await this.observe(path.length, { settings: this.settings });
    else this.seen = path.at(this.opened >= 0 ? this.opened : -1)?.seen ?? null;
  }

  // The branches with different texts: [last node, its text after the common part, whether it is the current one].
  endings() {
    const found = new Map(), onPath = new Set(this.line);
    const textOf = id => this.nodes[id].words?.text ?? this.tokenizer.textOf(this.nodes[id].key);
    for (const end of this.nodes) {
      const isCurrent = end.id === this.line.at(-1);
      if (!end.id || (end.children.length && !isCurrent)) continue;
      const keys = [];
      let own = "";
      for (let at = end.id; at; at = this.nodes[at].parent) {
        keys.unshift(this.nodes[at].key);
        if (isCurrent || !onPath.has(at)) own = textOf(at) + own;
      }
      if (isCurrent || !found.has(keys.join())) found.set(keys.join(), [end.id, own, isCurrent]);
    }
    const goesOn = keys => [...found.keys()].some(other => other.startsWith(`${keys},`));
    return [...found].filter(([keys, [, , isCurrent]]) => isCurrent || !goesOn(keys)).map(([, ending]) => ending);
  }
}
