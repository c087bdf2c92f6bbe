// Invisible buttons, one per row of a chart. A ring in the chart shows which row has the focus.
export default function ({ parentElement, data, setTriggerValue }) {
  const bars = parentElement.querySelector(".bars");
  const ring = parentElement.querySelector(".ring");
  if (bars.label !== data.label) bars.setAttribute("aria-label", bars.label = data.label);
  while (bars.children.length > data.rows.length) bars.lastElementChild.remove();
  data.rows.forEach(([id, label], i) => {
    let button = bars.children[i];
    if (!button) {
      button = element("button");
      button.tabIndex = -1;
      bars.append(button);
    }
    if (button.textContent !== label) button.textContent = label;
    button.token = id;
  });
  roving(bars, () => [...bars.children]);
  // The card and the mark of a row belong to the step over which the pointer moved. Vega keeps both when the data changes under it.
  const shown = JSON.stringify(data.rows);
  if (bars.shown !== undefined && bars.shown !== shown) {
    document.querySelectorAll(data.marks).forEach(mark => mark.dispatchEvent(new PointerEvent("pointerout", { bubbles: true })));
    document.querySelectorAll("#vg-tooltip-element").forEach(card => card.classList.remove("visible"));
  }
  bars.shown = shown;
  const focusedRow = () => [...bars.children].findIndex(button => button.matches(":focus"));
  const place = () => {
    const at = focusedRow();
    const mark = at < 0 ? null : document.querySelectorAll(data.marks)[at];
    ring.hidden = !mark;
    if (!mark) return;
    const box = mark.getBoundingClientRect();
    Object.assign(ring.style, { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` });
  };
  bars.show = () => {
    const at = focusedRow();
    document.querySelectorAll(data.marks)[at]?.scrollIntoView({ block: "nearest" });
    place();
    setTimeout(place, 80); // the browser may still be scrolling
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
      following = setInterval(() => bars.place(), 150); // the chart may be drawn later, or move
    });
    bars.addEventListener("focusout", () => { clearInterval(following); ring.hidden = true; });
    document.addEventListener("scroll", () => { if (!ring.hidden) bars.place(); }, { capture: true, passive: true });
  }
  place();
}
