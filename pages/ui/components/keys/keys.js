// Arrows and Space press the player's buttons unless the focused element needs the key. A text field keeps every key, a slider its arrows.
// Space presses a button that was reached by keyboard; after a click with the mouse it plays or pauses. "?" lists the keys.
const PRESSED = 'button, a[href], summary, [role="button"], [role="radio"], [role="checkbox"], [role="switch"], [role="tab"], input';
const MOVED = 'input[type="range"], [role="slider"]';
const GROUPS = '[role="radiogroup"], [role="tablist"], [role="toolbar"], [role="tree"], [role="grid"], [role="group"]';
const OPEN = '[role="menu"], [role="listbox"], [role="combobox"], [role="spinbutton"], [role="textbox"]';

function needs(node, key, byKeyboard) {
  if (typing(node) || node.closest(OPEN)) return true;
  if (key === " ") return byKeyboard && node.matches(PRESSED);
  return node.matches(MOVED) || (byKeyboard && node.closest(GROUPS) !== null);
}

// The buttons of these names that are seen: those of the live view, and Streamlit's by their keys.
const buttons = names => names.flatMap(name => [window.tokenViewerLive?.buttons[name], ...document.querySelectorAll(`.st-key-${name} :is(button, a)`)])
  .filter(button => button?.isConnected && button.offsetParent !== null);

function listen(state) {
  window.addEventListener("pointerdown", () => { state.byKeyboard = false; }, true);
  window.addEventListener("keydown", event => {
    if (event.key === "Tab") state.byKeyboard = true;
    const names = state.keys[event.key];
    if (!names || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing || event.defaultPrevented) return;
    if (needs(focused(), event.key, state.byKeyboard)) {
      state.left.add(event);
      return;
    }
    const button = buttons(names).find(found => !found.disabled);
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!(event.repeat && event.key === " ")) button.click();
  }, true);
  // Streamlit's own button shortcuts listen above the body. They must not see a key that was left to the focused element.
  document.body.addEventListener("keydown", event => { if (state.left.has(event)) event.stopPropagation(); });
  window.addEventListener("keydown", event => {
    if (event.key !== "?" || event.ctrlKey || event.altKey || event.metaKey || typing()) return;
    event.preventDefault();
    state.list();
  });
}

function list(dialog, data) {
  dialog.querySelector("h2").textContent = data.title;
  dialog.querySelector("button").textContent = data.close;
  dialog.querySelector("dl").replaceChildren(...data.lines.filter(([, , names]) => !names.length || buttons(names).length).flatMap(([label, does]) =>
    [element("dt", "", label), element("dd", "", does)]));
  if (!dialog.open) dialog.showModal();
}

export default function ({ parentElement, data }) {
  const dialog = parentElement.querySelector("dialog");
  dialog.querySelector("button").onclick = () => dialog.close();
  dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
  if (!window.tokenViewerKeys) {
    window.tokenViewerKeys = { left: new WeakSet(), byKeyboard: false };
    listen(window.tokenViewerKeys);
    skip();
  }
  const state = window.tokenViewerKeys;
  Object.assign(state, { keys: data.keys, list: () => list(dialog, data) });
}
