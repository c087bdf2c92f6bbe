// Page down and page up change the stop; other keys stay with the page. The first forward key presses the stop's button, if it names one.
const CHANNEL = "token-probability-viewer stage";
const KEYS = ["PageDown", "PageUp", "ArrowRight", "ArrowLeft", "]", "[", "b", ".", "Escape", "Enter"];

const LOADING = 15000; // milliseconds that a page gets to draw its button

function startButton(my) {
  const { start, place } = my.data.talk;
  if (!start || my.started === place) return null;
  const button = document.querySelector(`.st-key-${start} button`);
  return button && !button.disabled ? button : null;
}

function forward(my) {
  const button = startButton(my);
  if (button) {
    my.started = my.data.talk.place;
    button.click();
    draw(my);
  } else if (my.data.talk.start && my.started !== my.data.talk.place && Date.now() - my.opened < LOADING) {
    return; // the page is still being drawn: a press too many does not skip the stop
  } else if (my.data.talk.next) my.send("did", { by: 1, number: my.number += 1 });
  else my.send("did", { leave: true, number: my.number += 1 });
}

function press(my, key) {
  const by = { PageDown: 1, "]": 1, PageUp: -1, "[": -1 }[key];
  if (key === "." || key === "b") my.black.hidden = !my.black.hidden;
  else if (by && !my.black.hidden) my.black.hidden = true;
  else if (key === "Escape") my.send("did", { leave: true, number: my.number += 1 });
  else if (key === "PageDown") forward(my);
  else if (by) my.send("did", { by, number: my.number += 1 });
  else if (key === "n") openNotes();
  else if ((key === "ArrowDown" || key === "ArrowUp") && document.activeElement === document.body) {
    document.querySelector('[data-testid="stMain"]')?.scrollBy({ top: key === "ArrowDown" ? 200 : -200 });
  } else if (key === "Enter" && document.activeElement === document.body) {
    const offered = startButton(my) ?? [...document.querySelectorAll('[data-testid="stMain"] [data-testid="stBaseButton-primary"]')].find(button => button.offsetParent && !button.disabled);
    if (!offered) return false;
    my.started = my.data.talk.place;
    offered.click();
    draw(my);
  }
  else return false;
  return true;
}

function publish(my) {
  const talk = my.data.talk;
  my.channel?.postMessage({ stage: my.data.session, at: Date.now(), began: beganAt(talk.clock), talk, keys: KEYS, rows: [], text: "", beat: "", line: "", say: "" });
}

function begin(bar, black) {
  const my = { bar, black, number: Date.now(), started: -1 };
  try {
    my.channel = new BroadcastChannel(CHANNEL);
    my.channel.onmessage = ({ data }) => {
      if (!bar.isConnected) return my.channel.close();
      if (data.ask) publish(my);
      if (data.press) press(my, { ArrowRight: "PageDown", ArrowLeft: "PageUp" }[data.press] ?? data.press);
    };
  } catch { my.channel = null; }
  const listen = event => {
    if (!bar.isConnected) return window.removeEventListener("keydown", listen, true);
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || typing(event.composedPath()[0])) return;
    if (press(my, event.key)) { event.preventDefault(); event.stopImmediatePropagation(); }
  };
  window.addEventListener("keydown", listen, true);
  return my;
}

function draw(my) {
  const { talk, texts } = my.data;
  const waits = talk.start && my.started !== talk.place;
  my.bar.querySelector(".place").textContent = `${talk.place + 1} / ${talk.count}`;
  my.bar.querySelector(".title").textContent = talk.title;
  my.bar.querySelector(".next").textContent = waits ? `→ ${texts.start}` : talk.next ? `${texts.next}: ${talk.next}` : texts.end;
}

export default function ({ parentElement, data, setTriggerValue }) {
  const bar = parentElement.querySelector(".bar");
  const my = bar.my ??= begin(bar, parentElement.querySelector(".black"));
  Object.assign(my, { data, send: setTriggerValue });
  if (my.place !== data.talk.place) { // a new stop opens at its top
    document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 });
    my.opened = Date.now();
  }
  my.place = data.talk.place;
  draw(my);
  publish(my);
}
