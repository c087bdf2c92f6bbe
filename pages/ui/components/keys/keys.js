// Arrows and Space play, from wherever nothing else wants them. In a text field they type; a slider keeps its arrows; Space presses a
// button that was reached by keyboard, but after a click with the mouse it plays again.
const OTHERS = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);
const PRESSED = 'button, a[href], summary, [role="button"], [role="radio"], [role="checkbox"], [role="switch"], [role="tab"], input';
const MOVED = 'input[type="range"], [role="slider"]';
const WALKED = '[role="radiogroup"], [role="tablist"], [role="toolbar"], [role="tree"], [role="grid"], [role="group"]';
const OPEN = '[role="menu"], [role="listbox"], [role="combobox"], [role="spinbutton"], [role="textbox"]';

function focused() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node ?? document.body;
}

function typing(node) {
  return node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT" || (node.tagName === "INPUT" && !OTHERS.has(node.type));
}

function wanted(node, key, byKeyboard) {
  if (typing(node) || node.closest(OPEN)) return true;
  if (key === " ") return byKeyboard && node.matches(PRESSED);
  return node.matches(MOVED) || (byKeyboard && node.closest(WALKED) !== null);
}

function target(names) {
  for (const name of names) {
    const button = document.querySelector(`.st-key-${name} :is(button, a)`);
    if (button && !button.disabled && button.offsetParent !== null) return button;
  }
  return null;
}

function listen(state) {
  window.addEventListener("pointerdown", () => { state.byKeyboard = false; }, true);
  window.addEventListener("keydown", event => {
    if (event.key === "Tab") state.byKeyboard = true;
    const names = state.keys[event.key];
    if (!names || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing || event.defaultPrevented) return;
    if (wanted(focused(), event.key, state.byKeyboard)) {
      state.left.add(event);
      return;
    }
    const button = target(names);
    if (!button) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!(event.repeat && event.key === " ")) button.click();
  }, true);
  // What was left to its element goes no further than the page's own root: the shortcuts of the buttons listen above it.
  document.body.addEventListener("keydown", event => { if (state.left.has(event)) event.stopPropagation(); });
}

export default function ({ data }) {
  if (!window.tokenViewerKeys) listen(window.tokenViewerKeys = { keys: {}, left: new WeakSet(), byKeyboard: false });
  window.tokenViewerKeys.keys = data.keys;
}
