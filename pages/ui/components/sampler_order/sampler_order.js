// A list whose entries are moved by dragging, or with Alt and an arrow key. The new order is sent once an entry was dropped or moved.
// A drawing that was begun before the latest move has an older order, from which the next key would go on: it is left out for a while.
const LATE = 10_000; // milliseconds

export default function ({ parentElement, data, setTriggerValue }) {
  const list = parentElement.querySelector(".stages"), said = parentElement.querySelector(".said");
  list.setAttribute("aria-label", data.label);
  if (data.move < list.move && Date.now() - list.movedAt < LATE) return;
  list.move = data.move;
  const focused = list.querySelector("button:focus")?.stage;
  list.replaceChildren(...data.stages.map(([name, text, on]) => {
    const entry = element("li"), button = element("button", on ? "on" : "", text);
    button.stage = name;
    button.dataset.stage = name;
    button.setAttribute("aria-keyshortcuts", "Alt+ArrowUp Alt+ArrowDown");
    entry.draggable = true;
    entry.append(button);
    return entry;
  }));
  const find = name => [...list.children].find(entry => entry.firstChild.stage === name);
  if (focused) find(focused)?.firstChild.focus();
  const send = () => {
    list.move += 1;
    list.movedAt = Date.now();
    setTriggerValue("order", { names: [...list.children].map(entry => entry.firstChild.stage), move: list.move });
  };
  const place = (entry, to) => {
    const others = [...list.children].filter(other => other !== entry);
    list.insertBefore(entry, others[to] ?? null);
  };
  list.onkeydown = event => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], entry = event.target.closest("li");
    if (!step || !entry) return;
    event.preventDefault();
    const at = [...list.children].indexOf(entry), to = Math.max(0, Math.min(list.children.length - 1, at + step));
    if (!event.altKey) return list.children[to].firstChild.focus();
    if (to === at) return;
    place(entry, to);
    entry.firstChild.focus();
    said.textContent = data.moved.replace("{name}", entry.firstChild.textContent).replace("{place}", to + 1);
    send();
  };
  let dragged = null;
  list.ondragstart = event => { dragged = event.target.closest("li"); event.dataTransfer.effectAllowed = "move"; };
  list.ondragover = event => {
    const over = event.target.closest("li");
    if (!dragged || !over) return;
    event.preventDefault();
    const box = over.getBoundingClientRect();
    if (over !== dragged) over[event.clientY < box.top + box.height / 2 ? "before" : "after"](dragged);
  };
  list.ondrop = event => { event.preventDefault(); if (dragged) send(); dragged = null; };
}
