// Draws the stage at a beat from its state. Moving parts are updated in place, so that CSS can animate them.
const READ = 0, THINK = 1, WEIGH = 2, ROLL = 3, WRITE = 4;
const FALL = 620; // milliseconds that the roll takes to fall

function tokensOf(words, my) {
  return words.map(([text, id, likely, unsure, , step]) => ({ text, id, step, depth: { likely, unsure }[my.tint] ?? 0 }));
}

function shownWords(my) {
  const last = my.beat === WRITE ? my.t : my.t - 1;
  return my.data.words.filter(word => word[5] <= last);
}

function drawText(my) {
  const text = my.part(".text");
  drawWords(my.text, { tokens: tokensOf(shownWords(my), my), tint: my.tint, accent: my.beat === WRITE ? my.t : -1, isPlain: true });
  const fresh = text.querySelector(".fresh");
  fresh?.classList.remove("fresh"); // its animation begins below the line and would count as a longer text
  text.classList.remove("long");
  if (text.scrollHeight > text.clientHeight + 4) text.classList.add("long");
  text.scrollTop = text.scrollHeight;
  fresh?.classList.add("fresh");
}

function drawTokens(my) {
  const tokens = my.part(".tokens");
  tokens.hidden = my.beat !== READ || Boolean(my.guess);
  if (tokens.hidden) return;
  const words = shownWords(my).slice(-18);
  const sign = words.map(word => `${word[5]}:${word[1]}`).join();
  if (tokens.sign === sign) return;
  tokens.sign = sign;
  tokens.replaceChildren(...words.map((word, i) => {
    const node = element("div", i === words.length - 1 && my.t > 0 ? "box newest" : "box");
    node.append(element("b", "", word[0]), element("i", "", String(word[1])));
    return node;
  }));
}

function drawThought(my, look) {
  const thought = my.part(".thought");
  thought.hidden = my.beat !== THINK || Boolean(my.guess) || !look;
  if (thought.hidden) return;
  my.part(".thought .say").textContent = look.lines[THINK];
  const squares = my.part(".squares");
  const kept = Math.min(look.kept, 90), fresh = Math.min(look.new, 90 - Math.min(kept, 60));
  squares.setAttribute("aria-hidden", "true");
  my.part(".kinds").replaceChildren(...[["", my.data.texts.kept, look.kept], ["new", my.data.texts.computed, look.new]].filter(kind => kind[2]).map(
    ([name, text, count]) => {
      const kind = element("span");
      kind.append(element("i", name), `${text}: ${count}`);
      return kind;
    }));
  squares.replaceChildren(...Array.from({ length: kept }, () => element("i")), ...Array.from({ length: fresh }, () => element("i", "new")));
}

function drawChances(my, look) {
  const bars = my.part(".bars"), { texts } = my.data, appears = bars.hidden;
  bars.hidden = my.beat < WEIGH || !look || Boolean(my.guess && !my.guess.rows);
  bars.classList.toggle("beside", Boolean(my.guess));
  bars.classList.toggle("choosing", my.choosing >= 0);
  if (bars.hidden) return;
  const fallen = my.fallen(look) || my.choosing >= 0; // while a token is framed, the model's own choice is marked
  const named = new Set((my.guess?.rows ?? []).map(row => row[4]));
  const rows = [...look.rows, look.rest];
  if (appears) bars.classList.add("asleep");
  for (const [name, text] of [["model", texts.before], ["used", texts.after], ["cut", texts.excluded]]) bars.querySelector(`.legend .${name} b`).textContent = text;
  const heat = bars.querySelector(".heat");
  heat.hidden = !my.turned && !my.data.talk?.acts.some(name => name.startsWith("temperature"));
  heat.textContent = my.data.heat;
  bars.querySelector(".legend .cut").hidden = !rows.some(row => row[5] === "removed");
  fill(my.part(".rows"), rows.length, () => buildRow(element("div"), element("div"), element("div"), element("div"))).forEach((bar, i) => {
    const token = rows[i][1], isChosen = fallen && token >= 0 && token === look.chosen;
    drawRow(bar, rows[i], isChosen && "chosen", token >= 0 && named.has(token) && "named", i === my.choosing && "pointed");
    bar.onclick = () => { if (my.choosing >= 0 && i < look.rows.length) { my.choosing = i; my.take(); } };
  });
  if (!appears) return;
  void bars.offsetWidth;
  bars.classList.remove("asleep");
}

function drawThrow(my, look) {
  const isShown = my.beat >= ROLL && look && (look.dice || look.roll !== null);
  my.dice.classList.toggle("shown", Boolean(isShown));
  if (isShown) drawDice(my.dice, { ...look, throw: my.throws, fallen: my.fallen(look), waits: look.chosen < 0 });
}

function drawLine(my, look) {
  const line = my.part(".line");
  const d = my.data;
  let sentence = look ? look.lines[my.beat] : d.finished;
  if (my.beat === THINK) sentence = "";
  if (my.beat === ROLL && look && !my.fallen(look)) sentence = d.looks[String(d.count)]?.lines[ROLL] ?? my.waitingLine ?? "";
  if (my.choosing >= 0) {
    const own = look?.rows.find(row => row[1] === look.chosen);
    sentence = `${own ? d.texts.chose.replace("{token}", own[0]) : ""} ${d.texts.choose}`.trim();
  }
  if (my.guess && my.beat === WEIGH) sentence = my.guess.rows ? look?.lines[WEIGH] ?? "" : "";
  if (my.guess && my.beat >= ROLL && look && my.fallen(look) && d.score.index === my.t) {
    sentence = `${look.lines[ROLL]} ${d.texts[d.score.hit ? "hit" : "missed"]}`;
    if (d.score.hit) sentence += ` ${d.score.points} ${d.texts.points}.`;
    if (d.score.rounds === 1) sentence += ` ${d.texts.bits}`;
  }
  if (d.vote) sentence = "";
  if (d.notice) sentence = d.notice;
  line.replaceChildren(element("b", "", d.notice || d.vote ? "" : `${my.beat + 1}  ${d.names[my.beat]}   `), sentence);
  line.hidden = my.guess && !my.guess.rows;
}

function drawFoot(my) {
  const d = my.data;
  my.part(".beats").replaceChildren(...d.names.map((name, i) => {
    const beat = element("button", i === my.beat ? "now" : "", name);
    beat.tabIndex = -1;
    beat.disabled = Boolean(d.vote); // a digit counts hands then
    beat.onclick = () => press(my, String(i + 1));
    return beat;
  }));
  const score = d.score.rounds ? `${d.texts.room} ${d.score.room} · ${d.texts.favourite} ${d.score.favourite}` : "";
  my.part(".score").textContent = my.guess || my.flash ? my.flash || score : score;
  const vote = my.part(".ask_vote");
  vote.textContent = d.texts.vote;
  vote.ariaLabel = vote.title = `${d.texts.vote_on} (V)`;
  const ask = my.part(".ask_keys");
  ask.ariaLabel = ask.title = d.texts.keys;
  ask.onclick = () => press(my, "?");
  my.part(".place").textContent = d.talk ? `${d.talk.place + 1}/${d.talk.count}` : "";
  my.part(".info").textContent = [d.settings, d.talk ? d.talk.title : d.model].filter(Boolean).join(" · ");
}

function drawOver(my) {
  const d = my.data;
  my.part(".black").hidden = !my.blank;
  const end = my.part(".end");
  end.hidden = !my.ending;
  if (my.ending) {
    const whole = my.part(".whole");
    drawWords(my.whole, { tokens: tokensOf(d.words.filter(word => !MARK.test(word[0])), my), tint: my.tint, isPlain: true });
    const long = d.words.reduce((sum, word) => sum + word[0].length, 0);
    whole.style.fontSize = long > 620 ? "max(24px, calc(28 * var(--u)))" : long > 300 ? "max(26px, calc(36 * var(--u)))" : long > 120 ? "" : "max(30px, calc(72 * var(--u)))";
    my.part(".credit").textContent = d.ending;
    drawTryIt(my.part(".try_it"), d);
  }
  const help = my.part(".help");
  help.hidden = !my.help;
  help.onclick = () => press(my, "?");
  if (my.help && !help.childElementCount) for (const [key, does] of d.keys) help.append(element("b", "", key), element("span", "", does));
}

function draw(my) {
  const look = my.look();
  my.stage.className = `stage ${my.data.beats[my.beat]}${my.data.vote ? " voting" : ""}`;
  my.stage.dataset.beat = my.data.beats[my.beat];
  my.stage.dataset.token = my.t;
  my.stage.dataset.count = my.data.count;
  my.stage.dataset.waiting = my.wants ? "yes" : "";
  drawText(my);
  drawTokens(my);
  drawThought(my, look);
  drawChances(my, look);
  drawThrow(my, look);
  drawLine(my, look);
  drawGuess(my);
  drawVote(my);
  drawFoot(my);
  drawOver(my);
  publish(my);
}

// Shows where a phone gets the live page. An app that listens on its own machine alone has no such address.
function drawTryIt(home, { phones, texts }) {
  home.hidden = !phones.length;
  if (home.hidden || home.shown === phones[0][0]) return;
  const [address, picture] = phones[0], qr = home.querySelector(".qr");
  home.shown = address;
  qr.innerHTML = picture; // made by the server from an address of its own
  qr.ariaLabel = `${texts.try_it}: ${address}`;
  home.querySelector("b").textContent = texts.try_it;
  home.querySelector(".live_address").textContent = address;
}
