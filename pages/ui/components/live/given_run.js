// A text or a step that the page gives. It asks no server: what is pressed goes to the page.
class GivenRun {
  isFast = false;
  field = null; // the text that was sent last

  give({ prompt = [], tokens = [], direction = "ltr", name = 1, start, ...data }, draw, send, keep) {
    Object.assign(this, { prompt, tokens, direction, name, run: name, send, keep, data: { notices: [], thoughts: [], opened: -1, prompt: start, ...data } });
    draw();
  }

  before() {
    return 0;
  }

  // A text stays the component's state; an index, or the token of a bar, is a trigger.
  press(verb, { index, text, token }) {
    if (text === undefined) this.send(token === undefined ? verb : "go", index ?? token);
    else this.keep("text", text);
    return Promise.resolve();
  }
}
