// The phone's side of a vote: asks the room every two seconds what to show, and sends a vote with one request.
const texts = JSON.parse(document.getElementById("texts").textContent);
const part = id => document.getElementById(id);
const query = new URLSearchParams(location.search), room = (query.get("room") ?? "").toUpperCase().slice(0, 4);
const where = `?${new URLSearchParams({ room, pass: query.get("pass") ?? "" })}`;
const EVERY = 2000; // milliseconds
let version = "", question = null, mine = null, counts = null, timer = 0, failed = 0;

function tell(sentence) {
  if (part("status").textContent !== sentence) part("status").textContent = sentence; // a screen reader says only what is new
}

function wordOf(vote) {
  return typeof vote === "number" ? question.options[vote] : vote;
}

// Draws the page. The focus stays where it is, or goes to the heading if its element is gone: it must not fall back to the top of the page.
function draw() {
  const focused = part("vote").contains(document.activeElement);
  fill();
  if (focused && !(document.activeElement?.checkVisibility?.() && part("vote").contains(document.activeElement))) part("question").focus();
}

function fill() {
  part("vote").hidden = !question;
  part("question").textContent = question ? texts.question : texts.title;
  if (!question) return tell(texts.wait.replace("{room}", room));
  part("text").textContent = question.text;
  const options = part("options");
  options.setAttribute("aria-label", texts.options);
  while (options.childElementCount > question.options.length) options.lastElementChild.remove();
  question.options.forEach((label, i) => {
    const button = options.children[i] ?? options.appendChild(document.createElement("button"));
    button.type = "button";
    button.textContent = label;
    button.setAttribute("aria-disabled", String(question.ended)); // a disabled button would lose the focus
    button.setAttribute("aria-pressed", String(mine === i));
    button.onclick = () => { if (!question.ended) send({ option: i }); };
  });
  part("own").hidden = !question.own || question.ended;
  const word = mine === null ? "" : wordOf(mine);
  if (question.ended) tell((mine === null ? texts.ended : texts.ended_with.replace("{word}", () => word)) + result());
  else tell(mine === null ? texts.choose : texts.voted.replace("{word}", () => word));
}

function result() {
  if (!counts) return "";
  const rows = counts.map((count, i) => `${i < question.options.length ? `“${question.options[i]}”` : texts.own_words} ${count}`);
  if (!counts.at(-1)) rows.pop();
  return ` ${texts.result.replace("{counts}", () => rows.join(", "))}`;
}

async function asked(address, options) {
  const response = await fetch(address, { ...options, signal: AbortSignal.timeout?.(8000) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

async function look() {
  clearTimeout(timer);
  let wait = EVERY * (0.9 + 0.2 * Math.random());
  try {
    const answer = await asked(`vote/now${where}&seen=${version}`);
    failed = 0;
    counts = answer.counts;
    if ("question" in answer) {
      if (answer.question?.number !== question?.number) part("word").value = "";
      question = answer.question;
      mine = question?.mine ?? null;
      version = answer.version;
      draw();
    } else if (part("status").textContent === texts.lost) draw();
  } catch (error) {
    failed += 1;
    wait *= Math.min(4, 1 + failed);
    if (error.status === 404) return enter(error.message);
    tell(error.status ? error.message : texts.lost);
  }
  if (!document.hidden) timer = setTimeout(look, wait);
}

async function send(vote) {
  const before = mine, number = question.number;
  if ("option" in vote) { mine = vote.option; draw(); }
  try {
    const answer = await asked(`vote${where}`, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ number, ...vote }),
    });
    if (question?.number !== number) return;
    mine = answer.mine;
    draw();
  } catch (error) {
    if (question?.number === number) { mine = before; draw(); }
    tell(error.status ? error.message : texts.lost);
    version = "";
  }
}

function enter(sentence) {
  question = null;
  draw();
  part("enter").hidden = false;
  part("code").value = room;
  part("code").focus();
  tell(sentence);
}

part("enter").querySelector("label").textContent = texts.code;
part("enter").querySelector("button").textContent = texts.enter;
part("own").querySelector("label").textContent = texts.own;
part("own").querySelector("button").textContent = texts.send;
part("own").onsubmit = event => {
  event.preventDefault();
  const word = part("word").value.trim();
  if (word) send({ word });
};
document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : room && part("enter").hidden && look()));
if (room) look();
else enter("");
