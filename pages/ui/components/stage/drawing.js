// Draws the stage at a beat from its state. Moving parts are updated in place, so that CSS can animate them.
const READ = 0, THINK = 1, WEIGH = 2, ROLL = 3, WRITE = 4;
const FALL = 620; // milliseconds that the roll takes to fall

const MARK = /^⟨.*⟩$/; // a special token
const plain = text => text.replaceAll("␣", " ").replaceAll("↵", "\n");

// A leading space stays outside of its token's node, so that tint and underline cover the letters only.
function spans(words, my, also) {
  return words.flatMap(word => {
    const text = plain(word[0]);
    const lead = text.trim() === "" ? "" : text.match(/^ */)[0];
    const node = element("span", "token", text.slice(lead.length));
    if (word[5] < 0) node.classList.add("prompt");
    if (MARK.test(word[0])) node.classList.add("mark");
    if (word[5] >= 0 && my.tint !== "none") tintWord(node, my.tint === "unsure" ? word[3] : word[2], my.tint === "unsure" ? "doubt" : "dice");
    also?.(node, word);
    return lead ? [lead, node] : [node];
  });
}

function shownWords(my) {
  const last = my.beat === WRITE ? my.t : my.t - 1;
  return my.data.words.filter(word => word[5] <= last);
}

function drawText(my) {
  const text = my.part(".text");
  const words = shownWords(my);
  const sign = JSON.stringify([words.map(word => [word[0], word[5]]), my.tint, my.beat === WRITE, Boolean(my.data.vote)]);
  if (text.sign === sign) return;
  text.sign = sign;
  let fresh = null;
  text.replaceChildren(...spans(words, my, (node, word) => {
    if (my.beat === WRITE && word[5] === my.t) {
      node.classList.add("accent");
      fresh = node;
    }
  }), element("span", "caret"));
  text.classList.remove("long");
  if (text.scrollHeight > text.clientHeight + 4) text.classList.add("long");
  text.scrollTop = text.scrollHeight;
  fresh?.classList.add("fresh"); // its animation begins below the line and would count as a longer text
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

function drawBars(my, look) {
  const bars = my.part(".bars");
  const open = my.guess && !my.guess.rows;
  bars.hidden = my.beat < WEIGH || !look || Boolean(open);
  bars.classList.toggle("beside", Boolean(my.guess));
  bars.classList.toggle("choosing", my.choosing >= 0);
  if (bars.hidden) { bars.replaceChildren(); bars.rows = []; return; }
  const fallen = my.fallen(look) || my.choosing >= 0; // while a token is framed, the model's own choice is marked
  const named = new Set((my.guess?.rows ?? []).map(row => row[4]));
  bars.rows ??= [];
  const rows = [...look.rows, look.rest];
  const fresh = bars.rows.length !== rows.length;
  if (fresh) {
    bars.rows = rows.map((_, i) => {
      const row = buildRow(element("div"), element("div"), element("div"), element("div"));
      row.onclick = () => { if (my.choosing >= 0 && i < my.look().rows.length) { my.choosing = i; my.take(); } };
      return row;
    });
    const legend = element("div", "legend");
    legend.append(element("b", "heat"));
    for (const [name, text] of [["model", my.data.texts.before], ["used", my.data.texts.after], ["cut", my.data.texts.excluded]]) {
      const entry = element("span", name);
      entry.append(element("i", name), text);
      legend.append(entry);
    }
    bars.replaceChildren(legend, ...bars.rows);
    bars.classList.add("asleep");
  }
  const heat = bars.querySelector(".heat");
  heat.hidden = !my.turned && !my.data.talk?.acts.some(name => name.startsWith("temperature"));
  heat.textContent = my.data.heat;
  bars.querySelector(".legend .cut").hidden = !rows.some(row => row[5] === "removed");
  rows.forEach((row, i) => {
    const token = row[1], isChosen = fallen && token >= 0 && token === look.chosen;
    drawRow(bars.rows[i], row, isChosen && "chosen", token >= 0 && named.has(token) && "named", i === my.choosing && "pointed");
  });
  if (fresh) { void bars.offsetWidth; bars.classList.remove("asleep"); }
}

function drawDice(my, look) {
  const dice = my.part(".dice");
  const shown = my.beat >= ROLL && look && (look.dice || look.roll !== null);
  dice.classList.toggle("shown", Boolean(shown));
  if (!shown) { my.part(".marker").className = "marker"; return; }
  const landed = my.fallen(look);
  drawStrip(my.part(".track"), look.segments, landed);
  const marker = my.part(".marker");
  if (look.roll === null) {
    marker.textContent = "?";
    marker.className = look.chosen < 0 ? "marker rolling" : "marker";
    return;
  }
  drawRoll(marker, look.roll, look.roll_text, !landed || my.falling ? " falling" : "");
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
    whole.replaceChildren(...spans(d.words.filter(word => !MARK.test(word[0])), my));
    const long = d.words.reduce((sum, word) => sum + word[0].length, 0);
    whole.style.fontSize = long > 620 ? "max(24px, calc(28 * var(--u)))" : long > 300 ? "max(26px, calc(36 * var(--u)))" : long > 120 ? "" : "max(30px, calc(72 * var(--u)))";
    my.part(".credit").textContent = d.ending;
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
  drawBars(my, look);
  drawDice(my, look);
  drawLine(my, look);
  drawGuess(my);
  drawVote(my);
  drawFoot(my);
  drawOver(my);
  publish(my);
}
