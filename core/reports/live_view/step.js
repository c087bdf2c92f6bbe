// What stands beside the bars of the step that is shown: its heading, the choice of the moment, the dice, and the announcement.

function drawHeading(my) {
  const { live, data: { texts } } = my, step = live.data?.step;
  const heading = my.made("title", () => element("h2", "title")), about = my.made("about", () => element("small"));
  const opened = live.data?.opened >= 0;
  heading.hidden = about.hidden = Boolean(live.data?.refused);
  const title = opened ? texts.reopened.replace("{number}", live.data.opened + 1) : texts[step?.rolled ? "came" : "comes"];
  if (heading.textContent !== title) heading.textContent = title;
  about.textContent = opened ? step?.settings ?? "" : live.tokens.length ? texts.term : texts.first; // what the bars are is said once
  about.title = opened ? "" : texts.about;
}

function drawMoment(my) {
  const { live, data: { texts } } = my, { data } = live;
  const group = my.made("moments", () => {
    const made = element("div", "joined");
    made.role = "radiogroup";
    made.ariaLabel = texts.moment;
    for (const name of ["rolled", "coming"]) {
      const button = made[name] = buildButton(name, texts.moments[name], "", "", () => live.press(name));
      button.role = "radio";
      made.append(button);
    }
    return made;
  });
  const newest = my.made("newest", () => buildButton("newest", texts.newest, "last_page", "quiet", () => live.press("go", { index: -1 })));
  group.hidden = !data?.step || data.opened >= 0;
  newest.hidden = !data?.step || data.opened < 0;
  for (const name of ["rolled", "coming"]) group[name].ariaChecked = String((name === "rolled") === Boolean(data?.step?.rolled));
}

function drawDiceHead(my) {
  const { live, data: { texts } } = my;
  const button = my.made("again", () => Object.assign(buildButton("roll_again", texts.again, "casino", "quiet", () => live.press("roll")), { title: texts.about_again }));
  live.buttons.roll_again = button;
  button.hidden = Boolean(live.data?.refused);
}

function drawThrow(my) {
  const { live } = my, step = live.data?.refused ? null : live.data?.step;
  const dice = my.made("throw", buildDice);
  dice.hidden = !step;
  if (step) drawDice(dice, { ...step.strip, still: live.isFast || my.data.still });
  announceIn(my.made("announcer", () => element("div", "announcer")), [step?.said, live.data?.ended].filter(Boolean).join(" "));
}
