export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".picture");
  const [image, button, told] = root.children;
  const address = `data:image/png;base64,${data.picture}`;
  if (image.src !== address) image.src = address;
  image.alt = data.alt;
  if (!button.textContent) button.textContent = data.words.copy;
  button.onclick = async () => {
    try {
      const bytes = Uint8Array.from(atob(data.picture), letter => letter.charCodeAt(0));
      await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
      button.textContent = data.words.copied;
      told.textContent = "";
      setTimeout(() => { button.textContent = data.words.copy; }, 1600);
    } catch {
      told.textContent = data.words.refused;
    }
  };
}
