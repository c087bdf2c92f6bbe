// A field that tells what stands in it while it is being typed, not only when it is left.
const WAIT = 70; // milliseconds of rest before it tells

export default function ({ parentElement, data, setStateValue }) {
  const box = parentElement.querySelector(".box");
  const field = box.querySelector("textarea");
  const examples = box.querySelector(".examples");
  paint(box, data.colours);
  field.maxLength = data.limit;
  field.setAttribute("aria-label", data.label);
  field.placeholder = data.label;
  const grow = () => { field.style.height = "auto"; field.style.height = `${Math.min(field.scrollHeight + 2, 224)}px`; };
  if (field.start !== data.start) { // a new place to begin from: the field was not written in since, or the step is another one
    field.start = data.start;
    field.value = data.start;
    grow();
  }
  const tell = () => setStateValue("text", field.value);
  field.oninput = () => {
    grow();
    clearTimeout(field.timer);
    field.timer = setTimeout(tell, WAIT);
  };
  field.onkeydown = event => event.stopPropagation(); // letters here are text, not shortcuts of the page
  examples.textContent = "";
  for (const [name, text] of data.examples) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    button.onclick = () => { field.value = text; grow(); tell(); field.focus({ preventScroll: true }); };
    examples.append(button);
  }
}
