// The rows of a chart as buttons that are heard and reached by keyboard, but not seen: what is seen is a ring around the row in the chart.
export default function ({ parentElement, data, setTriggerValue }) {
  const bars = parentElement.querySelector(".bars");
  const ring = parentElement.querySelector(".ring");
  ring.style.setProperty("--dice", data.colour);
  if (bars.label !== data.label) bars.setAttribute("aria-label", bars.label = data.label);
  while (bars.children.length > data.rows.length) bars.lastElementChild.remove();
  data.rows.forEach(([id, told], i) => {
    let button = bars.children[i];
    if (!button) {
      button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      bars.append(button);
    }
    if (button.textContent !== told) button.textContent = told;
    button.hidden = !told;
    button.token = id;
  });
  roving(bars, () => [...bars.children].filter(button => !button.hidden));
  const focused = () => [...bars.children].findIndex(button => button.matches(":focus"));
  const place = () => {
    const at = focused();
    const mark = at < 0 ? null : document.querySelectorAll(data.marks)[at];
    ring.hidden = !mark;
    if (!mark) return;
    const box = mark.getBoundingClientRect();
    Object.assign(ring.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  };
  bars.show = () => {
    const at = focused();
    document.querySelectorAll(data.marks)[at]?.scrollIntoView({ block: "nearest" });
    place();
    setTimeout(place, 80); // the browser may still be scrolling to what has the focus
  };
  bars.place = place;
  bars.onclick = event => {
    const button = event.target.closest("button");
    if (button) setTriggerValue("taken", button.token);
  };
  if (!bars.ready) {
    bars.ready = true;
    let following;
    bars.addEventListener("focusin", () => {
      bars.show();
      clearInterval(following);
      following = setInterval(() => bars.place(), 150); // the chart may be drawn only now, or anew, or elsewhere
    });
    bars.addEventListener("focusout", () => { clearInterval(following); ring.hidden = true; });
    document.addEventListener("scroll", () => { if (!ring.hidden) bars.place(); }, { capture: true, passive: true });
  }
  place();
}
