// Replays every run of the page: texts are set as text, so that no token becomes markup.
const ICONS = {
  first: "M6 5h2v14H6zM20 5v14L9 12z", back: "M17 5v14L6 12z", play: "M7 4v16l13-8z", pause: "M6 5h4v14H6zM14 5h4v14h-4z",
  on: "M7 5v14l11-7z", last: "M16 5h2v14h-2zM4 5v14l11-7z",
};
const icon = name => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
};

// One row: label, key, model's probability, final probability, its text, kind, begin on the dice or -1.
function drawBars(body, rows, chosen) {
  const build = () => buildRow(element("tr"), Object.assign(element("th"), { scope: "row", dir: "auto" }), element("td"), element("td"));
  fill(body, rows.length, build).forEach((bar, i) => drawRow(bar, rows[i], rows[i][1] === chosen && "chosen"));
}

function start(root) {
  const data = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const part = name => root.querySelector(name);
  const tokens = [...root.querySelectorAll(".token")];
  const card = part(".card"), text = part(".text"), replay = part(".replay"), dice = buildDice();
  let at = tokens.length - 1, clock = 0;

  function draw() {
    const step = data.steps[at];
    tokens.forEach((token, place) => {
      token.classList.toggle("now", place === at);
      token.classList.toggle("later", place > at);
    });
    part(".place").textContent = step.place;
    part(".how").textContent = step.how;
    drawBars(part(".replay .bars tbody"), step.rows, step.chosen);
    const onStrip = step.rows.filter(row => row[6] >= 0 && row[3] > 0);
    const segments = onStrip.map(([label, key, , share, number, , begin]) => [key, label, begin, begin + share, key === step.chosen, number]);
    dice.hidden = step.roll === null;
    if (!dice.hidden) drawDice(dice, { segments, roll: step.roll, roll_text: step.rolled });
    const play = part("[data-do=play]");
    play.replaceChildren(icon(clock ? "pause" : "play"));
    play.ariaLabel = play.title = clock ? data.pause : data.play;
  }

  function go(place) {
    at = Math.max(0, Math.min(tokens.length - 1, place));
    if (at === tokens.length - 1) stop();
    draw();
  }

  function stop() {
    clearInterval(clock);
    clock = 0;
  }

  const does = {
    first: () => { stop(); go(0); },
    back: () => { stop(); go(at - 1); },
    on: () => { stop(); go(at + 1); },
    last: () => go(tokens.length - 1),
    play: () => {
      if (clock) { stop(); draw(); return; }
      if (at === tokens.length - 1) at = -1;
      clock = setInterval(() => go(at + 1), 600);
      go(at + 1);
    },
  };

  function show(token) {
    const step = data.steps[tokens.indexOf(token)];
    card.querySelector("b").textContent = step.title;
    drawBars(card.querySelector("tbody"), step.rows.slice(0, 5), step.chosen);
    placeCard(card, token, root);
  }

  root.classList.add("ready");
  dice.ariaHidden = "true";
  replay.querySelector(".keys").before(dice);
  replay.hidden = false;
  text.tabIndex = 0;
  for (const button of root.querySelectorAll("[data-do]")) {
    button.append(icon(button.dataset.do));
    button.onclick = does[button.dataset.do];
  }
  tokens.forEach((token, place) => {
    token.removeAttribute("title"); // the card says it
    token.onclick = () => { stop(); go(place); };
    token.onpointerenter = event => { if (event.pointerType === "mouse") show(token); };
    token.onpointerleave = () => { card.hidden = true; };
  });
  let from = null;
  text.onpointerdown = event => { from = event.pointerType === "mouse" ? null : event.clientX; };
  text.onpointerup = event => {
    if (from !== null && Math.abs(event.clientX - from) > 40) does[event.clientX < from ? "on" : "back"]();
    from = null;
  };
  // On a page of its own the keys work at once; in a notebook only inside of the run.
  (root.parentElement === document.body ? document : root).addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey || (event.key === " " && event.target.tagName === "BUTTON")) return;
    const name = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last", " ": "play" }[event.key];
    if (!name) return;
    event.preventDefault();
    event.stopPropagation();
    does[name]();
  });
  draw();
}

for (const root of document.querySelectorAll(".tpv-run:not(.ready)")) if (root.querySelector(".replay")) start(root);
