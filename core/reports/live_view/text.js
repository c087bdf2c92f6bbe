// The text of the run: the prompt, the written tokens, thoughts that are folded, and what became of the last press.
const SHOWN = 600; // newest tokens that are drawn, so that a long text costs the same; a click shows the earlier ones
const BLOCK = 100; // tokens by which the drawn part moves on, so that it mostly only grows

function drawText(my) {
  const { live, data: { texts, tint, as_chat, branch, clickable } } = my, { data } = live;
  const sentence = live.gone || live.refused || data?.refused || data?.notices.join(" ") || (live.isBusy ? texts.busy : "");
  const notice = my.made("notice", () => element("div", "notice"));
  notice.role = "alert";
  if (notice.textContent !== sentence) notice.textContent = sentence;
  notice.hidden = !sentence;
  const home = my.made("segments", () => element("div"));
  home.hidden = !data || Boolean(data.refused);
  if (my.below) my.below.hidden = home.hidden || Boolean(branch);
  if (home.hidden) return;
  const from = firstShown(my, live.prompt.length + live.tokens.length);
  const segments = segmentsOf(live.tokens.length, data.thoughts);
  while (home.children.length > segments.length) home.lastElementChild.remove();
  segments.forEach(([first, end, label], i) => {
    const strip = segmentOf(home, i, label);
    const skipped = Math.max(first, Math.min(end, from - live.prompt.length));
    const prompt = (i ? [] : live.prompt.slice(from)).map(([text, id, template]) => ({ text, id, template, step: -1 }));
    const written = live.tokens.slice(skipped, end).map(([text, id, , likely, unsure, forced, model, dice, rank, wanted], at) =>
      ({ text, id, step: skipped + at, depth: { likely, unsure }[tint] ?? 0, forced, model, dice, rank, wanted }));
    drawWords(strip, {
      tokens: [...prompt, ...written], tint, branch, clickable, flow: as_chat, direction: live.direction, opened: data.opened,
      accent: data.opened >= 0 ? data.opened : data.step?.rolled ? live.tokens.length - 1 : -1,
      before: !i && from ? texts.before.replace("{count}", from.toLocaleString(document.documentElement.lang || "en")) : "",
      ask: data.step?.why ? texts.ask : "", left: data.left ? texts.left : "", legend: texts.tints[tint] ?? ["", ""], card: texts.card,
      forced: written.some(token => token.forced) ? texts.forced : "", steered: written.some(token => token.wanted) ? texts.steered : "",
    }, {
      open: index => live.press("go", { index }),
      ask: index => live.press("go", { index }).then(() => live.ask("asked", Date.now())),
      left: () => live.press("switch", { node: data.left }),
      whole: () => { my.whole = live.run; drawText(my); },
    });
  });
  lines(my, my.made("lines", () => element("div", "lines")));
  my.below = my.made("below", () => Object.assign(element("div"), { hidden: Boolean(branch) }));
  showLegend(home.lastElementChild.strip, my.below);
}

// Puts the legend of the newest segment below all lines: the app has a menu beside it.
function showLegend({ legend, style }, home) {
  home.style.setProperty("--tint", style.getPropertyValue("--tint"));
  if (home.firstChild !== legend) home.replaceChildren(legend);
}

// The index of the first token that is drawn, counted over prompt and written tokens.
function firstShown(my, count) {
  if (count <= SHOWN) my.whole = null;
  if (count <= SHOWN || my.whole === my.live.run) return 0;
  const newest = Math.floor((count - SHOWN) / BLOCK) * BLOCK, { opened } = my.live.data;
  return opened < 0 ? newest : Math.min(newest, Math.max(0, my.live.prompt.length + opened - SHOWN / 2));
}

// Parts the steps into those outside of thoughts and the thoughts, as rows [first, end, label].
function segmentsOf(count, thoughts) {
  const segments = [];
  let done = 0;
  for (const [first, end, label] of thoughts) {
    if (first > done) segments.push([done, first, ""]);
    segments.push([first, end, label]);
    done = end;
  }
  if (!segments.length || done < count) segments.push([done, count, ""]);
  return segments;
}

function segmentOf(home, i, label) {
  let segment = home.children[i];
  if (segment && Boolean(segment.summary) !== Boolean(label)) { segment.remove(); segment = null; }
  if (!segment) {
    segment = label ? element("details", "thought") : element("div");
    segment.strip = buildStrip();
    segment.strip.legend.remove();
    if (label) segment.append(segment.summary = element("summary"));
    segment.append(segment.strip);
    home.insertBefore(segment, home.children[i] ?? null);
  }
  if (label && segment.summary.textContent !== label) segment.summary.textContent = label;
  return segment.strip;
}

// Draws below the text why it ended, that it is a recording, and what can be done about its end.
function lines(my, home) {
  const { live, data: { texts } } = my, { data } = live;
  const line = (name, sentence, label = "", act = null) => {
    const row = home.children[name] ?? home.appendChild(Object.assign(element("div", name), { id: name }));
    row.hidden = !sentence;
    if (row.sign === sentence + label) return;
    row.sign = sentence + label;
    row.replaceChildren(element("span", "", sentence), ...label ? [buildButton(name, label, "", "quiet", act)] : []);
  };
  line("ended", data.ended);
  line("loop", data.loop);
  line("space", data.final_space ? texts.space : "", texts.no_space, () => live.press("example", { text: live.field.replace(/ +$/, "") }));
  line("recorded", data.recorded, texts.close, () => live.press("close"));
  line("cached", data.from_cache);
}
