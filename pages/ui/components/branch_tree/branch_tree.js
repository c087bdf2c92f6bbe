// A tree as an outline: one row per part without a fork. Rows are updated in place.
const SVG = "http://www.w3.org/2000/svg";
const INDENT = 26;

const make = (tag, name, parent, text) => parent.appendChild(element(tag, name, text));

function build() {
  const row = element("div", "row");
  row.setAttribute("role", "treeitem");
  const lines = document.createElementNS(SVG, "svg");
  lines.classList.add("lines");
  const spine = document.createElementNS(SVG, "path");
  const curve = document.createElementNS(SVG, "path");
  spine.classList.add("spine");
  lines.append(spine, curve);
  row.append(lines);
  row.lines = lines;
  row.curve = curve;
  row.spine = spine;
  row.fold = make("button", "fold", row);
  row.text = make("button", "text", row);
  row.words = make("span", "words", row.text);
  row.badge = make("span", "badge", row.text);
  row.note = make("span", "note", row);
  row.tools = make("span", "tools", row);
  return row;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const tree = parentElement.querySelector(".tree");
  tree.style.maxHeight = `${data.height}px`;
  tree.folded ??= new Set();
  tree.known ??= new Map();
  // Rows without actions hold no button: then the tree itself takes the focus, so that arrow keys scroll it.
  tree.tabIndex = data.can.length ? -1 : 0;
  tree.setAttribute("aria-label", data.label);
  const may = verb => data.can.includes(verb);
  const send = (verb, node, name) => setTriggerValue("action", name === undefined ? { verb, node } : { verb, node, name });

  const rows = data.rows.map(([id, parent, text, share, note, kind, name, here, gone]) => ({ id, parent, text, share, note, kind, name, here, gone, children: 0, depth: 0 }));
  const byId = new Map(rows.map(row => [row.id, row]));
  for (const row of rows) {
    const parent = byId.get(row.parent);
    if (parent) { parent.children += 1; row.depth = parent.depth + 1; }
  }
  const deepest = Math.max(0, ...rows.map(row => row.depth));
  const room = Math.max(6, Math.min(INDENT, (0.42 * (tree.clientWidth || 800)) / Math.max(1, deepest)));
  const hidden = row => { for (let p = byId.get(row.parent); p; p = byId.get(p.parent)) if (tree.folded.has(p.id)) return true; return false; };
  const below = row => rows.filter(other => { for (let p = byId.get(other.parent); p; p = byId.get(p.parent)) if (p === row) return true; return false; }).length;

  function ask(node, row, kind) {
    node.tools.textContent = "";
    node.classList.add("asking");
    const done = () => { node.classList.remove("asking"); tools(node, row); node.tools.children[kind === "delete" ? node.tools.children.length - 1 : 0]?.focus(); };
    if (kind === "delete") {
      make("span", "question", node.tools, data.words.ask.replace("{count}", row.gone));
      const yes = make("button", "sure", node.tools, data.words.yes);
      yes.onclick = () => { done(); send("delete", row.id); };
      make("button", "", node.tools, data.words.no).onclick = done;
      yes.focus();
    } else {
      const field = make("input", "name", node.tools);
      field.value = row.name;
      field.maxLength = 60;
      field.placeholder = data.words.name;
      field.setAttribute("aria-label", data.words.name);
      field.onkeydown = event => {
        event.stopPropagation();
        if (event.key === "Enter") { done(); send("name", row.id, field.value); }
        if (event.key === "Escape") done();
      };
      make("button", "", node.tools, data.words.save).onclick = () => { done(); send("name", row.id, field.value); };
      field.focus();
    }
  }

  const active = () => tree.getRootNode().activeElement;

  function tools(node, row) {
    const at = [...node.tools.children].indexOf(active()); // the button with the focus is replaced: the new one gets the focus
    node.tools.textContent = "";
    if (may("name")) make("button", "", node.tools, data.words.rename).onclick = () => ask(node, row, "name");
    if (may("delete") && row.gone) make("button", "", node.tools, data.words.delete).onclick = () => ask(node, row, "delete");
    if (at >= 0) (node.tools.children[at] ?? node.text).focus();
  }

  const next = new Map();
  let before = null;
  for (const row of rows) {
    const node = tree.known.get(row.id) ?? build();
    tree.known.delete(row.id);
    next.set(row.id, node);
    if (node.previousSibling !== before || node.parentNode !== tree) before ? before.after(node) : tree.prepend(node);
    before = node;
    const away = hidden(row);
    if (node.hidden !== away) node.hidden = away;
    const left = row.depth * room;
    const sign = JSON.stringify([row, room]);
    if (node.sign === sign) continue;
    node.sign = sign;
    const name = `row ${row.kind}${row.here ? " here" : ""}`;
    node.className = name;
    node.style.paddingLeft = `${left + 22}px`;
    node.lines.setAttribute("width", left + 22);
    const width = 1 + 9 * Math.sqrt(Math.max(0, Math.min(1, row.share)));
    node.curve.setAttribute("d", row.depth ? `M ${left - room + 11} 3 C ${left - room + 11} 19, ${left} 19, ${left + 18} 19` : `M 0 19 L 18 19`);
    node.curve.setAttribute("stroke-width", width.toFixed(1));
    node.setAttribute("aria-level", row.depth + 1);
    node.words.textContent = row.text.trimStart();
    node.text.title = row.text;
    node.badge.textContent = row.name || (row.here ? data.words.here : "");
    node.badge.hidden = !node.badge.textContent;
    node.note.textContent = row.note;
    node.text.disabled = !may("go");
    node.text.onclick = () => send("go", row.id);
    node.fold.hidden = !row.children;
    node.fold.onclick = () => {
      tree.folded.has(row.id) ? tree.folded.delete(row.id) : tree.folded.add(row.id);
      tree.refresh();
    };
    if (!node.classList.contains("asking")) tools(node, row);
    node.row = row;
  }
  for (const node of tree.known.values()) node.remove();
  tree.known = next;

  tree.refresh = () => {
    let line = 0;
    for (const row of rows) {
      const node = next.get(row.id);
      node.hidden = hidden(row);
      if (!node.hidden) row.line = line++;
      const parent = byId.get(row.parent);
      const x = row.depth * room - room + 11;
      node.spine.setAttribute("d", parent && !node.hidden ? `M ${x} ${(parent.line - row.line + 1) * 38 - 8} L ${x} 4` : "");
      if (!row.children) continue;
      const shut = tree.folded.has(row.id);
      node.fold.textContent = shut ? `▸ ${below(row)}` : "▾";
      node.fold.setAttribute("aria-expanded", String(!shut));
      node.fold.setAttribute("aria-label", shut ? data.words.unfold : data.words.fold);
    }
  };
  tree.refresh();

  // The tree is one Tab stop: up and down move among rows, left and right fold. Tab then reaches the actions of the current row.
  tree.reach = () => {
    const shown = rows.map(row => next.get(row.id)).filter(node => node && !node.hidden); // while rows are replaced, some are already removed
    const current = shown.find(node => node.contains(active())) ?? shown.find(node => node.row?.id === tree.current) ?? shown.find(node => node.row?.here) ?? shown[0];
    if (current?.row) tree.current = current.row.id;
    for (const node of next.values()) for (const button of node.querySelectorAll("button")) button.tabIndex = node === current && button !== node.fold ? 0 : -1;
    return shown;
  };
  tree.walk = event => {
    const shown = tree.reach();
    const at = shown.findIndex(node => node.text === active());
    if (at < 0) return;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: shown.length - 1 }[event.key];
    const row = shown[at].row;
    if (to !== undefined) shown[Math.max(0, Math.min(to, shown.length - 1))].text.focus();
    else if (row?.children && (event.key === "ArrowRight" ? tree.folded.has(row.id) : event.key === "ArrowLeft" && !tree.folded.has(row.id))) shown[at].fold.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
    tree.reach();
  };
  if (!tree.ready) {
    tree.ready = true;
    tree.addEventListener("keydown", event => tree.walk(event));
    tree.addEventListener("focusin", () => tree.reach());
  }
  tree.reach();

  const here = rows.find(row => row.here);
  if (here && tree.stood !== here.id) {
    tree.stood = here.id;
    const node = next.get(here.id);
    const top = node.offsetTop - tree.offsetTop;
    if (top < tree.scrollTop || top > tree.scrollTop + tree.clientHeight - 40) tree.scrollTop = top - tree.clientHeight / 2;
  }
}
