// Two servers side by side. Everything is patched in place; nothing is rebuilt while it runs.
const make = (parent, tag, name) => {
  const node = document.createElement(tag);
  node.className = name;
  parent.append(node);
  return node;
};
const fit = (parent, count, tag) => { // as many children as there are things to show
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) make(parent, tag, "");
  return parent.children;
};

function build(side) {
  const head = make(side, "div", "head");
  const parts = { title: make(head, "span", "title"), clock: make(head, "span", "clock"), line: make(side, "p", "line") };
  parts.readers = make(side, "div", "readers");
  parts.slotsTold = make(side, "p", "small slots");
  parts.used = make(side, "div", "used");
  parts.blocksTold = make(side, "p", "small blocks-told");
  parts.blocks = make(side, "div", "blocks");
  return parts;
}

function row(parent) {
  const line = make(parent, "div", "row");
  const parts = { line, name: make(line, "span", "name"), track: make(line, "div", "track"), told: make(line, "div", "told") };
  const inner = make(parts.told, "span", "inner");
  parts.own = make(inner, "span", "own");
  parts.text = make(inner, "span", "text");
  line.parts = parts;
  return parts;
}

const share = (value, whole) => `${(100 * value) / whole}%`;

function spans(track, list, longest, draw) {
  const bars = fit(track, list.length, "i");
  list.forEach(([start, stop, what], place) => {
    const bar = bars[place];
    bar.style.left = share(start, longest);
    bar.style.width = share(stop - start, longest);
    draw(bar, what);
  });
}

export default function ({ parentElement, data }) {
  const board = parentElement.querySelector(".board");
  const c = data.colours;
  const shades = { "--muted": c.muted_text, "--track": c.line, "--queued": c.muted_text, "--prefill": c.computed, "--decode": c.dice, "--preempted": c.other, "--stalled": c.doubt,
    "--pale": c.model, "--known": c.reused, "--page": c.page };
  for (const [name, value] of Object.entries(shades)) board.style.setProperty(name, value);
  while (board.children.length > data.sides.length) board.lastChild.remove();
  while (board.children.length < data.sides.length) make(board, "section", "side");
  board.classList.toggle("single", data.sides.length === 1);
  data.sides.forEach((told, place) => {
    const side = board.children[place];
    const parts = (side.parts ??= build(side));
    parts.title.textContent = told.title;
    parts.clock.textContent = told.clock;
    parts.line.textContent = told.line;
    while (parts.readers.children.length > told.readers.length) parts.readers.lastChild.remove();
    while (parts.readers.children.length < told.readers.length) row(parts.readers);
    told.readers.forEach((reader, number) => {
      const mine = parts.readers.children[number].parts;
      mine.name.textContent = reader.name;
      mine.name.classList.toggle("done", reader.done);
      spans(mine.track, reader.spans, data.longest, (bar, kind) => { bar.className = kind; bar.title = data.words[kind]; });
      mine.own.textContent = reader.text.length < 90 ? reader.prompt : "";
      mine.text.textContent = reader.text;
      mine.told.classList.toggle("short", mine.told.firstChild.offsetHeight <= mine.told.clientHeight);
    });
    parts.slotsTold.textContent = `${data.words.slots} (${told.slots})`;
    parts.used.style.setProperty("--until", told.used.length ? share(told.used.at(-1)[1], data.longest) : "0%");
    spans(parts.used, told.used, data.longest, (bar, rows) => { bar.style.height = share(rows, told.slots); bar.title = `${rows} / ${told.slots}`; });
    const held = told.blocks.filter(holder => holder >= 0 || holder === -3).length;
    parts.blocksTold.textContent = told.blocks.length ? `${data.words.notepad} ${held} / ${told.blocks.length}` : "";
    const squares = fit(parts.blocks, told.blocks.length, "b");
    told.blocks.forEach((holder, number) => {
      const kind = holder >= 0 ? "held" : { "-1": "free", "-2": "known", "-3": "shared" }[holder];
      const square = squares[number];
      square.className = kind;
      square.textContent = holder >= 0 ? String(holder + 1) : kind === "shared" ? "=" : "";
      square.title = data.words[`block_${kind}`];
    });
  });
}
