// What the parts of the live view read of a run. A class for each kind of run fills it and says what a press does: the app's run behind
// its routes, or the run of a live page with its own model.
class ShownRun {
  buttons = {}; // of the player and its neighbours, by the names that the keys of the page use

  // Forgets the run. tokens, prompt: rows of `live_rows.py`; series: rows of the small charts, the first of step `from`; run: its number;
  // field: the prompt that was sent last.
  empty() {
    Object.assign(this, { tokens: [], series: [], from: 0, prompt: [], data: null, run: 0, field: null });
  }

  // Whether Play is too fast for animations.
  get isFast() {
    return Boolean(this.data?.playing) && (this.data.speed > 2 || this.data.speed === 0);
  }

  // The node of the newest token that is drawn.
  get node() {
    return this.tokens.at(-1)?.[2] ?? 0;
  }

  // The node before this step of the current path.
  before(step) {
    return step > 0 ? this.tokens[step - 1][2] : 0;
  }
}
