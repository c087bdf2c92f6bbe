// The presenter's keys. The browser draws at once what it has; a key that changes the run (roll, other dice, guess) is sent to the server.
const SLOW_TOKENS = 1; // tokens that get five beats; later ones get one press each, and tokens without a choice none
const RUN_ON = 170; // milliseconds for each token without a choice
const MOST_AT_ONCE = 60; // tokens
const LOST = 4000; // milliseconds after which a request without an answer no longer holds the forward key
const REST = 1000; // milliseconds without a press after which the page runs

function begin(stage) {
  const my = {
    stage, t: -1, beat: READ, tint: "likely", merge: null, choosing: -1, guess: null, looks: {}, line: [], first: 0, wants: null,
    number: Date.now(), runTo: -1, throws: 0, text: buildStrip(), whole: buildStrip(), dice: buildDice(), act: 0, turned: false, skips: false, blank: false, help: false, ending: false, playing: 0, falling: false, flash: "", began: Date.now(),
    part: name => stage.querySelector(name),
    look: () => my.looks[my.t],
    fallen: look => my.beat >= ROLL && look.chosen >= 0 && !my.falling,
    take: () => takeWord(my),
    ask(verb, more) {
      my.number += 1;
      my.wants = { verb, number: my.number, at: my.t, asked: Date.now() };
      my.connection.press("act", { event: { do: verb, number: my.number, ...more } }).then(answer => answered(my, answer));
    },
  };
  my.part(".text").append(my.text);
  my.part(".whole").append(my.whole);
  my.part(".foot").before(my.dice);
  my.connection = new RunConnection(sentence => { my.data.notice = sentence; my.wants = null; draw(my); my.send("rested", Date.now()); });
  openChannel(my);
  const listen = event => {
    if (!stage.isConnected) return window.removeEventListener("keydown", listen, true);
    if (my.data) keyed(my, event);
  };
  window.addEventListener("keydown", listen, true);
  const paste = event => {
    if (!stage.isConnected) return window.removeEventListener("paste", paste, true);
    pasteChat(my, event.clipboardData?.getData("text/plain") ?? "");
  };
  window.addEventListener("paste", paste, true);
  my.part(".ask_vote").onclick = () => press(my, "v");
  my.part(".tap.on").onclick = () => press(my, "ArrowRight");
  my.part(".tap.back").onclick = () => press(my, "ArrowLeft");
  return my;
}

function isMerged(my) {
  const slow = my.data.talk && !my.data.talk.slow ? 0 : SLOW_TOKENS; // the first stop of a talk on stage has shown the five beats
  return my.merge === null ? my.t - my.first >= slow : my.merge;
}

// Whether a step is written without a press: nearly all of the strip belongs to one token, and the stop does nothing with it.
function isCertain(my, look) {
  return Boolean(look) && nextAct(my) !== "choose" && look.doubt < (my.data.talk?.doubt ?? my.data.doubt);
}

// The last of the tokens after this one that are written already and have no choice.
function lastCertain(my) {
  const { talk, words, count, doubt } = my.data;
  const end = Math.min(count, talk && talk.words !== null ? my.first + talk.words : count);
  const doubts = new Map(words.map(word => [word[5], word[6]]));
  let last = my.t;
  while (last + 1 < end && doubts.get(last + 1) < (talk?.doubt ?? doubt)) last += 1;
  return last;
}

function isGuessing(my) {
  return Boolean(my.guess && !my.guess.rows);
}

function nextAct(my) {
  return my.t === my.first ? my.data.talk?.acts[my.act] : undefined;
}

// Does what the stop plans for the forward key before it writes on. Returns whether it did something.
function act(my) {
  const [verb, value] = nextAct(my)?.split(" ") ?? [];
  if (verb === "temperature" && my.beat === WEIGH && my.t >= my.data.count) {
    my.act += 1;
    my.turned = true;
    my.ask("turn", { to: Number(value) });
  } else if (verb === "choose" && my.beat === WRITE) {
    my.act += 1;
    choose(my);
  } else return false;
  return true;
}

// Takes back the last act that changed the temperature. Returns whether there was one.
function undoAct(my) {
  const talk = my.data.talk;
  if (!talk || my.t !== my.first || my.beat !== WEIGH || !talk.acts[my.act - 1]?.startsWith("temperature")) return false;
  my.act -= 1;
  const earlier = talk.acts[my.act - 1];
  my.turned = Boolean(earlier);
  my.ask("turn", { to: earlier ? Number(earlier.split(" ")[1]) : my.temperature });
  draw(my);
  return true;
}

function askRoll(my, runs) {
  const talk = my.data.talk;
  const left = talk && talk.words !== null ? my.first + talk.words - my.data.count : MOST_AT_ONCE;
  my.ask("roll", { at: my.data.count, ...(runs && { until: talk?.doubt ?? my.data.doubt, most: Math.max(1, Math.min(MOST_AT_ONCE, left)) }) });
  my.wants.runs = runs;
}

// Writes the tokens without a choice after the rolled one, then shows the next probabilities.
function runOn(my) {
  clearTimeout(my.running);
  my.running = 0;
  if (my.beat !== WRITE || my.runTo < 0 || my.guess) return;
  if (my.t < my.runTo) {
    my.running = setTimeout(() => { my.t += 1; draw(my); runOn(my); }, RUN_ON);
    return;
  }
  my.runTo = -1;
  if (stopIsOver(my) || my.data.finished && my.t + 1 >= my.data.count) return draw(my);
  my.t += 1;
  my.beat = WEIGH;
  if (!my.look()) my.ask("look", { at: my.t });
  draw(my);
}

function fall(my) {
  my.beat = ROLL;
  my.falling = true;
  my.throws += 1;
  clearTimeout(my.landing);
  my.landing = setTimeout(() => {
    my.falling = false;
    draw(my);
    if (my.goOn) my.writing = setTimeout(() => { if (my.beat === ROLL) { my.beat = WRITE; draw(my); runOn(my); } }, 900);
    my.goOn = false;
  }, my.look()?.roll === null ? 60 : FALL);
  draw(my);
}

function roll(my, goOn, runs = false) { // runs: with the tokens after it that have no choice
  my.goOn = goOn;
  my.choosing = -1;
  if (my.t < my.data.count) {
    my.runTo = runs ? lastCertain(my) : -1;
    return fall(my);
  }
  if (my.data.finished) return finish(my);
  if (!my.look()) return draw(my); // the forward pass is not finished
  my.beat = ROLL;
  my.falling = true;
  my.waitingLine = my.look()?.lines[ROLL];
  askRoll(my, runs);
  draw(my);
}

// Writes this token, which has no rival, without the ceremony of a roll.
function skip(my) {
  my.beat = WRITE;
  my.choosing = -1;
  if (my.t < my.data.count) return draw(my);
  my.skips = true;
  my.t -= 1;
  askRoll(my, true);
  draw(my);
}

function finish(my) {
  if (my.data.talk?.next) my.ask("stop", { by: 1 });
  else { my.ending = true; draw(my); }
}

function stopIsOver(my) {
  const talk = my.data.talk;
  return talk && talk.words !== null && my.t + 1 - my.first >= talk.words;
}

function settle(my) { // a key pressed during an animation ends it
  clearTimeout(my.landing);
  clearTimeout(my.writing);
  clearTimeout(my.running);
  my.running = 0;
  if (my.falling && !my.wants) { my.falling = false; my.goOn = false; return true; }
  return false;
}

function on(my) {
  if (my.blank || my.help) { my.blank = my.help = false; return draw(my); }
  if (my.ending) { if (my.data.talk?.next) { my.ending = false; finish(my); } return; }
  if (my.wants?.verb === "roll" || my.wants && my.wants.verb !== "look" && Date.now() - my.wants.asked < LOST) return;
  if (my.choosing >= 0) return takeWord(my);
  if (isGuessing(my)) return reveal(my);
  if (my.running) { my.t = my.runTo; return runOn(my); } // a press ends the animation
  if (settle(my)) { my.beat = isMerged(my) ? WRITE : ROLL; draw(my); return runOn(my); }
  if (my.beat === ROLL && my.runTo >= my.t) { my.beat = WRITE; draw(my); return runOn(my); }
  if (act(my)) return draw(my);
  if (my.t >= my.data.count && my.data.finished) return finish(my);
  if (my.beat === WRITE) {
    my.guess = null;
    if (my.runTo >= my.t) return runOn(my);
    if (stopIsOver(my)) return finish(my);
    my.t += 1;
    if (my.t >= my.data.count && my.data.finished) { my.beat = READ; my.t = my.data.count; return finish(my); }
    if (isMerged(my) && my.t >= my.data.count && isCertain(my, my.look())) return skip(my);
    my.beat = isMerged(my) ? WEIGH : READ;
    if (!my.look()) my.ask("look", { at: my.t });
    return draw(my);
  }
  if (my.beat === WEIGH && isMerged(my) && my.t >= my.data.count && isCertain(my, my.look()) && !my.guess) return skip(my);
  if (my.beat === WEIGH) return roll(my, isMerged(my), isMerged(my) && nextAct(my) !== "choose");
  if (my.beat < WEIGH && isMerged(my)) my.beat = THINK;
  my.beat += 1;
  draw(my);
}

function back(my) {
  if (my.blank || my.help || my.ending) { my.blank = my.help = my.ending = false; return draw(my); }
  if (my.wants?.verb === "roll") return;
  settle(my);
  my.runTo = -1;
  if (my.choosing >= 0) { my.choosing = -1; return draw(my); }
  if (my.guess) { my.guess = null; my.stage.focus(); my.beat = Math.min(my.beat, WEIGH); return draw(my); }
  if (undoAct(my)) return;
  const merged = isMerged(my);
  if (merged && my.beat > WEIGH) my.beat = WEIGH; // takes the token from the screen
  else if (!merged && my.beat > READ) my.beat -= 1;
  else if (my.t > 0) {
    my.t -= 1;
    my.beat = isMerged(my) ? WEIGH : WRITE;
    if (!my.look()) my.ask("look", { at: my.t });
  } else if (my.data.talk) return my.ask("stop", { by: -1 });
  draw(my);
}

function jump(my, beat) {
  if (my.wants?.verb === "roll") return;
  settle(my);
  my.runTo = -1;
  my.guess = null;
  if (my.t >= my.data.count && my.data.finished) { my.t = Math.max(0, my.data.count - 1); }
  if (beat >= ROLL && my.t >= my.data.count) return roll(my, beat === WRITE);
  my.beat = beat;
  if (beat === ROLL) return fall(my);
  draw(my);
}

function choose(my) {
  if (my.choosing >= 0) { my.choosing = -1; return draw(my); }
  if (my.wants || !my.look() || my.guess && !my.guess.rows) return;
  settle(my);
  my.runTo = -1;
  my.beat = WEIGH;
  const look = my.look();
  my.choosing = my.t < my.data.count ? Math.max(0, look.rows.findIndex(row => row[1] !== look.chosen)) : 0;
  draw(my);
}

function takeWord(my) {
  const row = my.look()?.rows[my.choosing];
  if (!row) return;
  my.choosing = -1;
  my.ask("force", { at: my.t, token: row[1] });
}

function move(my, by) {
  if (my.choosing >= 0) {
    my.choosing = Math.max(0, Math.min(my.look().rows.length - 1, my.choosing + by));
    return draw(my);
  }
  if (my.wants) return;
  settle(my);
  my.t = my.data.count;
  my.runTo = -1;
  my.guess = null;
  if (my.beat !== WEIGH) my.beat = WEIGH;
  my.turned = true;
  my.ask("turn", { by: -by });
  draw(my);
}

function say(my, text) {
  my.flash = text;
  clearTimeout(my.flashing);
  my.flashing = setTimeout(() => { my.flash = ""; drawFoot(my); }, 2400);
  draw(my);
}

function play(my) {
  if (my.playing) { clearInterval(my.playing); my.playing = 0; return; }
  my.playing = setInterval(() => {
    if (!my.stage.isConnected || my.ending || my.data.finished && my.t >= my.data.count - 1 && my.beat === WRITE) { clearInterval(my.playing); my.playing = 0; return; }
    if (!my.falling && !my.wants && !my.blank && !my.help && !my.data.vote) on(my);
  }, 1100);
  say(my, my.data.texts.playing);
}

function escape(my) {
  if (my.playing) { clearInterval(my.playing); my.playing = 0; }
  if (my.blank || my.help || my.ending) { my.blank = my.help = my.ending = false; return draw(my); }
  if (my.guess) return closeGuess(my);
  if (my.choosing >= 0) { my.choosing = -1; return draw(my); }
  if (document.fullscreenElement) return document.exitFullscreen();
  my.ask("leave", {});
}

const KEYS = {
  ArrowRight: on, " ": on, PageDown: on, ArrowLeft: back, PageUp: back, Escape: escape,
  Enter: my => (my.choosing >= 0 ? takeWord(my) : on(my)),
  ArrowUp: my => move(my, -1), ArrowDown: my => move(my, 1),
  b: my => { my.blank = !my.blank; draw(my); }, ".": my => { my.blank = !my.blank; draw(my); },
  "?": my => { my.help = !my.help; draw(my); }, e: my => { my.ending = !my.ending; draw(my); },
  f: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
  g: openGuess, c: choose, v: openVote,
  t: my => { my.tint = { likely: "unsure", unsure: "none", none: "likely" }[my.tint]; draw(my); },
  r: my => { my.guess = null; my.ask("again", {}); }, d: my => { my.guess = null; my.ask("dice", {}); },
  m: my => { my.merge = !isMerged(my); say(my, my.data.texts[my.merge ? "merged" : "five"]); },
  p: play,
  n: openNotes,
  "]": my => my.data.talk && my.ask("stop", { by: 1 }), "[": my => my.data.talk && my.ask("stop", { by: -1 }),
};

// The presenter's window sends all keys but those that a browser allows only in the window that has the focus.
const REMOTE = [...Object.keys(KEYS).filter(key => key !== "f" && key !== "n"), ..."0123456789", "Backspace", "w", "l", "a"];

function press(my, key) {
  my.data.notice = ""; // the presenter has seen it
  if (pressVote(my, key)) return true;
  const known = KEYS[key.length === 1 ? key.toLowerCase() : key];
  if (/^[1-5]$/.test(key)) jump(my, Number(key) - 1);
  else if (known) known(my);
  return Boolean(known) || /^[1-5]$/.test(key);
}

// Keys in the field of guesses. An empty field needs none of the talk's keys but letters, and a digit chooses a suggestion.
function keyedInField(my, event) {
  const isEmpty = my.part(".field").value === "";
  const key = event.key;
  if (my.help || my.blank || isEmpty && ["]", "[", "?", "."].includes(key)) press(my, key);
  else if (key === "Enter") enterGuess(my);
  else if (key === "Escape") closeGuess(my);
  else if (key === "PageDown" || isEmpty && (key === "ArrowRight" || key === " ")) reveal(my);
  else if (key === "PageUp" || isEmpty && key === "ArrowLeft") back(my);
  else if (!(isEmpty && /^[1-9]$/.test(key) && suggest(my, Number(key)))) return;
  event.preventDefault();
}

function keyed(my, event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const from = event.composedPath()[0];
  event.stopImmediatePropagation(); // the page below the stage does not get the key
  if (from instanceof HTMLInputElement || from instanceof HTMLTextAreaElement) {
    if (my.guess) keyedInField(my, event);
    return;
  }
  if (from instanceof HTMLButtonElement && event.key === "Enter") return;
  if (event.repeat && !["ArrowUp", "ArrowDown", "ArrowLeft"].includes(event.key)) return event.preventDefault();
  if (press(my, event.key)) event.preventDefault();
}

// Takes the answer to a press. The page runs when only it can do what was asked for, and at rest, so that it writes the address.
function answered(my, answer) {
  if (answer.error) { my.data.notice = answer.error; my.wants = null; return draw(my); }
  receive(my, answer);
  if (answer.needs_page) my.wants = { verb: "page", number: Infinity, at: my.t, asked: Date.now() };
  clearTimeout(my.resting);
  my.resting = setTimeout(() => my.send("rested", Date.now()), answer.needs_page ? 0 : REST);
}

function receive(my, data) {
  const before = my.data;
  my.data = data;
  data.score ??= {};
  const fresh = !before || before.run !== data.run || before.talk?.place !== data.talk?.place || before.talk?.name !== data.talk?.name;
  let common = 0;
  while (!fresh && common < Math.min(my.line.length, data.line?.length ?? 0) && my.line[common] === data.line[common]) common += 1;
  for (const index of Object.keys(my.looks)) if (fresh || Number(index) >= Math.max(0, common - 1)) delete my.looks[index];
  my.line = data.line ?? [];
  for (const [index, look] of Object.entries(data.looks)) my.looks[index] = look;
  const done = my.wants && data.did >= my.wants.number ? my.wants : null;
  if (done) my.wants = null;
  if (fresh) {
    const from = data.talk ? 0 : data.count; // a stop of a talk starts at its first token
    Object.assign(my, { t: from, first: from, beat: READ, guess: null, choosing: -1, falling: false, wants: null, runTo: -1, act: 0, turned: false, temperature: data.temperature, skips: false, ending: data.talk?.words === 0 });
    if (isMerged(my)) my.beat = WEIGH;
    if (!my.looks[from] && from < data.count) my.ask("look", { at: from });
    if (data.finished && data.count && !data.talk) Object.assign(my, { t: data.count - 1, beat: WRITE });
    my.stage.focus();
    receiveVote(my, done);
    draw(my);
    if (data.talk?.acts[0] === "guess") { my.act = 1; openGuess(my); }
    if (data.talk?.acts[0] === "vote") { my.act = 1; my.opens = !data.count; beginStop(my); }
    return;
  }
  receiveVote(my, done);
  beginStop(my);
  if (data.vote) return draw(my);
  if (done?.verb === "vote_go" && !data.notice) {
    Object.assign(my, { t: data.count - 1, beat: WRITE });
    if (!data.finished && !my.looks[data.count]) my.ask("look", { at: data.count });
    return draw(my);
  }
  if (my.t > data.count) Object.assign(my, { t: data.count, beat: READ, falling: false });
  if (done?.verb === "roll" && !data.finished && !my.looks[data.count]) my.ask("look", { at: data.count });
  if (done?.verb === "roll") my.runTo = done.runs ? data.count - 1 : -1;
  if (done?.verb === "roll" && my.skips) { Object.assign(my, { skips: false, t: Math.min(done.at + 1, data.count - 1), beat: WRITE }); draw(my); return runOn(my); }
  if (done?.verb === "roll") return data.count > done.at ? fall(my) : (Object.assign(my, { beat: WEIGH, falling: false }), draw(my));
  if (done?.verb === "force" && !data.notice) { my.t = done.at; my.goOn = true; return fall(my); }
  if (!data.notice && (done?.verb === "again" || done?.verb === "dice")) Object.assign(my, { t: 0, beat: READ, first: 0, act: 0, falling: false });
  if (done?.verb === "guess" && my.guess) {
    if (data.called.length) { my.guess.rows = data.called; my.part(".field").blur(); my.stage.focus(); }
    else my.guess.said = []; // the words were refused: the next forward key goes on without them
  }
  draw(my);
}

function take(stage, { data, setTriggerValue }) {
  stage.my ??= begin(stage);
  stage.my.send = setTriggerValue;
  stage.my.part(".tap.on").ariaLabel = data.texts.forward;
  stage.my.part(".tap.back").ariaLabel = data.texts.back;
  const { my } = stage, known = my.data;
  const isSame = known?.run === data.run && known.talk?.place === data.talk?.place && known.talk?.name === data.talk?.name;
  if (my.connection.key === data.run_key && (data.version < known.version || isSame && data.version === known.version)) return;
  my.connection.key = data.run_key;
  receive(my, data);
}

export default function (component) {
  const stage = component.parentElement.querySelector(".stage");
  if (stage.my) return take(stage, component);
  stage.newest = component; // a tab that was loaded again gets its old session a moment later; nothing of the new one is shown
  isSettled().then(() => { if (!stage.my && stage.newest === component) take(stage, component); });
}
