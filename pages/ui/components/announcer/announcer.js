// What happened, for those who listen: politely, and in Play no more than one sentence a second, the newest.
const PAUSE = 1000; // ms

export default function ({ parentElement, data }) {
  const said = parentElement.querySelector(".said");
  said.latest = data.sentence;
  if (said.waiting || said.textContent === data.sentence) return;
  const tell = () => {
    said.waiting = 0;
    if (said.textContent === said.latest) return;
    said.textContent = said.latest;
    said.told = performance.now();
  };
  said.waiting = setTimeout(tell, Math.max(0, (said.told ?? -PAUSE) + PAUSE - performance.now()));
}
