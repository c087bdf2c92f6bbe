// Opens the page: reads the model out of the file, then draws the run, its settings and its branches in one of the languages of the file.
const PART = 2 ** 18; // characters of base64, in fours

class LivePage {
  constructor(file, run) {
    Object.assign(this, { file, run, wanted: false, roll: rollOf }); // all for the console of the browser, too
    this.parts = [...document.querySelectorAll("[data-part]")];
    this.rows = [...document.querySelectorAll("[data-setting]")];
    this.presets = [...document.querySelectorAll(".presets > *")];
    this.branches = document.getElementById("branches");
    run.drawAll = () => this.drawSoon();
    this.listen();
    const codes = Object.keys(file.words), spoken = navigator.languages.map(language => language.slice(0, 2));
    this.speak(spoken.find(code => codes.includes(code)) ?? codes[0]);
  }

  // Lets the settings, the presets, the languages and the keys do what they say.
  listen() {
    const { run, file } = this;
    this.presets.forEach((button, i) => { button.onclick = () => run.press("settings", { ...file.presets[i], seed: run.settings.seed }); });
    for (const { dataset: { setting }, children: [, , field] } of this.rows) {
      const number = () => Math.min(field.max, Math.max(field.min, Number(field.value) || 0));
      const read = { checkbox: () => field.checked, number: () => Math.floor(number()), range: number }[field.type];
      field[field.type === "number" ? "onchange" : "oninput"] = () => run.press("settings", { ...run.settings, [setting]: read() });
    }
    const codes = Object.keys(file.words), languages = document.getElementById("language");
    const nameOf = code => new Intl.DisplayNames([code], { type: "language" }).of(code);
    languages.append(...codes.map(code => Object.assign(element("option", "", nameOf(code)), { value: code })));
    languages.hidden = codes.length < 2;
    languages.onchange = () => this.speak(languages.value);
    document.getElementById("settings").open = matchMedia("(min-width: 1100px)").matches;
    document.addEventListener("keydown", event => this.key(event));
  }

  // Writes everything in a language.
  speak(language) {
    const { file, run } = this, words = file.words[language], languages = document.getElementById("language");
    this.speech = new Speech(words, language);
    Object.assign(languages, { ariaLabel: words.page.language, value: language });
    document.documentElement.lang = language;
    document.title = words.page.title;
    for (const place of document.querySelectorAll("[data-say]")) place.textContent = words.page[place.dataset.say];
    this.presets.forEach((button, i) => { button.textContent = words.presets[i]; });
    for (const row of this.rows) {
      const { label, help } = words.settings[row.dataset.setting];
      [row.title, row.firstChild.textContent] = [help, label];
    }
    const options = {
      bars: { legend: words.legend, logarithmic: false }, text: { tint: "likely" }, player: { speeds: words.speeds },
      prompt: { examples: words.examples, limit: Infinity }, // PageRun.begin bounds it
    };
    for (const root of this.parts) {
      const name = root.dataset.part;
      root.replaceChildren();
      root.my = { made: partOf(root), live: run, data: { texts: words.parts[name], clickable: true, signs: false, ...options[name] } };
    }
    this.drawSoon();
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

  drawSettings() {
    const { settings } = this.run, { words } = this.speech;
    const replaced = this.file.stages.filter(({ kind }) => settings.greedy && kind !== "repetition").map(({ setting }) => setting);
    for (const [i, { name, off }] of this.file.settings.entries()) {
      const [, number, field, effect] = this.rows[i].children, value = settings[name], { effects } = words.settings[name];
      const isSlider = field.type === "range", at = isSlider ? Math.round((value - field.min) / field.step) : Math.min(value, effects.length - 1);
      if (field.type === "checkbox") field.checked = value;
      else if (isSlider || !field.matches(":focus")) field.value = value;
      number.textContent = isSlider ? this.speech.number(value) : "";
      const sentence = replaced.includes(name) && value !== off ? this.speech.say("no_effect") : effects[at] ?? "";
      if (effect.textContent !== sentence) effect.textContent = sentence;
    }
    this.presets.forEach((button, i) => {
      button.ariaPressed = String(Object.entries(this.file.presets[i]).every(([name, value]) => name === "seed" || settings[name] === value));
    });
  }

  drawBranches() {
    const { branches, run } = this, endings = run.endings();
    branches.hidden = endings.length < 2;
    if (branches.hidden) return;
    branches.firstElementChild.textContent = this.speech.say("branches", { count: this.speech.number(endings.length) });
    fill(branches.lastElementChild, endings.length, () => element("button", "press")).forEach((button, i) => {
      const [node, text, isCurrent] = endings[i];
      button.textContent = text.trim().slice(0, 60) || "…";
      button.ariaCurrent = String(isCurrent);
      button.onclick = () => {
        branches.open = false;
        run.press("switch", { node });
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

// Returns the bytes of the weights, as they were before base64 and gzip, whose checksum finds a damaged file. It reads the text in parts,
// because a phone has no memory for several copies of it.
async function unpacked(text) {
  const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
  const write = async () => {
    for (let at = 0; at < text.length; at += PART) {
      const letters = atob(text.slice(at, at + PART));
      await writer.write(Uint8Array.from({ length: letters.length }, (_, i) => letters.charCodeAt(i)));
    }
    await writer.close();
  };
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), write()]);
  return new Uint8Array(bytes);
}

async function openPage() {
  const home = document.querySelector("main"), read = id => document.getElementById(id), opening = read("opening");
  const fail = sentence => { opening.textContent = sentence; };
  if (!self.DecompressionStream || !Array.prototype.at || !CSS.supports("color", "color-mix(in srgb, red, blue)")) return fail(home.dataset.old);
  let file, model;
  try {
    file = JSON.parse(read("data").textContent);
    const planes = await unpacked(read("weights").textContent);
    model = new Llama(file.shape, planes, location.hash === "#plain"); // #plain: without WebAssembly
  } catch {
    return fail(home.dataset.damaged);
  }
  for (const done of [opening, read("weights")]) done.remove();
  const run = new PageRun(file, model, new Tokenizer(file.tokenizer), () => {});
  window.tokenViewerPage = new LivePage(file, run);
  read("page").hidden = false;
  await run.inTurn(() => {});
  home.dataset.ready = "";
}

document.addEventListener("DOMContentLoaded", openPage);
