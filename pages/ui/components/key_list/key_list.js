// "?" lists the keys that do something on the page that is open; Escape closes it, and the focus is where it was.
const OTHERS = new Set(["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"]);

function typing() {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return Boolean(node) && (node.isContentEditable || node.tagName === "TEXTAREA" || node.tagName === "SELECT" || (node.tagName === "INPUT" && !OTHERS.has(node.type)));
}

const there = name => [...document.querySelectorAll(`.st-key-${name} button`)].some(button => button.offsetParent !== null);

export default function ({ parentElement, data }) {
  const dialog = parentElement.querySelector("dialog");
  const c = data.colours;
  for (const [name, colour] of Object.entries({ "--line": c.line, "--card": c.card, "--text": c.text, "--muted": c.muted_text, "--dice": c.dice })) dialog.style.setProperty(name, colour);
  const open = () => {
    dialog.querySelector("h2").textContent = data.title;
    const list = dialog.querySelector("dl");
    list.textContent = "";
    for (const [keys, does, buttons] of data.keys) {
      if (buttons.length && !buttons.some(there)) continue;
      const key = document.createElement("dt");
      const what = document.createElement("dd");
      [key.textContent, what.textContent] = [keys, does];
      list.append(key, what);
    }
    dialog.querySelector("button").textContent = data.close;
    if (!dialog.open) dialog.showModal();
  };
  dialog.querySelector("button").onclick = () => dialog.close();
  dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
  window.tokenViewerKeyList = open;
  if (window.tokenViewerKeyListens) return;
  window.tokenViewerKeyListens = true;
  window.addEventListener("keydown", event => {
    if (event.key !== "?" || event.ctrlKey || event.altKey || event.metaKey || typing()) return;
    event.preventDefault();
    window.tokenViewerKeyList();
  });
}
