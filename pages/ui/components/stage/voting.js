// A vote of the audience: the room's code while it is open, then the answers of audience, model and dice beside each other.
const COUNT_EVERY = 400; // milliseconds between two requests for the counts
const ROOM = "token-viewer-room"; // in the tab's storage, so that a presenter who reloads finds the room again

function openVote(my) {
  if (my.data.finished || my.wants?.verb === "roll") return;
  settle(my);
  Object.assign(my, { t: my.data.count, beat: WEIGH, runTo: -1, choosing: -1, guess: null });
  my.ask("vote", {});
}

function storedRoom() {
  try { return JSON.parse(sessionStorage.getItem(ROOM)); } catch { return null; }
}

// Keeps the room for a reload, or asks for the one of before the reload until the server has answered.
function keepRoom(my, done) {
  const room = my.data.room, stored = storedRoom();
  try {
    if (room && stored?.key !== room.key) sessionStorage.setItem(ROOM, JSON.stringify(room));
    if (!room && done?.verb === "vote_find") sessionStorage.removeItem(ROOM); // it has ended
  } catch { return; } // no storage: the room does not survive a reload
  if (room || !stored || done?.verb === "vote_find" || my.wants) return;
  my.ask("vote_find", stored);
}

// Opens the vote of a stop of a talk, unless it was opened before a reload.
function beginStop(my) {
  if (my.data.vote) my.opens = false;
  if (!my.opens || my.wants) return;
  my.opens = false;
  openVote(my);
}

// Takes the vote that the server sent. The text ends before the token that is voted on.
function receiveVote(my, done) {
  const vote = my.data.vote;
  keepRoom(my, done);
  clearTimeout(my.counting);
  if (!vote) return;
  if (my.voteNumber !== vote.number) Object.assign(my, { voteNumber: vote.number, framed: -1, typed: "", hands: vote.hands ?? [] });
  Object.assign(my, { t: vote.at, beat: WEIGH, runTo: -1, choosing: -1, guess: null, falling: false });
  if (!vote.ended) my.counting = setTimeout(() => countVotes(my), COUNT_EVERY);
}

async function countVotes(my) {
  const vote = my.data.vote;
  if (!my.stage.isConnected || !vote || vote.ended) return;
  try {
    const response = await fetch(address(`vote/now?room=${vote.code}&seen=${vote.now.version}`), { headers: { "x-room-key": my.data.room.key } });
    if (response.ok && my.data.vote === vote) {
      const { question, ...now } = await response.json();
      vote.now = now;
      drawVote(my);
    }
  } catch { /* the next request follows */ }
  if (my.data.vote === vote) my.counting = setTimeout(() => countVotes(my), COUNT_EVERY);
}

function frameOption(my, by) {
  const count = my.data.vote.options.length;
  my.framed = my.framed < 0 ? (by > 0 ? 0 : count - 1) : (my.framed + by + count) % count;
  my.typed = "";
  drawVote(my);
}

// Digits count the raised hands of the framed option.
function typeHands(my, key) {
  if (my.framed < 0) my.framed = 0;
  my.typed = key === "Backspace" ? my.typed.slice(0, -1) : (my.typed + key).slice(-3);
  my.hands[my.framed] = Number(my.typed);
  clearTimeout(my.raising);
  my.raising = setTimeout(() => askVote(my, "vote_set"), 500);
  drawVote(my);
}

// Each request names all hands, because a digit waits half a second for the next one.
function askVote(my, verb, more) {
  clearTimeout(my.raising);
  my.ask(verb, { hands: my.hands, ...more });
}

const OPEN_KEYS = {
  ArrowUp: my => frameOption(my, -1), ArrowDown: my => frameOption(my, 1),
  w: my => askVote(my, "vote_set", { own: true }), l: my => askVote(my, "vote_set", { live: true }),
  a: my => { my.address = (my.address ?? 0) + 1; drawVote(my); },
  ArrowLeft: my => my.ask("vote_close", {}),
};
OPEN_KEYS.PageUp = OPEN_KEYS.Escape = OPEN_KEYS.ArrowLeft;
const ENDED_KEYS = { 1: "audience", 2: "model", 3: "dice" };
const ANYWHERE = ["b", ".", "?", "f", "n", "e", "]", "["]; // keys that mean during a vote what they always mean
const FORWARD = ["ArrowRight", " ", "PageDown", "Enter"];

// Does what a key means during a vote. Returns whether it means something.
function pressVote(my, key) {
  const vote = my.data.vote, name = key.length === 1 ? key.toLowerCase() : key;
  if (!vote || my.blank || my.help || my.ending || ANYWHERE.includes(name)) return false;
  const isBusy = my.wants && Date.now() - my.wants.asked < LOST;
  if (vote.ended) {
    const by = ENDED_KEYS[name] ?? (FORWARD.includes(name) ? vote.forward : "");
    if (by && !isBusy) my.ask("vote_go", { by });
    return true;
  }
  if (/^\d$/.test(name) || name === "Backspace") typeHands(my, name);
  else if (FORWARD.includes(name)) { if (!isBusy) askVote(my, "vote_end"); }
  else OPEN_KEYS[name]?.(my);
  return true;
}

function pasteChat(my, text) {
  if (my.data?.vote && !my.data.vote.ended && text.trim()) askVote(my, "vote_chat", { text: text.slice(0, 40000) });
}

function drawVote(my) {
  const vote = my.data.vote, panel = my.part(".vote");
  panel.hidden = !vote;
  if (!vote) return;
  panel.classList.toggle("ended", vote.ended);
  if (vote.ended) drawResult(my, vote);
  else drawBallot(my, vote);
}

function drawBallot(my, vote) {
  const d = my.data, phones = vote.addresses.length > 0;
  my.part(".join").classList.toggle("alone", !phones);
  if (phones) {
    const [address, picture] = vote.addresses[(my.address ?? 0) % vote.addresses.length];
    const qr = my.part(".qr");
    if (qr.address !== address + vote.code) qr.innerHTML = picture; // made by the server from an address of its own
    qr.address = address + vote.code;
    qr.ariaLabel = d.texts.vote_join.replace("{code}", vote.code);
    my.part(".address").textContent = address;
    my.part(".room_code").textContent = vote.code;
  }
  const counted = text => text.replace("{phones}", vote.now.phones).replace("{votes}", vote.now.votes).replaceAll(": ", ":\u00a0");
  my.part(".there").textContent = counted(d.texts.there);
  my.part(".vote_ask").textContent = counted(d.texts[phones ? "vote_ask" : "hands_ask"]);
  my.part(".vote_rows").replaceChildren(...vote.options.map((label, i) => {
    const row = element("div", i === my.framed ? "choice framed" : "choice");
    const live = vote.live && vote.now.counts ? String(vote.now.counts[i]) : my.hands[i] || i === my.framed ? String(my.hands[i]) : "";
    row.append(element("span", "", label), element("span", "count", live));
    return row;
  }));
  const [how, command] = vote.how.split(/(streamlit run .*)/);
  my.part(".how").replaceChildren(how, ...(command ? [element("code", "", command)] : []));
  const texts = d.texts, keys = [["→", texts.vote_end], ["W", `${texts.vote_own} ${vote.own ? "✓" : "–"}`], ["L", `${texts.vote_live} ${vote.live ? "✓" : "–"}`]];
  if (vote.addresses.length > 1) keys.push(["A", texts.vote_address]);
  my.part(".vote_keys").replaceChildren(...keys.map(([key, text]) => voteButton(my, key, text)),
    element("span", "", `↑ ↓ 0–9 ${texts.vote_hands}`), element("span", "", `Ctrl+V ${texts.vote_chat}`));
}

function voteButton(my, key, text) {
  const button = element("button");
  button.append(element("i", "", key), text);
  button.tabIndex = -1;
  button.onclick = () => press(my, key === "→" ? "ArrowRight" : key);
  return button;
}

function drawResult(my, vote) {
  const texts = my.data.texts;
  const head = element("div", "answer head");
  head.append(element("span", "", ""), element("span", "", `${texts.audience_head} · ${vote.voters}`), element("span", "", texts.model_head), element("span", "", texts.dice_head));
  const rows = vote.rows.map(([label, count, share, model, percent, isDice]) => answerRow(label, [share, count, "audience"], [model, percent, "model"], isDice));
  if (vote.own_row) rows.push(answerRow(vote.own_row[0], [vote.own_row[2], vote.own_row[1], "audience"], null, false));
  my.part(".result_rows").replaceChildren(head, ...rows);
  const words = vote.shown.map(([word, count]) => `${word} ${count}`).join(" · ");
  const outside = vote.rows.some(row => row[5]) ? "" : texts.no_option.replace("{token}", () => vote.came);
  my.part(".result_words").textContent = [outside, words && texts.own_shown.replace("{words}", () => words)].filter(Boolean).join(" ");
  my.part(".result_choices").replaceChildren(element("span", "", texts.go_on), ...vote.choices.map(([by, label, text], i) => {
    const button = voteButton(my, String(i + 1), "");
    button.append(label ? element("b", "", label) : "", ` ${label ? text : texts.nobody}`);
    button.disabled = !label;
    return button;
  }));
  const [agreed = "", bits = "", formula = ""] = vote.scores;
  const score = element("div", "bits", bits);
  score.title = formula;
  my.part(".result_scores").replaceChildren(element("div", "", agreed), score);
}

function answerRow(label, audience, model, isDice) {
  const row = element("div", isDice ? "answer dice_took" : "answer");
  row.append(element("span", "label", label), ...[audience, model].map(answer => {
    const cell = element("span", "cell"), bar = element("i", answer?.[2]);
    bar.style.width = `calc((100% - 4.2em) * ${answer?.[0] ?? 0})`;
    cell.append(...(answer?.[0] > 0 ? [bar] : []), ...(answer ? [element("b", "", answer[1])] : []));
    return cell;
  }), element("span", "took", isDice ? "●" : ""));
  return row;
}
