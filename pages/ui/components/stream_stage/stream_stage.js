// Plays one run on two sides with one clock.
export default function ({ parentElement, data }) {
  const stage = parentElement.querySelector(".stage");
  const w = data.words;
  const sides = { streamed: [w.streamed, w.streamed_term], whole: [w.whole, w.whole_term] };
  for (const [name, [title, term]] of Object.entries(sides)) {
    const head = stage.querySelector(`.${name} h2`);
    head.textContent = title + " ";
    head.append(element("small", "", term));
  }
  const streamed = stage.querySelector(".streamed .text");
  const whole = stage.querySelector(".whole .text");
  const clocks = [...stage.querySelectorAll(".clock")];
  const play = stage.querySelector(".play");
  const end = data.tokens.length ? data.tokens[data.tokens.length - 1][1] : 0;
  const last = data.found >= 0 ? data.found : data.tokens.length - 1;
  play.textContent = w.play;
  play.disabled = !data.tokens.length;

  function upTo(count) {
    streamed.textContent = data.tokens.slice(0, count).map(([text]) => text).join("");
    if (data.found >= 0 && count > last) {
      streamed.append(element("span", "cut", ` ✂ ${w.cut}`));
    }
  }
  function finish() {
    upTo(last + 1);
    whole.textContent = data.found >= 0 ? w.withheld : data.tokens.map(([text]) => text).join("");
    whole.classList.toggle("withheld", data.found >= 0);
    whole.classList.remove("waiting");
    clocks[0].textContent = `${w.first}: ${data.first}`;
    clocks[1].textContent = `${w.total}: ${data.total}`;
  }

  const sign = JSON.stringify([data.tokens, data.found]);
  if (stage.sign !== sign) {
    stage.sign = sign;
    cancelAnimationFrame(stage.frame);
    finish();
  }
  play.onclick = () => {
    cancelAnimationFrame(stage.frame);
    const begun = performance.now();
    let shown = -1;
    whole.textContent = w.waiting;
    whole.classList.add("waiting");
    whole.classList.remove("withheld");
    clocks[1].textContent = "";
    clocks[0].textContent = "";
    upTo(0);
    const tick = now => {
      const seconds = (now - begun) / 1000 / data.slower;
      let count = 0;
      while (count <= last && data.tokens[count][1] <= seconds) count += 1;
      if (count !== shown) { shown = count; upTo(count); if (count) clocks[0].textContent = `${w.first}: ${data.first}`; }
      if (seconds >= end) finish();
      else stage.frame = requestAnimationFrame(tick);
    };
    stage.frame = requestAnimationFrame(tick);
  };
}
