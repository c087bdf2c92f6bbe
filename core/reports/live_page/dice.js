// The roll of a step: the first number of NumPy's Generator(Philox(SeedSequence([seed's lower word, step, attempt, seed's upper word]))).
// SeedSequence is M. E. O'Neill's (https://www.pcg-random.org/posts/developing-a-seed_seq-alternative.html); Philox 4x64-10 is that of
// Salmon et al. 2011 ("Parallel random numbers: as easy as 1, 2, 3").
const WORD = 2 ** 32, MASK64 = (1n << 64n) - 1n;

function rollOf(seed, step, attempt = 0) {
  return philox(keyOf([seed % WORD, step, attempt, Math.floor(seed / WORD)]));
}

// Returns the two 64-bit keys that SeedSequence makes of four 32-bit words.
function keyOf(words) {
  const folded = value => (value ^ (value >>> 16)) >>> 0;
  const hasher = (start, factor) => {
    let constant = start;
    return value => {
      const mixed = value ^ constant;
      constant = Math.imul(constant, factor);
      return folded(Math.imul(mixed, constant));
    };
  };
  const hash = hasher(0x43b0d7e5, 0x931e8875), pool = words.map(hash);
  for (let from = 0; from < 4; from += 1) {
    for (let to = 0; to < 4; to += 1) {
      if (from !== to) pool[to] = folded(Math.imul(0xca01f9dd, pool[to]) - Math.imul(0x4973f715, hash(pool[from])));
    }
  }
  const [a, b, c, d] = pool.map(hasher(0x8b51f9dd, 0x58f38ded)).map(BigInt);
  return [a | (b << 32n), c | (d << 32n)];
}

// Returns the first number in [0, 1) of Philox 4x64-10 with these keys: its block of the counter 1.
function philox([key0, key1]) {
  let [c0, c1, c2, c3] = [1n, 0n, 0n, 0n], [k0, k1] = [key0, key1];
  for (let round = 0; round < 10; round += 1) {
    const first = c0 * 0xd2e7470ee14c6c93n, second = c2 * 0xca5a826395121157n;
    [c0, c1, c2, c3] = [(second >> 64n) ^ c1 ^ k0, second & MASK64, (first >> 64n) ^ c3 ^ k1, first & MASK64];
    [k0, k1] = [(k0 + 0x9e3779b97f4a7c15n) & MASK64, (k1 + 0xbb67ae8584caa73bn) & MASK64];
  }
  return Number(c0 >> 11n) / 2 ** 53;
}
