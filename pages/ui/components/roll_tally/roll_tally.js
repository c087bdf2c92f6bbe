// The same step, rolled again and again. The rolls were made by the dice of the app; here they are only let fall one after the other.
function element(kind, className, text) {
  const made = document.createElement(kind);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
// As `numbers.percent` writes them: two figures for small ones, and neither 0 nor 100 for what is not quite so.
function percent(share, language) {
  const value = share * 100;
  const written = (number, options) => number.toLocaleString(language, options);
  if (value <= 0) return "0\u00a0%";
  if (value >= 100) return "100\u00a0%";
  if (value > 99.9) return `>\u00a0${written(99.9)}\u00a0%`;
  if (value < 0.00001) return `<\u00a0${written(0.00001, { maximumFractionDigits: 5 })}\u00a0%`;
  const places = Math.max(0, (value < 99.5 ? 1 : 2) - Math.floor(Math.log10(value)));
  return `${written(value, { maximumFractionDigits: places })}\u00a0%`;
}

export default function ({ parentElement, data }) {
  const tally = parentElement.querySelector(".tally");
  const grid = tally.querySelector(".grid");
  const canvas = tally.querySelector("canvas");
  const [hundred, thousand, sweep] = tally.querySelectorAll("button");
  const c = data.colours;
  const paint = { "--dice": c.dice, "--chosen": c.chosen, "--chosen-text": c.chosen_text, "--muted": c.muted_text, "--text": c.text, "--line": c.line, "--card": c.card, "--rest": c.rest };
  for (const [name, value] of Object.entries(paint)) tally.style.setProperty(name, value);
  const w = data.words;
  hundred.textContent = w.hundred;
  thousand.textContent = w.thousand;
  sweep.textContent = w.sweep;

  let state = tally.state;
  if (!state || state.step !== data.step) {
    if (state) cancelAnimationFrame(state.frame);
    state = tally.state = { step: data.step, thrown: 0, goal: 0, counts: data.rows.map(() => 0), frame: 0 };
  }
  grid.textContent = "";
  const lanes = data.rows.map(([name, share, kind]) => {
    const lane = element("div", "lane");
    const expected = element("div", `expected ${kind}`);
    expected.style.width = `${share * 100}%`;
    const seen = element("div", "seen");
    const luck = element("div", "luck");
    lane.append(expected, seen, luck);
    const number = element("div", "number");
    grid.append(element("div", `name ${kind}`, name), lane, number);
    return { share, seen, luck, number };
  });

  function draw() {
    const n = state.thrown;
    tally.querySelector(".count").textContent = n ? w.count.replace("{n}", n.toLocaleString(data.language)) : "";
    sweep.hidden = !n;
    hundred.disabled = thousand.disabled = n >= data.rolls.length;
    let within = 0;
    lanes.forEach(({ share, seen, luck, number }, i) => {
      const count = state.counts[i];
      const spread = n ? 2 * Math.sqrt(share * (1 - share) / n) : 0;
      seen.style.width = n ? `${count / n * 100}%` : "0";
      luck.style.display = n ? "block" : "none";
      luck.style.left = `${Math.max(0, share - spread) * 100}%`;
      luck.style.width = `${(Math.min(1, share + spread) - Math.max(0, share - spread)) * 100}%`;
      if (n && Math.abs(count / n - share) <= spread + 0.5 / n) within += 1;
      number.textContent = "";
      number.append(element("span", "", percent(share, data.language)));
      if (n) number.append(element("span", "muted", ` · ${percent(count / n, data.language)}`), element("span", "muted wide", ` (${count.toLocaleString(data.language)})`));
    });
    tally.querySelector(".told").textContent = n ? w.told.replace("{within}", within).replace("{all}", lanes.length) : w.before;
    const width = canvas.width = canvas.clientWidth * devicePixelRatio, height = canvas.height = canvas.clientHeight * devicePixelRatio;
    const pen = canvas.getContext("2d");
    pen.fillStyle = c.text;
    const size = n > 400 ? 1 : 1.6;
    for (let i = 0; i < n; i += 1) {
      const fresh = i >= n - 3 && state.thrown < state.goal;
      pen.globalAlpha = fresh ? 1 : n > 400 ? 0.16 : 0.34;
      pen.fillRect(data.rolls[i] * width, fresh ? 0 : height * 0.35, size * devicePixelRatio, height);
    }
  }
  function fall() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const pace = still ? Infinity : Math.max(1, Math.round(state.span / 110)); // rolls a frame
    for (let i = 0; i < pace && state.thrown < state.goal; i += 1) {
      state.counts[data.picks[state.thrown]] += 1;
      state.thrown += 1;
    }
    draw();
    if (state.thrown < state.goal) state.frame = requestAnimationFrame(fall);
  }
  function roll(times) {
    cancelAnimationFrame(state.frame);
    state.span = times;
    state.goal = Math.min(data.rolls.length, state.thrown + times);
    fall();
  }
  hundred.onclick = () => roll(100);
  thousand.onclick = () => roll(1000);
  sweep.onclick = () => {
    cancelAnimationFrame(state.frame);
    Object.assign(state, { thrown: 0, goal: 0, counts: data.rows.map(() => 0) });
    draw();
  };
  cancelAnimationFrame(state.frame);
  if (state.thrown < state.goal) fall(); else draw();
  return () => cancelAnimationFrame(state.frame);
}
