// What the parts of the view read of the run of a live page: the data that the app's `view_data.py` sends.

// Fills the run with its tokens, the rows of its small charts, and the step that is shown, in the language of the page.
function fillView(run, speech) {
  const { path, seen, file } = run;
  run.gone = run.failed ? speech.say("unexpected") : "";
  if (path.some(({ words, seen: step }) => !words || !step)) return; // in the middle of a press: the view keeps what it shows
  if (run.run !== run.number) {
    run.run = run.number;
    run.prompt = run.promptIds.map((id, i) => [run.promptWords[i].shown, id, false]);
  }
  for (const node of path) if (node.language !== speech.language) Object.assign(node, rowsOf(node, file, speech), { language: speech.language });
  run.tokens = path.map(node => node.row);
  run.from = Math.max(0, path.length - MOST);
  run.series = path.slice(run.from).map(node => node.slot);
  const last = run.tokenizer.raw[run.promptIds.at(-1)];
  const notices = [...run.notice ? [speech.say(...run.notice)] : [], ...speech.words.missing ? [speech.words.missing] : []];
  run.notice = null;
  run.data = {
    notices, playing: run.playing, speed: run.speed, opened: run.opened, prompt: run.text, thoughts: [], recorded: "", from_cache: "",
    final_space: !path.length && Boolean(last) && /^\s* $/.test(new TextDecoder().decode(last)),
    refused: run.refusal ? speech.say(run.refusal[0], numbersSaid(run.refusal[1] ?? {}, speech)) : "",
    left: run.left, ended: run.playing ? "" : speech.words.ended[run.ended] ?? "",
    step: seen && stepOf(seen, run, speech),
  };
}

// A written token as the rows of the text and of the small charts.
function rowsOf({ id, key, how, words, seen }, { limits, pieces, cache_bytes: each }, speech) {
  const column = seen.listed.indexOf(seen.chosen), likely = seen.model[column], [entropy] = seen.entropies, surprise = -Math.log2(likely);
  const tint = share => Number((limits.palest + (limits.deepest - limits.palest) * share).toFixed(3));
  const chances = [likely, seen.final[column]].map(share => speech.chance(share));
  const prefill = seen.index === 0 && (seen.reused === 0 || seen.computed > 1);
  const texts = [pieces[key], speech.size(seen.position * each), ""];
  return {
    row: [words.shown, key, id, tint(likely), tint(Math.min(1, entropy / limits.doubt)), how === "forced", ...chances, seen.ranks[column], ""],
    slot: [seen.reused, seen.computed, seen.seconds, entropy, surprise, prefill, ...texts],
  };
}

// The step that is shown: its bars, its dice, its cache.
function stepOf(seen, { file, folded, model: { context } }, speech) {
  const { rows, pieces, settings, cache_bytes: each } = file, bytes = seen.position * each, column = seen.listed.indexOf(seen.chosen);
  const counts = numbersSaid({ tokens: seen.position, limit: context, each, whole: bytes }, speech);
  const told = () => ({ piece: pieces[seen.chosen], share: speech.chance(seen.final[column]), rank: speech.number(seen.ranks[column]) });
  const formula = `${speech.say("in_use", counts)}\n${speech.say("notepad")}`;
  return {
    index: seen.index, rolled: Boolean(seen.how), rows, folded, notes: [], times: [], why: "",
    bars: barsOf(seen, rows, folded, file, speech), strip: stripOf(seen, file, speech), settings: speech.summary(seen.settings, settings),
    gauge: [speech.size(bytes), speech.say("of_tokens", counts), seen.position / context, formula],
    said: seen.how ? speech.say("said", told()) : "",
  };
}

// Numbers of a sentence as the language writes them.
function numbersSaid(values, speech) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typeof value === "number" ? speech.number(value) : value]));
}
