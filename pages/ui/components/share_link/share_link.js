// Copies the link, and saves the page's charts. They are drawn as SVG, so the file is a copy of the drawing.
const SVG = "http://www.w3.org/2000/svg";

function save(key, background) {
  const drawn = document.querySelector(`.st-key-${key} svg.marks`);
  if (!drawn) return;
  const copy = drawn.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  const sheet = document.createElementNS(SVG, "rect");
  sheet.setAttribute("width", "100%");
  sheet.setAttribute("height", "100%");
  sheet.setAttribute("fill", background);
  copy.insertBefore(sheet, copy.firstChild);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = `${key}.svg`;
  anchor.click();
  URL.revokeObjectURL(url);
}

export default function ({ parentElement, data }) {
  const share = parentElement.querySelector(".share");
  const copy = share.querySelector(".copy");
  const field = share.querySelector(".link");
  const shelf = share.querySelector(".shelf");
  share.style.setProperty("--muted", data.colours.muted_text);
  const link = `${window.location.origin}${window.location.pathname}?${data.query}`;
  field.value = link;
  field.onfocus = () => field.select();
  field.ariaLabel = data.words.link;
  if (!copy.textContent) copy.textContent = data.words.copy;
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      field.select();
      document.execCommand("copy");
    }
    copy.textContent = data.words.copied;
    setTimeout(() => { copy.textContent = data.words.copy; }, 1600);
  };
  if (!shelf.childElementCount) {
    const label = document.createElement("span");
    label.textContent = data.words.charts;
    shelf.append(label);
    for (const [key, name] of data.charts) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.dataset.chart = key;
      shelf.append(button);
    }
  }
  for (const button of shelf.querySelectorAll("button")) button.onclick = () => save(button.dataset.chart, data.colours.page);
}
