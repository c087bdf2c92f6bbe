// Words are patched, not rebuilt: both columns stay still while they grow.
export default function ({ parentElement, data, setTriggerValue }) {
  const fork = parentElement.querySelector(".fork");
  const card = fork.querySelector(".card");
  const c = data.colours;
  const paint = { "--one": c.dice, "--one-text": c.dice_text, "--other": c.other, "--other-text": c.other_text, "--muted": c.muted_text, "--line": c.line, "--card": c.card, "--text": c.text };
  for (const [name, colour] of Object.entries(paint)) fork.style.setProperty(name, colour);
  fork.querySelector("path.one").setAttribute("d", "M 50 0 C 50 22, 25 14, 25 40");
  fork.querySelector("path.other").setAttribute("d", "M 50 0 C 50 22, 75 14, 75 40");

  function fill(home, entries, side, first) {
    home.parts ??= [];
    while (home.parts.length > entries.length) home.parts.pop().remove();
    const grown = home.parts.length > 0 || entries.length === 1;
    entries.forEach(([text, share, forced, told], i) => {
      let part = home.parts[i];
      const sign = `${text}|${forced}|${told}`;
      if (!part) {
        part = home.parts[i] = document.createElement("span");
        part.word = document.createElement("button");
        part.word.type = "button";
        part.word.tabIndex = -1;
        if (grown && i === entries.length - 1) part.word.classList.add("fresh");
        home.append(part);
      }
      const word = part.word;
      const open = data.opened && data.opened[0] === side && data.opened[1] === first + i;
      word.classList.toggle("opened", Boolean(open));
      if (word.sign === sign) return;
      word.sign = sign;
      word.told = told;
      // A button is a box of its own: a line break inside it would not break the line, so it stands behind it.
      word.textContent = text.replaceAll("\n", "↵");
      part.replaceChildren(word, ...[...text].filter(letter => letter === "\n").map(() => document.createElement("br")));
      word.classList.toggle("forced", forced);
      word.style.setProperty("--depth", `${Math.round(3 + 25 * share)}%`);
      word.onclick = () => setTriggerValue("pick", [side, first + i]);
    });
  }

  const shared = fork.querySelector(".shared");
  if (!shared.prompt) {
    shared.prompt = document.createElement("span");
    shared.prompt.className = "prompt";
    shared.append(shared.prompt);
    shared.list = document.createElement("span");
    shared.append(shared.list);
  }
  if (shared.prompt.textContent !== data.prompt) shared.prompt.textContent = data.prompt;
  fill(shared.list, data.shared, 0, 0);

  [...fork.querySelectorAll(".side")].forEach((section, i) => {
    const side = data.sides[i];
    const told = section.querySelector(".told");
    if (!told.planned) {
      told.list = document.createElement("span");
      told.planned = document.createElement("span");
      told.planned.className = "planned";
      told.append(told.list, told.planned);
    }
    fill(told.list, side.words, i + 1, data.first);
    told.planned.textContent = side.planned;
    const foot = section.querySelector(".foot");
    if (foot.textContent !== side.foot) foot.textContent = side.foot;
    if (told.count !== side.words.length) {
      told.count = side.words.length;
      told.scrollTop = told.scrollHeight;
    }
  });

  for (const home of [shared.list, ...[...fork.querySelectorAll(".told")].map(told => told.list)]) {
    home.role = "group";
    home.keepsLast = true;
    roving(home, () => (home.parts ?? []).map(part => part.word));
  }

  const show = event => {
    const word = event.target.closest?.("button");
    if (!word?.told) { card.hidden = true; return; }
    card.textContent = "";
    for (const line of [word.told, data.hint]) {
      const row = document.createElement("div");
      row.textContent = line;
      card.append(row);
    }
    card.hidden = false;
    const box = word.getBoundingClientRect();
    const home = fork.getBoundingClientRect();
    card.style.left = `${Math.max(0, Math.min(box.left - home.left, home.width - card.offsetWidth))}px`;
    card.style.top = `${box.bottom - home.top + 6}px`;
  };
  fork.onpointerover = show;
  fork.onpointerleave = () => { card.hidden = true; };
  fork.shown = show;
  if (!fork.ready) { // these have no `on...` of their own
    fork.ready = true;
    fork.addEventListener("focusin", event => fork.shown(event));
    fork.addEventListener("focusout", () => { card.hidden = true; });
    fork.addEventListener("keydown", event => { if (event.key === "Escape") card.hidden = true; });
  }
}
