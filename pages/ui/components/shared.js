// Functions that several components share.

// Whether a text field, a list or an editable element has the focus. Buttons, sliders and checkboxes do not count.
const NOT_TYPED = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

function focused() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node ?? document.body;
}

function typing(node = focused()) {
  return node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT" || (node.tagName === "INPUT" && !NOT_TYPED.has(node.type));
}

// When a talk began, in milliseconds. Kept for this tab, so that its clock runs on from page to page.
function beganAt(clock) {
  const name = `token-viewer-clock-${clock}`;
  try {
    const began = Number(sessionStorage.getItem(name)) || Date.now();
    sessionStorage.setItem(name, String(began));
    return began;
  } catch { return beganAt[name] ??= Date.now(); }
}

function openNotes() {
  window.open(new URL("notes", window.location.href).pathname, "token-viewer-notes", "popup,width=900,height=700");
}
