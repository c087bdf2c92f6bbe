// The player below the page.
function drawPlayer(my) {
  const { live, data: { texts, speeds } } = my, { data } = live;
  const player = my.made("player", () => {
    const made = element("div", "player");
    const add = (name, label, icon, kind, act, key = "") => {
      const button = live.buttons[name] = buildButton(name, label, icon, kind, act, key);
      made.append(button);
      return button;
    };
    add("restart", texts.restart, "skip_previous", "quiet", () => live.press("restart"));
    add("new_dice", texts.new_dice, "casino", "quiet", () => live.press("seed")).title = texts.about_new_dice;
    add("back", texts.back, "undo", "", () => live.press("back"), "←");
    add("step", texts.step_forward, "arrow_forward", "primary", () => goOn(live, "step"), "→");
    add("play", texts.play, "play_arrow", "", () => goOn(live, "play", { speed: made.speed.value }), texts.space_key);
    add("pause", texts.pause, "pause", "", () => live.press("pause"), texts.space_key);
    made.append(made.speed = buildSpeed(live, speeds, texts));
    return made;
  });
  const playing = Boolean(data?.playing);
  player.classList.toggle("playing", playing);
  live.buttons.play.hidden = playing;
  live.buttons.pause.hidden = !playing;
  const isOver = String(Boolean(data?.ended) && !data.recorded); // a recording begins again
  for (const button of [live.buttons.step, live.buttons.play]) if (button.ariaDisabled !== isOver) button.ariaDisabled = isOver;
  if (data && !player.speed.matches(":focus-within")) player.speed.show(data.speed, data.crowd);
}

// Does not press where the run has ended.
function goOn(live, verb, more) {
  if (live.buttons[verb].ariaDisabled !== "true") live.press(verb, more);
}

function buildSpeed(live, speeds, texts) {
  const home = element("label", "speed"), said = element("span"), slider = element("input");
  Object.assign(slider, { type: "range", min: 0, max: speeds.length - 1, step: 1, ariaLabel: texts.speed });
  home.append(said, slider);
  // crowd: how fast it goes beside others.
  home.show = (speed, crowd) => {
    const place = speeds.findIndex(([value]) => value === speed);
    home.value = speed;
    if (place < 0) return;
    slider.value = place;
    slider.ariaValueText = speeds[place][1];
    said.textContent = crowd || speeds[place][1];
  };
  slider.oninput = () => {
    home.show(speeds[slider.value][0]);
    live.press("speed", { speed: home.value });
  };
  return home;
}
