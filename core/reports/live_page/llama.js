// A small Llama (arXiv 2302.13971), one token at a time: RMS norm, rotary positions, grouped-query attention with a KV cache, SwiGLU.
const YIELD = 40; // milliseconds of work after which the page may draw
const inFours = count => 4 * Math.ceil(count / 4);

class Llama {
  // shape: {hidden, heads, kvHeads, headSize, intermediate, layers, vocabulary, context, epsilon, frequencies, scaling, tied}.
  // planes: Uint8Array with the upper bytes of all weights as float32, all lowest ones first. In the order of computation:
  // embedding, of each layer [norm, queries, keys, values, output, norm, gate, up, down], norm, head unless it is the embedding.
  constructor(shape, planes, plain = false) {
    Object.assign(this, { ...shape, ids: [], room: inFours(shape.context), angles: shape.frequencies });
    const { hidden, heads, kvHeads, headSize, intermediate, vocabulary } = shape;
    const turned = heads * headSize, packed = (heads + 2 * kvHeads) * headSize;
    const matrices = [[vocabulary, hidden]];
    for (let at = 0; at < shape.layers; at += 1)
      matrices.push([1, hidden], [packed, hidden], [hidden, turned], [1, hidden], [2 * intermediate, hidden], [hidden, intermediate]);
    matrices.push([1, hidden], ...shape.tied ? [] : [[vocabulary, hidden]]);
    const stored = matrices.reduce((sum, [rows, columns]) => sum + rows * columns, 0);
    const caches = shape.layers * kvHeads * this.room * headSize;
    const buffers = { x: hidden, normed: hidden, change: hidden, packed, scores: this.room, mixed: turned, gate: 2 * intermediate, logits: vocabulary };
    const space = 4 * hidden; // after a vocabulary that does not come in fours, and between buffers
    const working = Object.values(buffers).reduce((sum, count) => sum + inFours(count) + space, space);
    const isOdd = [hidden, headSize, intermediate].some(count => count % 4);
    Object.assign(this, memoryOf(stored + 2 * caches + working, plain || isOdd));
    let next = 0;
    const take = count => {
      const address = 4 * next;
      next += inFours(count);
      return address;
    };
    spread(planes, this.numbers, stored);
    const places = matrices.map(([rows, columns]) => {
      const address = 4 * next;
      next += rows * columns; // side by side, as they are stored
      return address;
    });
    this.embedding = places[0];
    this.parts = Array.from({ length: shape.layers }, (_, at) => places.slice(1 + 6 * at, 7 + 6 * at));
    this.norm = places[1 + 6 * shape.layers];
    this.head = shape.tied ? this.embedding : places.at(-1);
    next = inFours(next) + space;
    this.keys = take(caches); // [layer][KV head][position][number]
    this.values = take(caches); // [layer][KV head][number][position]
    for (const [name, count] of Object.entries(buffers)) this[name] = take(count + space);
  }

  // Returns the logits after these tokens, how many of them were computed and how many the cache held, and the seconds.
  // pause: a promise of the moment at which the page has drawn.
  async after(ids, pause) {
    const began = performance.now();
    let shared = 0, drawn = began;
    while (shared < ids.length - 1 && this.ids[shared] === ids[shared]) shared += 1;
    this.ids.length = shared;
    for (let position = shared; position < ids.length; position += 1) {
      this.pass(ids[position], position, position === ids.length - 1);
      this.ids.push(ids[position]);
      if (performance.now() - drawn > YIELD) {
        await pause();
        drawn = performance.now();
      }
    }
    const at = this.logits / 4;
    const logits = this.numbers.slice(at, at + this.vocabulary);
    return { logits, computed: ids.length - shared, reused: shared, seconds: (performance.now() - began) / 1000 };
  }

  // Computes one token at its position, and its logits if they are wanted.
  pass(id, position, wantsLogits) {
    const { numbers, hidden, heads, headSize, intermediate } = this, turned = heads * headSize;
    const from = this.embedding / 4 + id * hidden;
    numbers.copyWithin(this.x / 4, from, from + hidden);
    this.parts.forEach(([attentionNorm, qkv, output, feedNorm, gateUp, down], layer) => {
      this.normalize(attentionNorm);
      this.product(qkv, this.normed, this.packed, (heads + 2 * this.kvHeads) * headSize, hidden, 4 * hidden);
      this.attend(layer, position);
      this.product(output, this.mixed, this.change, hidden, turned, 4 * turned);
      this.add();
      this.normalize(feedNorm);
      this.product(gateUp, this.normed, this.gate, 2 * intermediate, hidden, 4 * hidden);
      const gate = this.gate / 4;
      for (let i = gate; i < gate + intermediate; i += 1) numbers[i] *= numbers[i + intermediate] / (1 + Math.exp(-numbers[i]));
      this.product(down, this.gate, this.change, hidden, intermediate, 4 * intermediate);
      this.add();
    });
    if (!wantsLogits) return;
    this.normalize(this.norm);
    this.product(this.head, this.normed, this.logits, this.isFast ? inFours(this.vocabulary) : this.vocabulary, hidden, 4 * hidden);
  }

  // Root mean square norm (arXiv 1910.07467) of x with these weights.
  normalize(weights) {
    const { numbers, hidden } = this, x = this.x / 4, out = this.normed / 4;
    let sum = 0;
    for (let i = 0; i < hidden; i += 1) sum += numbers[x + i] ** 2;
    const scale = 1 / Math.sqrt(sum / hidden + this.epsilon);
    for (let i = 0; i < hidden; i += 1) numbers[out + i] = numbers[x + i] * scale * numbers[weights / 4 + i];
  }

  add() {
    const { numbers } = this, x = this.x / 4, change = this.change / 4;
    for (let i = 0; i < this.hidden; i += 1) numbers[x + i] += numbers[change + i];
  }

  // Rotates queries and keys to their position (arXiv 2104.09864), keeps keys and values, and mixes the values by attention.
  attend(layer, position) {
    const { numbers, heads, kvHeads, headSize, room } = this, packed = this.packed / 4, half = headSize / 2;
    const turns = this.angles.map(frequency => Math.fround(Math.fround(frequency) * position)); // float32, as the app's
    const [cosines, sines] = [turns.map(Math.cos), turns.map(Math.sin)];
    for (let head = 0; head < heads + kvHeads; head += 1) {
      for (let i = packed + head * headSize, pair = 0; pair < half; i += 1, pair += 1) {
        const [a, b] = [numbers[i], numbers[i + half]];
        numbers[i] = a * cosines[pair] - b * sines[pair];
        numbers[i + half] = b * cosines[pair] + a * sines[pair];
      }
    }
    const size = 4 * headSize * room, count = position + 1, padded = inFours(count), scores = this.scores / 4;
    for (let kv = 0; kv < kvHeads; kv += 1) {
      const keys = this.keys + (layer * kvHeads + kv) * size, values = this.values + (layer * kvHeads + kv) * size;
      const key = packed + (heads + kv) * headSize, value = key + kvHeads * headSize;
      numbers.copyWithin(keys / 4 + position * headSize, key, key + headSize);
      for (let i = 0; i < headSize; i += 1) numbers[values / 4 + i * room + position] = numbers[value + i];
      for (let head = kv * heads / kvHeads; head < (kv + 1) * heads / kvHeads; head += 1) {
        this.product(keys, this.packed + 4 * head * headSize, this.scores, padded, headSize, 4 * headSize);
        let top = -Infinity, total = 0;
        for (let i = scores; i < scores + count; i += 1) top = Math.max(top, numbers[i]);
        for (let i = scores; i < scores + count; i += 1) total += numbers[i] = Math.exp((numbers[i] - top) * this.scaling);
        for (let i = scores; i < scores + count; i += 1) numbers[i] /= total;
        numbers.fill(0, scores + count, scores + padded);
        this.product(values, this.scores, this.mixed + 4 * head * headSize, headSize, padded, 4 * room);
      }
    }
  }
}

// Writes weights from their byte planes into float32 numbers.
function spread(planes, numbers, count) {
  const bytes = new Uint8Array(numbers.buffer), kept = planes.length / count;
  if (!(kept >= 1 && kept <= 4 && Number.isInteger(kept))) throw new Error("the weights are incomplete");
  for (let plane = 0; plane < kept; plane += 1)
    for (let i = 0, to = 4 - kept + plane, from = plane * count; i < count; i += 1, to += 4) bytes[to] = planes[from + i];
}
