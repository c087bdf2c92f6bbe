// A talk's keys on a page: forward presses the stop's button, then opens the next stop; back opens the stop before. They do so wherever the
// focus is, except in a field with text and on a slider. All other keys stay with the page.
const CHANNEL = "token-probability-viewer stage";
const FORWARD = ["ArrowRight", " ", "PageDown"], BACK = ["ArrowLeft", "PageUp"];
const KEYS = [...FORWARD, ...BACK, "]", "[", "b", ".", "Escape", "Enter"];
const BOXES = `${STREAMLIT.popover}, ${STREAMLIT.dialog}, [role="listbox"], [role="menu"]`;

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
    publish(my);
  } else if (my.data.talk.start && my.started !== my.data.talk.place && Date.now() - my.opened < LOADING) {
    return; // the page is still being drawn: a press too many does not skip the stop
  } else if (my.data.talk.next) my.send("did", { by: 1, number: my.number += 1 });
  else my.send("did", { leave: true, number: my.number += 1 });
}

// Components keep their boxes in shadow trees: the list of keys, the card of a token.
function openBox() {
  const shadows = [...document.querySelectorAll("*")].flatMap(node => node.shadowRoot ?? []);
  return [document, ...shadows].flatMap(root => [...root.querySelectorAll(`dialog[open], :is(.card, .tv-card):not([hidden]), ${BOXES}`)]).find(box => box.checkVisibility());
}

// Whether the focused element needs this key. A clicker's keys leave every field.
function keeps(node, key) {
  if (key === "PageDown" || key === "PageUp") return false;
  if (node.closest('[role="slider"], input[type="range"]')) return key !== " " && key !== "Escape";
  if (typing(node)) return !([...FORWARD, ...BACK].includes(key) && (node.value ?? node.textContent) === "" && node.getAttribute("aria-expanded") !== "true");
  return false;
}

function press(my, key) {
  const by = FORWARD.includes(key) || key === "]" ? 1 : BACK.includes(key) || key === "[" ? -1 : 0;
  const box = by || key === "Escape" ? openBox() : null;
  if (key === "." || key === "b") my.black.hidden = !my.black.hidden;
  else if ((by || key === "Escape") && !my.black.hidden) my.black.hidden = true;
  else if (box?.matches("dialog")) box.close();
  else if (key === "Escape" && box) return false; // the page closes it
  else if (key === "Escape") my.send("did", { leave: true, number: my.number += 1 });
  else if (FORWARD.includes(key)) forward(my);
  else if (by) my.send("did", { by, number: my.number += 1 });
  else if (key === "n") openNotes();
  else if ((key === "ArrowDown" || key === "ArrowUp") && document.activeElement === document.body) {
    document.querySelector(STREAMLIT.main)?.scrollBy({ top: key === "ArrowDown" ? 200 : -200 });
  } else if (key === "Enter" && document.activeElement === document.body) {
    const offered = startButton(my) ?? [...document.querySelectorAll(`${STREAMLIT.main} ${STREAMLIT.primaryButton}`)].find(button => button.offsetParent && !button.disabled);
    if (!offered) return false;
    my.started = my.data.talk.place;
    offered.click();
    draw(my);
  }
  else return false;
  return true;
}

function isWaiting(my) {
  return Boolean(my.data.talk.start) && my.started !== my.data.talk.place;
}

function publish(my) {
  const { talk, texts } = my.data;
  const line = isWaiting(my) ? texts.press_start : "";
  my.channel?.postMessage({ stage: my.data.session, at: Date.now(), began: beganAt(talk.clock), talk, keys: KEYS, rows: [], text: "", beat: "", line, say: "", blank: !my.black.hidden });
}

function begin(bar, black) {
  const my = { bar, black, number: Date.now(), started: -1 };
  try {
    my.channel = new BroadcastChannel(CHANNEL);
    my.channel.onmessage = ({ data }) => {
      if (!bar.isConnected) return my.channel.close();
      if (data.ask) publish(my);
      if (data.press) press(my, data.press);
    };
  } catch { my.channel = null; }
  const listen = event => {
    if (!bar.isConnected) return window.removeEventListener("keydown", listen, true);
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing || keeps(event.composedPath()[0], event.key)) return;
    const isTalks = event.repeat ? KEYS.includes(event.key) : press(my, event.key);
    if (isTalks) { event.preventDefault(); event.stopImmediatePropagation(); }
  };
  window.addEventListener("keydown", listen, true);
  // A pointer that was left where the talk began opens no tooltips on the stops.
  window.addEventListener("pointermove", () => { delete document.documentElement.dataset.still; });
  return my;
}

function draw(my) {
  const { talk, texts } = my.data;
  const waits = isWaiting(my);
  my.bar.querySelector(".place").textContent = `${talk.place + 1} / ${talk.count}`;
  my.bar.querySelector(".title").textContent = talk.title;
  my.bar.querySelector(".next").textContent = waits ? `→ ${texts.start}` : talk.next ? `${texts.next}: ${talk.next}` : texts.end;
}

// A press is a state and not a trigger: beside the reruns of a playing page, a trigger can be lost. The server does each number once.
export default function ({ parentElement, data, setStateValue }) {
  const bar = parentElement.querySelector(".bar");
  const my = bar.my ??= begin(bar, parentElement.querySelector(".black"));
  Object.assign(my, { data, send: setStateValue });
  if (my.place !== data.talk.place) { // a new stop opens at its top
    document.querySelector(STREAMLIT.main)?.scrollTo({ top: 0 });
    Object.assign(my, { opened: Date.now(), started: -1 });
    document.documentElement.dataset.still = "";
  }
  my.place = data.talk.place;
  draw(my);
  publish(my);
}
