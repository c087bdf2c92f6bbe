// What the parts of the view get of a step, in the language of the page: as `record/step_rows.py` and the app's `live_rows.py` make it.
const HIDDEN_LINE = -2, REST_LINE = -1; // keys of the line of excluded tokens, and of all tokens without a row
const READER = new TextDecoder("utf-8", { fatal: true });
const hex = bytes => Array.from(bytes, byte => `⟨${byte.toString(16).toUpperCase().padStart(2, "0")}⟩`).join("");

// Sentences and numbers of one language. words: of the page (texts.py).
class Speech {
  constructor(words, language) {
    Object.assign(this, { words, language, formats: new Map() });
  }

  say(name, values = {}) {
    return this.words.rows[name].replace(/\{(\w+)\}/g, (_, value) => values[value]);
  }

  number(value, options = {}) {
    const name = JSON.stringify(options); // a format is slow to make
    if (!this.formats.has(name)) this.formats.set(name, new Intl.NumberFormat(this.language, options));
    return this.formats.get(name).format(value);
  }

  decimal(value, places) {
    return this.number(value, { minimumFractionDigits: places, maximumFractionDigits: places });
  }

  // A probability with two digits, three near 100 %, and below 0.01 % as "1 in 32,000".
  chance(share) {
    if (share > 0 && share < 1e-12) return this.say("trillion");
    if (share > 0 && share < 1e-4) {
      const long = 1 / share >= 999_500 ? { notation: "compact", compactDisplay: "long" } : {};
      return this.say("one_in", { times: this.number(1 / share, { maximumSignificantDigits: 2, ...long }).replace(" ", "\u00a0") });
    }
    const value = 100 * share;
    if (value > 99.9 && value < 100) return `> ${this.decimal(99.9, 1)} %`.replaceAll(" ", "\u00a0");
    return `${this.number(Math.min(value, 100), { maximumSignificantDigits: value < 99.5 ? 2 : 3 })}\u00a0%`;
  }

  size(bytes) {
    const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1) / 0.9995) / 3));
    const digits = Math.max(2, String(Math.round(bytes / 1000 ** power)).length);
    return `${this.number(bytes / 1000 ** power, { maximumSignificantDigits: power ? digits : 21 })}\u00a0${["B", "KB", "MB", "GB"][power]}`;
  }

  roll(value) {
    return this.decimal(Math.floor(value * 1000) / 1000, 3); // cut, because a roll is below 1
  }

  // The settings of a step that are not off.
  summary(settings, table) {
    const parts = table.filter(({ name, off }) => name !== "seed" && settings[name] !== off).map(({ name, off }) => {
      const { short } = this.words.settings[name];
      return typeof off === "boolean" ? short : `${short} ${this.number(settings[name])}`;
    });
    return parts.join(", ") || this.say("all_off");
  }
}

// Returns the text that a token adds after the bytes of an incomplete character, and the bytes that are then incomplete.
function addedBy(raw, waiting) {
  const bytes = Uint8Array.from([...waiting, ...raw]);
  let text = "", from = 0;
  while (from < bytes.length) {
    const lead = bytes[from], length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    const part = bytes.subarray(from, from + length);
    if (part.length < length && part.subarray(1).every(byte => byte >> 6 === 2)) break;
    try {
      text += READER.decode(part.length ? part : bytes.subarray(from, from + 1));
      from += length;
    } catch {
      text += hex([lead]);
      from += 1;
    }
  }
  return [text, bytes.slice(from)];
}

// A token as the text shows it: its piece, or the character that it completes and the bytes of one that it begins.
function shownAs(text, piece, raw) {
  const written = new TextEncoder().encode(text);
  const ends = count => raw.subarray(0, count).every((byte, i) => written[written.length - count + i] === byte);
  if (!text || (written.length === raw.length && ends(raw.length))) return piece;
  let used = raw.length;
  while (used && !(used <= written.length && ends(used))) used -= 1;
  const signs = { " ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥" };
  return text.replace(/[ \n\r\t]/g, sign => signs[sign]) + hex(raw.subarray(used || raw.length));
}

// The names of the stages because of which greedy takes another token than the likeliest.
function movedBy({ names, final, ranks }) {
  return names.at(-1) === "greedy" && ranks[final.indexOf(1)] > 1 ? names.slice(1, -1) : [];
}

// The bars of a step: at most `count` candidates and the rest. limits: numbers of `step_rows.py`. pieces: of all tokens.
function barsOf(seen, count, folded, { limits, pieces }, speech) {
  const { listed, model, final, removed, ranks } = seen, chosen = seen.how ? listed.indexOf(seen.chosen) : -1, moved = movedBy(seen);
  const first = listed.map((_, column) => column).slice(0, count);
  const isUnlikely = column => removed[column] && model[column] < limits.worth && column !== chosen;
  let kept = first.length;
  while (folded && kept > limits.fewest && isUnlikely(first[kept - 1])) kept -= 1;
  let shown = first.length - kept > 1 ? first.slice(0, kept) : first;
  if (chosen >= 0 && !first.includes(chosen)) shown = [...shown.slice(0, count - 1), chosen];
  const taken = ranks[final.indexOf(1)];
  const rows = shown.map((column, index) => {
    const piece = pieces[listed[column]], label = piece.replace(/^␣(?=.)/s, ""), because = removed[column];
    const stages = because === "greedy" && moved.length && ranks[column] < taken ? [...moved, "greedy"] : because ? [because] : [];
    const reason = stages.map(name => speech.words.stages[name]).join(", ") || "–";
    const rank = speech.number(ranks[column]), isMoved = ranks[column] !== index + 1;
    const notes = [...stages.length ? [speech.say("excluded_by", { stage: reason })] : [], ...isMoved ? [speech.say("rank", { rank })] : []];
    const isLong = Math.max(model[column], final[column]) > 0.75; // no space for a note beside the bar
    const texts = { model_text: speech.chance(model[column]), dice_text: speech.chance(final[column]) };
    const kind = column === chosen ? "chosen" : stages.length ? "removed" : "open";
    return {
      token_id: listed[column], space: label === piece ? "" : "␣", label, piece, model: model[column], dice: final[column], kind, ...texts,
      number: isLong && stages.length ? speech.say("excluded") : texts.dice_text, note: isLong ? "" : notes.join(" · "), id: listed[column],
      rank: ranks[column], logit: seen.logits[column], removed_by: reason,
    };
  });
  const hidden = listed.map((_, column) => column).filter(column => !shown.includes(column)), folds = first.length - shown.length;
  const rest = (shares, left) => left + hidden.reduce((sum, column) => sum + shares[column], 0);
  const pale = rest(model, unlisted(seen, model, 0)), solid = rest(final, unlisted(seen, final, 1)), isGone = solid === 0 && pale > 0;
  const excluded = seen.kept[0] - seen.kept[1] - shown.filter(column => removed[column]).length;
  const everything = isGone ? speech.say("many_excluded", { count: speech.number(excluded) }) : speech.say("rest");
  const numbers = { model_text: speech.chance(pale), dice_text: speech.chance(solid) };
  rows.push({
    token_id: folded ? HIDDEN_LINE : REST_LINE, space: "", label: speech.say(folds > 0 && isGone ? "others" : "rest"), piece: everything,
    model: pale, dice: solid, kind: "rest", number: numbers.dice_text, note: [...isGone ? [speech.say("excluded")] : [], ...folds > 0 ? [speech.say("open")] : []].join(" · "),
    id: null, rank: null, logit: null, removed_by: "", ...numbers,
  });
  return rows;
}

// The probability of all unlisted tokens. stage: 0 for the model, 1 after the settings.
function unlisted({ kept }, shares, stage) {
  return kept[stage] <= shares.filter(share => share > 0).length ? 0 : Math.max(0, 1 - shares.reduce((sum, share) => sum + share, 0));
}

// The strip of the dice: the largest tokens and the chosen one on their own, the others bundled.
function stripOf(seen, { limits, pieces }, speech) {
  const columns = seen.starts.map((_, column) => column).filter(column => seen.starts[column] >= 0).sort((a, b) => seen.starts[a] - seen.starts[b]);
  const segments = [];
  let reached = 0, singles = 0;
  const add = (key, label, start, end, isChosen = false) => {
    if (key < 0 && segments.at(-1)?.[0] < 0) segments.at(-1)[3] = end;
    else segments.push([key, label, start, end, isChosen]);
  };
  for (const column of columns) {
    const key = seen.listed[column], start = seen.starts[column], isChosen = Boolean(seen.how) && key === seen.chosen;
    if (start - reached > limits.sliver) add(REST_LINE, speech.say("unlikely"), reached, start);
    reached = Math.min(1, start + seen.final[column]);
    if (isChosen || singles < limits.single) {
      add(key, pieces[key].replace(/^␣(?=.)/s, ""), start, reached, isChosen);
      if (!isChosen) singles += 1;
    } else add(REST_LINE, speech.say("unlikely"), start, reached);
  }
  if (1 - reached > limits.sliver && unlisted(seen, seen.final, 1) > 0) add(REST_LINE, speech.say("unlikely"), reached, 1);
  const rolled = seen.how === "sampled";
  return {
    segments: segments.map(segment => [...segment, speech.chance(segment[3] - segment[2])]),
    roll: rolled ? seen.roll : null, roll_text: rolled ? speech.roll(seen.roll) : "",
    throw: seen.how ? `${seen.index}:${seen.chosen}:${seen.roll}` : "", alt: speech.say("strip"), caption: captionOf(seen, pieces, speech),
  };
}

// One sentence about how the token is or was chosen.
function captionOf(seen, pieces, speech) {
  const stages = movedBy(seen).map(name => speech.words.stages[name]).join(", ");
  if (!seen.how) return speech.say(!seen.settings.greedy ? "wide" : stages ? "will_be_moved" : "will_be_greedy", { stages });
  const piece = pieces[seen.chosen], share = speech.chance(seen.final[seen.listed.indexOf(seen.chosen)]);
  const name = seen.how === "greedy" && stages ? "moved" : seen.how;
  return speech.say(name, { piece, stages, share, roll: seen.how === "sampled" ? speech.roll(seen.roll) : "" });
}
