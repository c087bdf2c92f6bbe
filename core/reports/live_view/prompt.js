// The field of the prompt with its examples.
const TYPED = 70; // milliseconds after the last key, in a field that sends while the visitor types

// typed: whether the field sends while the visitor types; it then grows with its text.
function drawPrompt(my) {
  const { live, data: { texts, examples, limit, typed } } = my, { data } = live;
  const home = my.made("asked", () => {
    const made = element("div", typed ? "typed" : "asked"), label = element("label", "", texts.prompt), field = element("textarea");
    Object.assign(field, { rows: 1, placeholder: texts.placeholder, spellcheck: false, ariaLabel: texts.prompt || texts.placeholder });
    if (typed) field.maxLength = limit;
    label.append(field);
    made.append(label);
    made.field = field;
    made.grow = () => {
      if (!typed) return;
      field.style.height = "auto";
      field.style.height = `${field.scrollHeight + 2}px`;
    };
    made.send = () => {
      clearTimeout(made.sending);
      if (field.value === live.field) return;
      live.field = field.value;
      live.press("prompt", { text: field.value.slice(0, limit + 1) });
    };
    field.oninput = () => {
      if (!typed) return;
      made.grow();
      clearTimeout(made.sending);
      made.sending = setTimeout(made.send, TYPED);
    };
    field.onkeydown = event => {
      event.stopPropagation(); // letters are text here, not keys of the page
      if (typed || event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return; // an input method has the key
      event.preventDefault();
      made.send();
    };
    field.onchange = made.send;
    const use = text => {
      field.value = live.field = text;
      live.press("example", { text });
      made.grow();
      if (typed) field.focus({ preventScroll: true });
    };
    if (typed) for (const [name, text] of examples) made.append(Object.assign(buildButton("example", name, "", "quiet", () => use(text)), { title: text }));
    else made.append(buildExamples(texts.examples, examples, use));
    return made;
  });
  if (data?.prompt !== undefined && home.run !== live.name) { // another run: the field follows, unless something new is being typed
    home.run = live.name;
    const isTyping = home.field.matches(":focus") && live.field !== null && home.field.value !== live.field;
    live.field = data.prompt;
    if (!isTyping) home.field.value = data.prompt;
    home.grow();
  }
  home.field.disabled = Boolean(data?.recorded);
}

// A menu of the examples, which is one control.
function buildExamples(title, examples, use) {
  const menu = element("select");
  menu.ariaLabel = title;
  menu.append(element("option", "", title), ...examples.map(([name, text]) => Object.assign(element("option", "", name), { value: text })));
  menu.onchange = () => {
    use(menu.value);
    menu.selectedIndex = 0;
  };
  return menu;
}
