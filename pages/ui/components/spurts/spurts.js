// The text in spurts; patched in place, one span per round.
export default function ({ parentElement, data }) {
  const told = parentElement.querySelector(".told");
  const c = data.colours;
  const shades = { "--muted": c.muted_text, "--accepted": c.computed_text, "--recovered": c.other_text, "--bonus": c.dice_text, "--line": c.muted_text };
  for (const [name, value] of Object.entries(shades)) told.style.setProperty(name, value);
  if (!told.firstChild) {
    const prompt = document.createElement("span");
    prompt.className = "prompt";
    told.append(prompt);
  }
  told.firstChild.textContent = data.prompt;
  while (told.children.length > data.rounds.length + 1) told.lastChild.remove();
  data.rounds.forEach((words, number) => {
    let round = told.children[number + 1];
    if (!round) {
      round = document.createElement("span");
      told.append(round);
    }
    round.className = number === data.opened ? "round opened" : "round";
    const written = JSON.stringify(words);
    if (round.written === written) return;
    round.written = written;
    round.textContent = "";
    for (const [text, verdict] of words) {
      const word = document.createElement("span");
      word.className = verdict;
      word.textContent = text;
      word.title = data.names[verdict];
      round.append(word);
    }
  });
}
