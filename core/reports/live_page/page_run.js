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

  get ids() {
    return [...this.promptIds, ...this.path.map(node => node.key)];
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
    return this.inTurn(() => this[`do_${verb}`](more));
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

  // The pass after the current node.
  async forward() {
    return this.ahead ??= await this.model.after(this.ids, drawn);
  }

  // Observes what comes at an index of the path. how: by what the token is chosen; undefined for the probabilities alone.
  observe(forward, index, settings, how, choice = {}) {
    const before = this.line.slice(1, index + 1).map(id => this.nodes[id].key);
    const seen = observed(forward.logits, settings, this.file.stages, { ids: [...this.promptIds, ...before], written: before }, choice);
    const { reused, computed, seconds } = forward;
    return { ...seen, index, how, settings, roll: choice.roll, position: this.promptIds.length + index, reused, computed, seconds };
  }

  // Goes on by one token: by the roll of this attempt, greedily, or with a forced token. The same choice again leads to the same node.
  async next({ forced, attempt = 0 } = {}) {
    if (this.refusal || this.ended) return;
    const settings = { ...this.settings }, index = this.path.length, how = forced !== undefined ? "forced" : settings.greedy ? "greedy" : "sampled";
    const sign = JSON.stringify([how, how === "sampled" ? attempt : 0, settings]);
    const choice = { forced: { forced }, greedy: { greedily: true }, sampled: { roll: rollOf(settings.seed, index, attempt) } }[how];
    const seen = this.observe(await this.forward(), index, settings, how, choice), here = this.line.at(-1);
    const same = this.nodes[here].children.find(id => this.nodes[id].sign === sign && this.nodes[id].key === seen.chosen);
    if (same === undefined) this.attach({ id: this.nodes.length, parent: here, key: seen.chosen, how, attempt, settings, sign, seen });
    this.stand(same ?? this.nodes.length - 1);
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
      if (node.seen) continue;
      const forward = await this.model.after([...this.promptIds, ...path.slice(0, index).map(({ key }) => key)], drawn);
      const roll = node.how === "sampled" ? rollOf(node.settings.seed, index, node.attempt) : undefined;
      node.seen = { ...this.observe(forward, index, node.settings, node.how, { forced: node.key }), roll };
      node.sign = JSON.stringify([node.how, node.how === "sampled" ? node.attempt : 0, node.settings]);
    }
  }

  async do_step() {
    await this.next();
  }

  do_play({ speed }) {
    this.speed = speed;
    this.playing = !this.refusal && !this.ended;
    if (this.playing && !this.isLooping) this.loop();
  }

  // Makes the steps of Play, each in its turn, until a press or the end stops it. Time that a sleeping tab loses is not made up for.
  async loop() {
    this.isLooping = true;
    while (this.playing) {
      await this.inTurn(() => this.playOn());
      const pause = 1000 / this.speed / (this.speed <= SLOWEST ? 2 : 1);
      await new Promise(done => (this.speed ? setTimeout(done, pause) : requestAnimationFrame(done)));
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

  do_pause() { /* `press` has stopped it */ }

  do_speed({ speed }) {
    this.speed = speed;
  }

  do_back() {
    if (this.line.length > 1) this.stand(this.line.at(-2));
  }

  do_restart() {
    this.stand(0);
  }

  do_seed() {
    this.settings.seed = crypto.getRandomValues(new Uint32Array(1))[0] >>> 1;
    this.stand(0);
  }

  // Rolls the reopened token again, or the newest one, with the number after the highest that its branches have with this seed.
  async do_roll() {
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

  async do_force({ node, token }) {
    if (this.nodes[this.line[this.line.indexOf(node) + 1]]?.key === token) return; // the token that stands there
    this.stand(node);
    await this.next({ forced: token });
  }

  do_switch({ node }) {
    this.stand(node);
  }

  do_go({ index }) {
    if (index < 0) this.moment = this.path.length ? "rolled" : "coming";
    this.opened = index < this.path.length ? index : -1;
  }

  do_coming() {
    Object.assign(this, { moment: "coming", opened: -1 });
  }

  do_rolled() {
    Object.assign(this, { moment: "rolled", opened: -1 });
  }

  do_fold({ index }) {
    this.folded = index !== 1;
  }

  do_prompt({ text }) {
    if (text !== this.text) this.begin(text);
  }

  do_example({ text }) {
    this.begin(text);
  }

  do_settings(settings) {
    Object.assign(this, { settings, opened: -1, moment: "coming" });
  }

  // Computes the step that is shown, if it is not known yet.
  async show() {
    await this.known();
    const { path } = this, isComing = this.opened < 0 && (this.moment === "coming" || !path.length) && !this.ended && !this.refusal;
    if (isComing) this.seen = this.observe(await this.forward(), path.length, this.settings);
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
