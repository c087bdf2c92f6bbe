// Matrix products over one memory of float32 numbers: by WebAssembly with SIMD, or in plain JavaScript where that is refused.
//
// product(matrix, vector, out, rows, columns, stride) writes out[r] = sum of matrix[r][c] * vector[c]. Addresses and the stride from row to
// row are in bytes. SIMD computes four rows at a time and four columns of each, so it needs rows, columns and stride in fours.

// The code of the product in words of WebAssembly's text format, shortened. Four rows begin at p0 to p3; x walks along the vector.
const EACH = [0, 1, 2, 3];
const PRODUCT = `
  get out  get rows  const 2  shl  add  set last
  loop
    ${EACH.map(row => `get matrix  set p${row}  get matrix  get stride  add  set matrix  zero  set sum${row}`).join("  ")}
    get vector  set x
    loop
      ${EACH.map(row => `get p${row}  load  get x  load  vmul  get sum${row}  vadd  set sum${row}  get p${row}  const 16  add  set p${row}`).join("  ")}
      get x  const 16  add  set x
      get x  get vector  get columns  const 2  shl  add  less  repeat
    end
    ${EACH.map(row => `get out  ${EACH.map(lane => `get sum${row}  lane ${lane}`).join("  ")}  fadd  fadd  fadd  store  get out  const 4  add  set out`).join("  ")}
    get out  get last  less  repeat
  end`;
const NUMBERS = "matrix vector out rows columns stride last x p0 p1 p2 p3".split(" "); // i32; the first six are the arguments
const VECTORS = "sum0 sum1 sum2 sum3".split(" "); // v128: four float32 numbers
const ARGUMENTS = 6;
const I32 = 0x7f, V128 = 0x7b;
const CODES = {
  get: [0x20], set: [0x21], const: [0x41], add: [0x6a], shl: [0x74], less: [0x49], fadd: [0x92], store: [0x38, 0, 0], lane: [0xfd, 0x1f],
  load: [0xfd, 0, 0, 0], vmul: [0xfd, 0xe6, 1], vadd: [0xfd, 0xe4, 1], zero: [0xfd, 0x0c, ...Array(16).fill(0)],
  loop: [3, 0x40], repeat: [0x0d, 0], end: [0x0b],
};

// Returns the module of the product: it imports a memory as m.m and exports the function f.
function assembled() {
  const locals = [...NUMBERS, ...VECTORS];
  const code = PRODUCT.trim().split(/\s+/).flatMap(word => CODES[word] ?? [locals.includes(word) ? locals.indexOf(word) : Number(word)]);
  const sized = bytes => [...(bytes.length < 128 ? [bytes.length] : [bytes.length % 128 + 128, bytes.length >> 7]), ...bytes];
  const text = name => sized([...new TextEncoder().encode(name)]);
  const body = [2, NUMBERS.length - ARGUMENTS, I32, VECTORS.length, V128, ...code, ...CODES.end];
  const sections = [
    [1, [1, 0x60, ARGUMENTS, ...Array(ARGUMENTS).fill(I32), 0]], // one type: six numbers, no result
    [2, [1, ...text("m"), ...text("m"), 2, 0, 0]], // imports a memory of any size
    [3, [1, 0]], // one function of the first type
    [7, [1, ...text("f"), 0, 0]], // exports it
    [10, [1, ...sized(body)]],
  ];
  return new Uint8Array([0, ...new TextEncoder().encode("asm"), 1, 0, 0, 0, ...sections.flatMap(([number, bytes]) => [number, ...sized(bytes)])]);
}

// Returns a memory for so many numbers and its product. plain: without WebAssembly.
function memoryOf(count, plain) {
  try {
    if (plain) throw new Error("asked for");
    const memory = new WebAssembly.Memory({ initial: Math.ceil(4 * count / 65536) });
    const { f } = new WebAssembly.Instance(new WebAssembly.Module(assembled()), { m: { m: memory } }).exports;
    return { numbers: new Float32Array(memory.buffer), product: f, isFast: true };
  } catch { // an old browser, or a policy that allows no WebAssembly
    const numbers = new Float32Array(count);
    return { numbers, product: plainProduct(numbers), isFast: false };
  }
}

function plainProduct(numbers) {
  return (matrix, vector, out, rows, columns, stride) => {
    for (let row = 0; row < rows; row += 1) {
      const first = (matrix + row * stride) >> 2, x = vector >> 2;
      let sum = 0;
      for (let column = 0; column < columns; column += 1) sum += numbers[first + column] * numbers[x + column];
      numbers[(out >> 2) + row] = sum;
    }
  };
}
