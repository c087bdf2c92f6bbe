// From logits to a token: the stages, observed one after the other, and the strip of the dice. As `core/sampling` does it on a CPU.
const LISTED = 20; // likeliest tokens that a step lists
const f32 = Math.fround;

// What each setting does to scores (Float32Array [vocabulary], -Infinity for excluded tokens). text: {ids, written}, of prompt and text.
const STAGES = {
  repetition_penalty: (scores, value, text) => changed(scores, text.ids, (score, _) => (score < 0 ? score * f32(value) : score / f32(value))),
  frequency_penalty: (scores, value, text) => changed(scores, text.written, (score, count) => score + f32(-value * count)),
  presence_penalty: (scores, value, text) => changed(scores, text.written, score => score + f32(-value)),
  temperature: (scores, value) => scores.map(score => score / f32(value)),
  top_k: (scores, value, text, order) => above(scores, ordered(scores, order)[Math.min(value, scores.length) - 1]),
  // A token is kept if the likelier ones weigh less than top-p: if itself and the less likely ones weigh more than 1 - top-p.
  top_p: (scores, value, text, order) => {
    const ids = ordered(scores, order), { weights, total } = weighed(scores), border = f32(1 - value);
    let at = ids.length - 1, inside = 0;
    while (at > 0 && (inside += weights[ids[at]]) / total <= border) at -= 1;
    return above(scores, ids[at]);
  },
  min_p: (scores, value) => {
    const { below } = weighed(scores), least = f32(Math.log(value));
    return scores.map((score, id) => (below[id] > least ? score : -Infinity));
  },
  // Tokens whose surprise is closest to the mean, up to a probability (arXiv 2202.00666).
  typical_p: (scores, value) => {
    const { below, weights, total } = weighed(scores);
    let mean = 0;
    for (const id of alive(scores)) mean += weights[id] * below[id] / total;
    const distances = below.map(number => Math.abs(number - f32(mean)));
    const ids = alive(scores).sort((a, b) => distances[a] - distances[b]);
    let last = 0, inside = weights[ids[0]];
    while (last < ids.length - 1 && inside < value * total) inside += weights[ids[last += 1]];
    return scores.map((score, id) => (distances[id] <= distances[ids[last]] ? score : -Infinity));
  },
};

const alive = scores => scores.reduce((ids, score, id) => (score > -Infinity ? (ids.push(id), ids) : ids), []);
const above = (scores, id) => scores.map(score => (score >= scores[id] ? score : -Infinity));

// Changes the scores of these tokens, each once, by a function of the score and of how often the token occurs.
function changed(scores, ids, change) {
  const counts = new Map(), made = scores.slice();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const [id, count] of counts) made[id] = change(made[id], count);
  return made;
}

// Returns the ids of the numbers above -Infinity, largest number first, equal ones by id. guess: an order of all ids, nearly right.
// One sort of plain numbers is ten times as fast as one with a function: the bits of float32 numbers, turned so that they ascend as the
// numbers descend, then the id.
function ordered(numbers, guess) {
  if (guess) return mended(guess.filter(id => numbers[id] > -Infinity), numbers);
  const bits = new Int32Array(Float32Array.from(numbers, number => number + 0).buffer), keys = new Float64Array(numbers.length);
  let count = 0;
  for (let id = 0; id < bits.length; id += 1) {
    if (numbers[id] > -Infinity) keys[count++] = ((bits[id] < 0 ? bits[id] : ~bits[id] & 0x7fffffff) >>> 0) * 2 ** 20 + id;
  }
  return Int32Array.from(keys.subarray(0, count).sort(), key => key % 2 ** 20);
}

// Puts ids that stand wrong into their places (insertion sort). A stage changes few places: equal scores, or those of a penalty.
function mended(ids, numbers) {
  for (let i = 1; i < ids.length; i += 1) {
    const id = ids[i], number = numbers[id];
    let at = i;
    for (; at && (numbers[ids[at - 1]] < number || (numbers[ids[at - 1]] === number && ids[at - 1] > id)); at -= 1) ids[at] = ids[at - 1];
    ids[at] = id;
  }
  return ids;
}

// Returns of all tokens how far they are below the largest score, their weights, and the sum of these.
function weighed(scores) {
  const top = scores.reduce((largest, score) => Math.max(largest, score), -Infinity);
  const below = scores.map(score => score - top), weights = below.map(Math.exp);
  return { below, weights, total: weights.reduce((sum, weight) => sum + weight, 0) };
}

// Returns the weights of the tokens and their sum, the entropy in bits, and how many tokens can be chosen.
function distributionOf(scores) {
  const { below, weights, total } = weighed(scores);
  let entropy = Math.log(total), kept = 0;
  for (let id = 0; id < below.length; id += 1) {
    if (weights[id]) entropy -= weights[id] * below[id] / total;
    if (scores[id] > -Infinity) kept += 1;
  }
  return { weights, total, entropy: entropy / Math.LN2, kept };
}

// Observes a step. stages: rows {setting, kind, off} in their order. choice: {roll}, {forced: id}, {greedily: true}, or {} for none.
// Returns {listed, ranks, logits, model, final, removed, starts} by listed token, {names, kept, entropies} by stage, and the chosen id.
function observed(logits, settings, stages, text, { roll, forced, greedily }) {
  const active = stages.filter(({ setting, off, kind }) => settings[setting] !== off && !(settings.greedy && kind !== "repetition"));
  const rows = [logits], order = ordered(logits);
  for (const { setting } of active) rows.push(STAGES[setting](rows.at(-1), settings[setting], text, order));
  const names = ["model", ...active.map(({ setting }) => setting), ...settings.greedy ? ["greedy"] : []];
  if (settings.greedy) {
    const likeliest = ordered(rows.at(-1), order)[0];
    rows.push(rows.at(-1).map((score, id) => (id === likeliest ? score : -Infinity)));
  }
  const first = distributionOf(logits), last = distributionOf(rows.at(-1)), { weights, total } = last;
  const strip = ordered(rows.at(-1).map((score, id) => (score > -Infinity ? weights[id] : score)), order), starts = new Map();
  let reached = 0, chosen = forced ?? -1;
  for (const id of strip) {
    starts.set(id, reached / total);
    reached += weights[id];
    if (chosen < 0 && (greedily || roll !== undefined && reached / total > roll)) chosen = id;
  }
  if (chosen < 0 && roll !== undefined) chosen = strip.at(-1);
  const listed = Array.from(order.subarray(0, LISTED));
  if (chosen >= 0 && !listed.includes(chosen)) listed.push(chosen);
  const removedBy = id => names[rows.findIndex(row => row[id] === -Infinity)] ?? "";
  return {
    listed, chosen, names, kept: [first.kept, last.kept], entropies: [first.entropy, last.entropy], ranks: listed.map(id => order.indexOf(id) + 1),
    logits: listed.map(id => logits[id]), model: listed.map(id => first.weights[id] / first.total), final: listed.map(id => weights[id] / total),
    removed: listed.map(removedBy), starts: listed.map(id => starts.get(id) ?? NaN),
  };
}
