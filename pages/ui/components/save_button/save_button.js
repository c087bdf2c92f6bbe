// Fetches a file of this session from its route, and saves it.
async function save(data) {
  const answer = await fetch(new URL(`run/file/${encodeURIComponent(data.file)}`, window.location.href), { headers: { "x-run-key": data.run_key } });
  if (!answer.ok) throw new Error(answer.status < 500 ? (await answer.json()).error : data.words.failed);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await answer.blob());
  link.download = data.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // a browser may ask first where to save it
}

export default function ({ parentElement, data }) {
  const part = parentElement.querySelector(".save"), [button, status] = part.children;
  button.lastElementChild.textContent = data.label;
  button.className = data.quiet ? "quiet" : "";
  button.title = data.help;
  if (!data.label) button.ariaLabel = data.help;
  button.onclick = async () => {
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    status.textContent = "";
    try {
      await save(data);
    } catch (error) {
      status.textContent = error instanceof TypeError ? data.words.failed : error.message; // fetch throws a TypeError without a connection
    }
    button.ariaBusy = "false";
  };
  part.hidden = false; // not before a press has an effect
}
