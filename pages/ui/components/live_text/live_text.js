// A text field that sends its text while the visitor types, not only when the field loses the focus.
const WAIT = 70; // milliseconds after the last key

export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector(".box");
  const field = box.querySelector("textarea");
  const examples = box.querySelector(".examples");
  field.maxLength = data.limit;
  field.setAttribute("aria-label", data.label);
  field.placeholder = data.label;
  const grow = () => { field.style.height = "auto"; field.style.height = `${Math.min(field.scrollHeight + 2, 224)}px`; };
  if (field.start !== data.start) { // the page has another start text
    field.start = data.start;
    field.value = data.start;
    grow();
  }
  const send = () => setStateValue("text", field.value);
  field.oninput = () => {
    grow();
    clearTimeout(field.timer);
    field.timer = setTimeout(send, WAIT);
  };
  field.onkeydown = event => event.stopPropagation(); // letters are text here, not shortcuts of the page
  examples.textContent = "";
  for (const [name, text] of data.examples) {
    const button = element("button", "", name);
    button.onclick = () => { field.value = text; grow(); send(); field.focus({ preventScroll: true }); };
    examples.append(button);
  }
}
