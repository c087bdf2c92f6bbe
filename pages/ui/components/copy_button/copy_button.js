// Copies a picture, or the link with a query.
async function copyPicture(picture) {
  const bytes = Uint8Array.from(atob(picture), letter => letter.charCodeAt(0));
  await navigator.clipboard.write([new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })]);
}

async function copyLink(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    document.execCommand("copy");
  }
}

export default function ({ parentElement, data }) {
  const [image, button, field, status] = parentElement.querySelector(".copy").children;
  const address = `data:image/png;base64,${data.picture}`;
  if (data.picture && image.src !== address) image.src = address;
  image.alt = field.ariaLabel = data.label;
  image.hidden = !data.picture;
  field.hidden = !image.hidden;
  field.value = `${window.location.origin}${window.location.pathname}?${data.query}`;
  field.onfocus = () => field.select();
  if (!button.textContent) button.textContent = data.words.copy;
  button.onclick = async () => {
    try {
      await (data.picture ? copyPicture(data.picture) : copyLink(field));
      button.textContent = data.words.copied;
      status.textContent = "";
      setTimeout(() => { button.textContent = data.words.copy; }, 1600);
    } catch {
      status.textContent = data.words.refused;
    }
  };
}
