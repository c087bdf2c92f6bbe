// Opens the page: reads the model out of the file, then draws the run, its settings and its branches in one of the languages of the file.
const PLACES = { // of the parts of the view, and of what stands beside them
  page: ["header", "text", "ask", "columns", "settings", "facts"], ask: ["prompt", "branches"], columns: ["left", "right"],
  left: ["head", "bars", "dice_line", "dice"], head: ["heading", "moment"], dice_line: ["dice_title", "dice_head"],
  right: ["notepad_title", "cache", "surprise_title", "surprise"],
};

class LivePage {
  constructor(file, run, home) {
    Object.assign(this, { file, run, home, wanted: false, roll: rollOf }); // all for the console of the browser, too
    run.drawAll = () => this.drawSoon();
    const codes = Object.keys(file.words), spoken = navigator.languages.map(language => language.slice(0, 2));
    this.speak(spoken.find(code => codes.includes(code)) ?? codes[0]);
    document.addEventListener("keydown", event => this.key(event));
  }

  // Builds everything in a language.
  speak(language) {
    const { file, home, run } = this, words = file.words[language];
    Object.assign(this, { speech: new Speech(words, language), places: {}, parts: [], run });
    document.documentElement.lang = language;
    document.title = words.page.title;
    const player = this.place("player");
    home.replaceChildren(this.built("page"), player);
    const { header, facts, settings, branches } = this.places;
    header.append(element("h1", "", words.page.title), element("span", "quiet", words.page.about), ...this.languages(language));
    for (const name of ["dice", "notepad", "surprise"])
      this.places[`${name}_title`].append(element("h2", "", words.page[name]), element("small", "", words.page[`${name}_term`]));
    facts.append(element("p", "", words.facts), element("p", "", words.page.keys));
    branches.append(element("details"));
    branches.firstChild.append(element("summary"), element("div", "list"));
    this.buildSettings(settings);
    const options = {
      bars: { legend: words.legend, logarithmic: false }, text: { tint: "likely" }, player: { speeds: words.speeds },
      prompt: { examples: words.examples, limit: Infinity }, // PageRun.begin bounds it
    };
    for (const name of Object.keys(words.parts)) {
      const root = this.places[name];
      root.className = "live";
      root.dataset.part = name;
      root.my = { made: partOf(root), live: run, data: { texts: words.parts[name], clickable: true, signs: false, ...options[name] } };
      this.parts.push(root);
    }
    this.drawSoon();
  }

  place(name) {
    const made = this.places[name] = element({ header: "header", settings: "details" }[name] ?? "div");
    made.id = name;
    return made;
  }

  built(name) {
    const made = this.place(name);
    made.append(...(PLACES[name] ?? []).map(inner => this.built(inner)));
    return made;
  }

  languages(current) {
    const codes = Object.keys(this.file.words);
    if (codes.length < 2) return [];
    const select = element("select"), nameOf = code => new Intl.DisplayNames([code], { type: "language" }).of(code);
    select.ariaLabel = this.speech.words.page.language;
    select.append(...codes.map(code => Object.assign(element("option", "", nameOf(code)), { value: code, selected: code === current })));
    select.onchange = () => this.speak(select.value);
    return [select];
  }

  drawSoon() {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.draw();
    });
  }

  draw() {
    if (this.run.seen !== undefined) fillView(this.run, this.speech);
    for (const root of this.parts) drawPart(root, root.my, root.dataset.part);
    this.drawSettings();
    this.drawBranches();
  }

  // A row for each setting of the table, and the presets.
  buildSettings(home) {
    const { words } = this.speech, { run, file } = this, presets = element("div", "presets");
    const use = preset => run.press("settings", { ...preset, seed: run.settings.seed });
    presets.append(...words.presets.map((name, i) => buildButton(`preset${i}`, name, "", "", () => use(file.presets[i]))));
    this.rows = file.settings.map(({ name, off, control: [min, max, step] }) => {
      const row = element("label", "setting"), field = element("input"), { label, help } = words.settings[name], isSwitch = typeof off === "boolean";
      row.title = help;
      Object.assign(field, isSwitch ? { type: "checkbox" } : { type: name === "seed" ? "number" : "range", min, max, step });
      field.id = `set_${name}`;
      const number = () => Math.min(max, Math.max(min, Number(field.value) || 0));
      const read = () => (isSwitch ? field.checked : name === "seed" ? Math.floor(number()) : number());
      field[name === "seed" ? "onchange" : "oninput"] = () => run.press("settings", { ...run.settings, [name]: read() });
      row.append(element("span", "", label), element("b"), field, element("small"));
      return Object.assign(row, { name, off, field, places: [min, step] });
    });
    home.open = matchMedia("(min-width: 1100px)").matches;
    home.append(element("summary", "", words.page.settings), element("b", "", words.page.presets), presets, ...this.rows);
    this.presets = presets;
  }

  drawSettings() {
    const { settings } = this.run, { words } = this.speech;
    const replaced = this.file.stages.filter(({ kind }) => settings.greedy && kind !== "repetition").map(({ setting }) => setting);
    for (const row of this.rows) {
      const { name, off, field, places: [min, step] } = row, value = settings[name], { effects } = words.settings[name];
      const isSwitch = typeof off === "boolean", at = isSwitch ? Number(value) : name === "seed" ? 0 : Math.round((value - min) / step);
      if (isSwitch) field.checked = value;
      else if (!field.matches(":focus") || name !== "seed") field.value = value;
      row.children[1].textContent = isSwitch || name === "seed" ? "" : this.speech.number(value);
      const effect = replaced.includes(name) && value !== off ? this.speech.say("no_effect") : effects[at] ?? "";
      if (row.lastChild.textContent !== effect) row.lastChild.textContent = effect;
    }
    [...this.presets.children].forEach((button, i) => {
      button.ariaPressed = String(Object.entries(this.file.presets[i]).every(([name, value]) => name === "seed" || settings[name] === value));
    });
  }

  drawBranches() {
    const { branches } = this.places, details = branches.firstChild, endings = this.run.endings();
    branches.hidden = endings.length < 2;
    if (branches.hidden) return;
    details.firstChild.textContent = this.speech.say("branches", { count: this.speech.number(endings.length) });
    fill(details.lastChild, endings.length, () => element("button", "press")).forEach((button, i) => {
      const [node, text, isCurrent] = endings[i];
      button.textContent = text.trim().slice(0, 60) || "…";
      button.ariaCurrent = String(isCurrent);
      button.onclick = () => {
        details.open = false;
        this.run.press("switch", { node });
      };
    });
  }

  key(event) {
    const { target } = event, isTyped = target.matches("textarea, select, input:not([type=checkbox])");
    const pressesItself = event.key === " " && target.matches("button, summary, [role=button], input");
    if (isTyped || pressesItself || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const name = { ArrowRight: "step", ArrowLeft: "back", " ": this.run.playing ? "pause" : "play", r: "roll_again", R: "roll_again" }[event.key];
    if (!name) return;
    event.preventDefault();
    this.run.buttons[name]?.click();
  }
}

// Returns the bytes of the weights, as they were before base64 and gzip, whose checksum finds a damaged file.
async function unpacked(text) {
  const letters = atob(text), bytes = Uint8Array.from({ length: letters.length }, (_, i) => letters.charCodeAt(i));
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}

async function openPage() {
  const home = document.querySelector("main"), read = id => document.getElementById(id);
  const fail = sentence => { read("opening").textContent = sentence; };
  if (!self.DecompressionStream || !Array.prototype.at || !CSS.supports("color", "color-mix(in srgb, red, blue)")) return fail(home.dataset.old);
  let file, model;
  try {
    file = JSON.parse(read("data").textContent);
    const planes = await unpacked(read("weights").textContent);
    model = new Llama(file.shape, planes, location.hash === "#plain"); // #plain: without WebAssembly
  } catch {
    return fail(home.dataset.damaged);
  }
  read("weights").remove();
  const run = new PageRun(file, model, new Tokenizer(file.tokenizer), () => {});
  window.tokenViewerPage = new LivePage(file, run, home);
  await run.inTurn(() => {});
  home.dataset.ready = "";
}

document.addEventListener("DOMContentLoaded", openPage);
