// Byte-level byte pair encoding, as `tokenizer.json` describes it: added tokens, words by a pattern, and merges of bytes in their order.

// The printable character that stands for each byte in the names of tokens: GPT-2's.
const ALPHABET = (() => {
  const plain = byte => (byte > 32 && byte < 127) || (byte > 160 && byte < 256 && byte !== 173);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(plain(byte) ? byte : next++));
})();

class Tokenizer {
  // tokens: names by id. merges: pairs of ids, in order. special: ids of marks. added: texts with their ids. prefix: ids before a text.
  // pattern: of words. whole: a word that is a token is not divided.
  constructor({ tokens, merges, special, added, prefix, pattern, whole }) {
    const byteOf = new Map(ALPHABET.map((character, byte) => [character, byte])), encoder = new TextEncoder();
    Object.assign(this, { prefix, whole, encoder, added: new Map(added), special: new Set(special), pattern: new RegExp(pattern, "gu") });
    this.raw = tokens.map((name, id) => {
      const bytes = [...name].map(character => byteOf.get(character));
      return this.special.has(id) || bytes.includes(undefined) ? encoder.encode(name) : Uint8Array.from(bytes);
    });
    this.names = tokens;
    this.idOf = new Map(tokens.map((name, id) => [name, id]));
    this.ofByte = ALPHABET.map(character => this.idOf.get(character));
    this.longest = Math.max(...this.raw.map(bytes => bytes.length));
    const size = this.size = tokens.length;
    this.merges = new Map(merges.map(([first, second], rank) => [first * size + second, [rank, this.idOf.get(tokens[first] + tokens[second])]]));
    const texts = added.map(([text]) => text).sort((a, b) => b.length - a.length).map(text => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    this.marks = texts.length ? new RegExp(texts.join("|"), "gu") : null;
  }

  // Returns the ids of a text, with those that stand before it.
  encode(text) {
    const ids = [...this.prefix];
    for (const [part, isMark] of partsOf(text, this.marks)) {
      if (isMark) ids.push(this.added.get(part));
      else for (const [word] of partsOf(part, this.pattern)) ids.push(...this.divided(word));
    }
    return ids;
  }

  textOf(id) {
    return this.special.has(id) ? "" : new TextDecoder().decode(this.raw[id]);
  }

  // Returns the ids of a word: its bytes, of which the pair with the earliest merge is joined again and again.
  divided(word) {
    const bytes = this.encoder.encode(word);
    if (this.whole) {
      const id = this.idOf.get(Array.from(bytes, byte => ALPHABET[byte]).join(""));
      if (id !== undefined) return [id];
    }
    let ids = Array.from(bytes, byte => this.ofByte[byte]);
    for (;;) {
      let best = null, pair = -1;
      for (let i = 1; i < ids.length; i += 1) {
        const key = ids[i - 1] * this.size + ids[i], merge = this.merges.get(key);
        if (merge && (!best || merge[0] < best[0])) [best, pair] = [merge, key];
      }
      if (!best) return ids;
      const joined = [];
      for (let i = 0; i < ids.length; i += 1) {
        const meets = i + 1 < ids.length && ids[i] * this.size + ids[i + 1] === pair;
        joined.push(meets ? best[1] : ids[i]);
        if (meets) i += 1;
      }
      ids = joined;
    }
  }
}

// Parts a text into [part, matches]: the matches of a pattern and what stands between them.
function partsOf(text, pattern) {
  const parts = [];
  let done = 0;
  for (const match of pattern ? text.matchAll(pattern) : []) {
    if (match.index > done) parts.push([text.slice(done, match.index), false]);
    if (match[0]) parts.push([match[0], true]);
    done = match.index + match[0].length;
  }
  if (done < text.length) parts.push([text.slice(done), false]);
  return parts;
}
