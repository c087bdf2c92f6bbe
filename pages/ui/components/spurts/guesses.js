// One round's guesses: the small model's odds pale, the large one's deep, the roll as a mark.
const make = (parent, tag, name) => {
  const node = document.createElement(tag);
  node.className = name;
  parent.append(node);
  return node;
};

export default function ({ parentElement, data }) {
  const box = parentElement.querySelector(".guesses");
  const c = data.colours;
  const shades = { "--muted": c.muted_text, "--accepted": c.computed_text, "--recovered": c.other_text, "--bonus": c.dice_text, "--track": c.line,
    "--q": c.model, "--p": c.dice };
  for (const [name, value] of Object.entries(shades)) box.style.setProperty(name, value);
  while (box.children.length > data.rows.length) box.lastChild.remove();
  while (box.children.length < data.rows.length) {
    const row = make(box, "div", "row");
    const parts = (row.parts = { word: make(row, "span", "word"), bars: make(row, "div", "bars") });
    parts.q = make(parts.bars, "i", "q");
    parts.p = make(parts.bars, "i", "p");
    parts.mark = make(parts.bars, "i", "mark");
    parts.note = make(row, "span", "note");
  }
  data.rows.forEach((guess, place) => {
    const { word, q, p, mark, note } = box.children[place].parts;
    word.textContent = guess.text;
    word.className = `word ${guess.verdict}`;
    q.style.width = `${100 * guess.q}%`;
    p.style.width = `${100 * guess.p}%`;
    mark.hidden = guess.mark === null;
    mark.style.display = guess.mark === null ? "none" : "";
    mark.style.left = `${100 * (guess.mark ?? 0)}%`;
    note.textContent = `${guess.told} · ${guess.numbers}`;
  });
}
