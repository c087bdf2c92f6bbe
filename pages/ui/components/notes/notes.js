// Receives the stage's messages over a BroadcastChannel, inside the browser.
const CHANNEL = "token-probability-viewer stage";
const LOST = 6000; // milliseconds without a message from the stage

function clock(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function draw(my) {
  const { part, texts, seen } = my;
  part(".waiting").textContent = seen ? (seen.blank ? texts.black : "") : texts.waiting;
  for (const name of [".two", ".foot", ".head"]) part(name).hidden = !seen;
  if (!seen) return;
  const talk = seen.talk;
  part(".own").textContent = talk?.say ?? "";
  part(".coming_head").hidden = !seen.rows.length;
  part(".two").classList.toggle("alone", !seen.rows.length);
  part(".goal").textContent = talk?.minutes ? texts.goal.replace("{minutes}", talk.minutes) : "";
  part(".say").textContent = seen.say;
  part(".line").textContent = seen.line;
  part(".tail").textContent = seen.text ? `… ${seen.text}` : "";
  part(".beat").textContent = seen.beat;
  part(".stop").textContent = talk ? `${texts.stop.replace("{place}", talk.place + 1).replace("{count}", talk.count)} · ${talk.title}` : seen.model ?? "";
  part(".next").textContent = talk?.next ? `${texts.next}: ${talk.next}` : "";
  part(".hidden_yet").textContent = seen.hidden && seen.rows.length ? texts.hidden : seen.finished ?? "";
  part(".words_head").textContent = seen.words?.length ? texts.words : "";
  part(".words").replaceChildren(...(seen.words ?? []).map(([word, count]) => {
    const button = element("button", "", `${word} ${count}`);
    button.onclick = () => my.channel?.postMessage({ release: word });
    return button;
  }));
  part(".rows").replaceChildren(...seen.rows.map(([label, number, share]) => {
    const row = element("div", "row");
    const bar = element("i");
    bar.style.width = `${share * 100}%`;
    bar.hidden = !(share > 0);
    const room = element("div");
    room.append(bar);
    row.append(element("span", "", label), room, element("span", "", number));
    return row;
  }));
}

function tick(my) {
  if (!my.notes.isConnected) { clearInterval(my.timer); my.channel?.close(); return; }
  my.part(".clock").textContent = clock(Date.now() - my.began);
  const silent = my.received ? Date.now() - my.received : 0;
  if (silent > LOST / 3) my.channel?.postMessage({ ask: true });
  if (silent > LOST) my.part(".waiting").textContent = my.texts.lost.replace("{seconds}", Math.floor(silent / 1000));
}

function begin(notes) {
  const my = { notes, seen: null, received: 0, began: Date.now(), part: name => notes.querySelector(name) };
  try {
    my.channel = new BroadcastChannel(CHANNEL);
    my.channel.onmessage = ({ data }) => {
      if (!data.stage) return;
      my.received = Date.now();
      if (data.began && !my.zeroed) my.began = data.began;
      my.seen = data;
      draw(my);
    };
  } catch { my.channel = null; }
  my.timer = setInterval(() => tick(my), 500);
  my.part(".on").onclick = () => my.channel?.postMessage({ press: "ArrowRight" });
  my.part(".back").onclick = () => my.channel?.postMessage({ press: "ArrowLeft" });
  my.part(".zero").onclick = () => { my.began = Date.now(); my.zeroed = true; };
  window.addEventListener("keydown", event => {
    if (!notes.isConnected || event.ctrlKey || event.altKey || event.metaKey || event.key.startsWith("F")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (event.target.closest?.("button") && (key === " " || key === "Enter")) return;
    if (my.seen?.keys.includes(key)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      my.channel?.postMessage({ press: event.key });
    }
  }, true);
  my.channel?.postMessage({ ask: true });
  return my;
}

export default function ({ parentElement, data }) {
  const notes = parentElement.querySelector(".notes");
  const my = notes.my ??= begin(notes);
  my.texts = data.texts;
  my.part(".since").textContent = data.texts.clock;
  my.part(".zero").textContent = data.texts.again;
  my.part(".on").textContent = `${data.texts.on} →`;
  my.part(".back").textContent = `← ${data.texts.back}`;
  my.part(".say_head").textContent = data.texts.say;
  my.part(".coming_head").textContent = data.texts.coming;
  draw(my);
}
