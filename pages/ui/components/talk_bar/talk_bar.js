// Page down and page up change the stop; other keys stay with the page.
const CHANNEL = "token-probability-viewer stage";

function press(my, key) {
  const by = { PageDown: 1, "]": 1, PageUp: -1, "[": -1 }[key];
  if (key === "." || key === "b") my.black.hidden = !my.black.hidden;
  else if (by && !my.black.hidden) my.black.hidden = true;
  else if (by === 1 && !my.data.talk.next || key === "Escape") my.send("did", { leave: true, number: my.number += 1 });
  else if (by) my.send("did", { by, number: my.number += 1 });
  else if ((key === "ArrowDown" || key === "ArrowUp") && document.activeElement === document.body) {
    document.querySelector('[data-testid="stMain"]')?.scrollBy({ top: key === "ArrowDown" ? 200 : -200 });
  } else if (key === "Enter" && document.activeElement === document.body) {
    const offered = [...document.querySelectorAll('[data-testid="stMain"] [data-testid="stBaseButton-primary"]')].find(button => button.offsetParent && !button.disabled);
    if (!offered) return false;
    offered.click();
  }
  else return false;
  return true;
}

function publish(my) {
  my.channel?.postMessage({ stage: my.data.session, at: Date.now(), talk: my.data.talk, rows: [], text: "", beat: "", line: "", say: "" });
}

function begin(bar, black) {
  const my = { bar, black, number: Date.now() };
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

export default function ({ parentElement, data, setTriggerValue }) {
  const bar = parentElement.querySelector(".bar");
  const my = bar.my ??= begin(bar, parentElement.querySelector(".black"));
  Object.assign(my, { data, send: setTriggerValue });
  if (my.place !== data.talk.place) document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0 }); // a new stop opens at its top
  my.place = data.talk.place;
  bar.querySelector(".place").textContent = `${data.talk.place + 1} / ${data.talk.count}`;
  bar.querySelector(".title").textContent = data.talk.title;
  bar.querySelector(".next").textContent = data.talk.next ? `${data.texts.next}: ${data.talk.next}` : data.texts.end;
  publish(my);
}
