// Copies the link.
export default function ({ parentElement, data }) {
  const share = parentElement.querySelector(".share");
  const copy = share.querySelector(".copy");
  const field = share.querySelector(".link");
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
}
