// One or two servers side by side. Nodes are updated in place while the experiment runs.
const add = (parent, tag, name) => parent.appendChild(element(tag, name));

function fit(parent, count, create) { // gives a parent exactly `count` children
  while (parent.children.length > count) parent.lastChild.remove();
  while (parent.children.length < count) create(parent);
  return parent.children;
}

function build(side) {
  const head = add(side, "div", "head");
  return {
    title: add(head, "span", "title"), clock: add(head, "span", "clock"), line: add(side, "p", "line"), requests: add(side, "div", "requests"),
    slotsLine: add(side, "p", "small slots"), used: add(side, "div", "used"), blocksLine: add(side, "p", "small"), blocks: add(side, "div", "blocks"),
  };
}

function addRequest(parent) {
  const row = add(parent, "div", "row");
  row.parts = { name: add(row, "span", "name"), track: add(row, "div", "track"), told: add(row, "div", "told") };
  const inner = add(row.parts.told, "span", "inner");
  row.parts.own = add(inner, "span", "own");
  row.parts.text = add(inner, "span", "text");
}

const share = (value, whole) => `${(100 * value) / whole}%`;

function drawSpans(track, spans, longest, draw) {
  const bars = fit(track, spans.length, parent => add(parent, "i"));
  spans.forEach(([start, stop, kind], place) => {
    bars[place].style.left = share(start, longest);
    bars[place].style.width = share(stop - start, longest);
    draw(bars[place], kind);
  });
}

function drawRequest({ name, track, told, own, text }, request, data) {
  name.textContent = request.name;
  name.classList.toggle("done", request.done);
  drawSpans(track, request.spans, data.longest, (bar, kind) => { bar.className = kind; bar.title = data.words[kind]; });
  own.textContent = request.text.length < 90 ? request.prompt : "";
  text.textContent = request.text;
  told.classList.toggle("short", told.firstChild.offsetHeight <= told.clientHeight);
}

function drawSide(node, side, data) {
  const parts = (node.parts ??= build(node));
  parts.title.textContent = side.title;
  parts.clock.textContent = side.clock;
  parts.line.textContent = side.line;
  const rows = fit(parts.requests, side.requests.length, addRequest);
  side.requests.forEach((request, number) => drawRequest(rows[number].parts, request, data));
  parts.slotsLine.textContent = `${data.words.slots} (${side.slots})`;
  parts.used.style.setProperty("--until", side.used.length ? share(side.used.at(-1)[1], data.longest) : "0%");
  drawSpans(parts.used, side.used, data.longest, (bar, count) => { bar.style.height = share(count, side.slots); bar.title = `${count} / ${side.slots}`; });
  const held = side.blocks.filter(holder => holder >= 0 || holder === -3).length;
  parts.blocksLine.textContent = side.blocks.length ? `${data.words.notepad} ${held} / ${side.blocks.length}` : "";
  const squares = fit(parts.blocks, side.blocks.length, parent => add(parent, "b"));
  side.blocks.forEach((holder, number) => {
    const kind = holder >= 0 ? "held" : { "-1": "free", "-2": "known", "-3": "shared" }[holder];
    squares[number].className = kind;
    squares[number].textContent = holder >= 0 ? String(holder + 1) : kind === "shared" ? "=" : "";
    squares[number].title = data.words[`block_${kind}`];
  });
}

export default function ({ parentElement, data }) {
  const board = parentElement.querySelector(".board");
  const nodes = fit(board, data.sides.length, parent => add(parent, "section", "side"));
  board.classList.toggle("single", data.sides.length === 1);
  data.sides.forEach((side, place) => drawSide(nodes[place], side, data));
}
