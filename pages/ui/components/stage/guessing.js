// Guess first: the screen shows no probabilities until the audience has called out its guesses.
const MOST_GUESSES = 6;

function openGuess(my) {
  if (my.data.finished || my.wants?.verb === "roll") return;
  settle(my);
  my.t = my.data.count;
  my.runTo = -1;
  my.beat = WEIGH;
  my.choosing = -1;
  my.guess = { said: [], rows: null };
  draw(my);
  my.part(".field").value = "";
  my.part(".field").focus();
}

function closeGuess(my) {
  my.guess = null;
  my.stage.focus();
  draw(my);
}

function addGuess(my, word) {
  const said = word.trim();
  if (said && my.guess.said.length < MOST_GUESSES && !my.guess.said.includes(said)) my.guess.said.push(said);
  my.part(".field").value = "";
  drawGuess(my);
}

function enterGuess(my) {
  const word = my.part(".field").value;
  if (word.trim()) addGuess(my, word);
  else reveal(my);
}

// Shows the probabilities, with the guesses beside them if there are some.
function reveal(my) {
  addGuess(my, my.part(".field").value);
  if (my.guess.said.length) my.ask("guess", { at: my.data.count, said: my.guess.said });
  else closeGuess(my);
}

function suggestions(my) {
  return my.data.looks[String(my.data.count)]?.choices ?? [];
}

// Adds the suggestion with this number. Returns whether there is one.
function suggest(my, number) {
  const word = suggestions(my)[number - 1];
  if (word) addGuess(my, word);
  return Boolean(word);
}

function drawGuess(my) {
  const panel = my.part(".guess");
  panel.hidden = !my.guess;
  if (!my.guess) return;
  const d = my.data, rows = my.guess.rows, look = my.look();
  panel.classList.toggle("revealed", Boolean(rows));
  panel.classList.toggle("alone", !rows);
  my.part(".guess > .ask").textContent = rows ? d.texts.correct : d.texts.called;
  const field = my.part(".field");
  field.hidden = Boolean(rows);
  field.placeholder = d.texts.field;
  field.setAttribute("aria-label", d.texts.field);
  const landed = look && my.fallen(look);
  my.part(".said").replaceChildren(...(rows
    ? rows.map(([said, begins, chance, rank, token]) => {
        const call = element("div", landed && token === look.chosen ? "call hit" : "call");
        const right = element("span", "", [chance, rank].filter(Boolean).join(" · "));
        call.append(element("span", "", begins ? `${said} (${begins})` : said), right);
        return call;
      })
    : my.guess.said.map(said => element("div", "call", said))));
  const choices = my.part(".choices");
  const words = rows ? [] : suggestions(my);
  choices.hidden = !words.length || my.guess.said.length >= MOST_GUESSES;
  choices.replaceChildren(element("span", "", d.texts.clickable), ...words.map((word, i) => {
    const button = element("button");
    button.append(element("i", "", String(i + 1)), word);
    button.disabled = my.guess.said.includes(word);
    button.onclick = () => { addGuess(my, word); field.focus(); };
    return button;
  }));
  my.part(".hint").textContent = rows ? "" : d.notice || d.texts.reveal;
}
