"""The Watch page as a visitor uses it: read the sentence, press, click, wait until it is drawn."""

from __future__ import annotations

from typing import Any

PATIENCE = 60_000  # ms
COLD = 90_000  # ms; the first page of a server that has just started loads the model
READ = """() => {
  const find = (root, name) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.classList.contains(name)) return node;
      const inner = node.shadowRoot && find(node.shadowRoot, name);
      if (inner) return inner;
    }
  };
  const words = find(document, "words");
  const dice = find(document, "dice");
  if (!words?.places || !dice) return null;
  const tokens = words.places.map(place => ({ ...place.token, names: place.word.className }));
  const bars = [...document.querySelectorAll(".st-key-odds svg text")].map(text => text.textContent);
  const title = [...document.querySelectorAll("h2")].map(h => h.textContent);
  return { tokens, bars, title, told: dice.querySelector(".told").textContent };
}"""


def live(page: Any, start: str, name: str, patience: int = PATIENCE) -> None:
    """Press the button `start` of an experiment and wait until its result is of now, not the recording the page began with, and whole."""
    page.locator(f".st-key-{start} button").first.click()
    page.locator(f".st-key-recorded_{name}").first.wait_for(state="detached", timeout=patience)
    page.locator(f".st-key-{start} button:visible:not([disabled])").first.wait_for(timeout=patience)


class Watching:
    """One visitor's Watch page."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.until("seen !== null && seen.bars.length > 0", COLD)

    def seen(self) -> dict[str, Any]:
        """What is on screen: the tokens of the strip, the texts of the bars, the headings, what the dice say."""
        return self.page.evaluate(READ)

    def until(self, condition: str, patience: int = PATIENCE) -> dict[str, Any]:
        """Wait until a condition on `seen` holds, e.g. `steps.length === 3`; returns what is seen then."""
        self.page.wait_for_function(
            f"() => {{ const seen = ({READ})(); const steps = (seen?.tokens ?? []).filter(t => t.step >= 0); return {condition}; }}",
            timeout=patience,
        )
        return self.seen()

    def written(self) -> list[str]:
        """The written tokens."""
        return [token["text"] for token in self.seen()["tokens"] if token["step"] >= 0]

    def button(self, name: str) -> Any:
        """A button of the player."""
        return self.page.locator(f".st-key-{name} button").first  # while the page is drawn anew the old one may stand beside the new

    def press(self, name: str, steps: int) -> list[str]:
        """Press a button of the player and wait until so many tokens are written."""
        self.button(name).click()
        self.until(f"steps.length === {steps}")
        return self.written()

    def click_bar(self, place: int) -> None:
        """Click the bar in this place, 0 = the likeliest."""
        marks = self.page.locator(".st-key-odds svg .row_marks path, .st-key-odds svg .row path")
        marks.nth(place).click(force=True)

    def click_word(self, step: int) -> None:
        """Click the token that this step wrote."""
        self.page.locator(f'.st-key-strip [role="button"][data-step="{step}"]').click()
