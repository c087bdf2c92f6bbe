"""Components drawn by a real browser from the data of real steps, without an app around them: what is measured is what is on screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from types import ModuleType
from typing import Any

import pytest

from core import Generation, load_model
from core.record.step import Step
from pages.parts.components.dice import dice
from pages.parts.components.fork_view import fork_view
from pages.parts.components.roving import with_roving
from pages.parts.layout import palette
from pages.parts.session.run_start import LISTED
from pages.parts.session.sampling_controls import PRESETS
from pages.parts.text import beginnings

pytestmark = pytest.mark.browser
Draw = Callable[[ModuleType, dict[str, Any]], Any]

WIDTH = 900  # pixels of the strip
COLOURS = asdict(palette.LIGHT)
STRIP = """() => {
  const track = document.querySelector(".track").getBoundingClientRect();
  const box = node => { const at = node.getBoundingClientRect(); return [at.left - track.left, at.width]; };
  const parts = [...document.querySelectorAll(".part")];
  const spot = document.querySelector(".spot");
  return {
    chosen: parts.filter(part => part.classList.contains("chosen")).map(box),
    orange: parts.filter(part => getComputedStyle(part).backgroundColor === "rgb(222, 107, 8)").map(box),
    bundles: parts.filter(part => getComputedStyle(part).backgroundImage.includes("gradient")).length,
    spot: getComputedStyle(spot).display === "none" ? null : box(spot),
    marker: parseFloat(document.querySelector(".marker").style.left),
  };
}"""


@pytest.fixture
def draw(browser: Any) -> Iterator[Draw]:
    """Draw a component: `draw(dice, data)`; the same one again is patched, as the app does it."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 600}, reduced_motion="reduce")
    drawn: list[ModuleType] = []

    def drawing(part: ModuleType, data: dict[str, Any]) -> Any:
        name = part.__name__.rsplit(".", 1)[1]
        if drawn != [part]:
            css = (part.HERE / f"{name}.css").read_text("utf-8")
            page.set_content(f"<style>body {{ margin: 0 }} {css}</style><main>{part.HTML}</main>")
            drawn[:] = [part]
        source = with_roving(part.HERE / f"{name}.js")  # what does not need it does not mind
        page.evaluate(
            """async ([source, data]) => {
                const component = await import("data:text/javascript;charset=utf-8," + encodeURIComponent(source));
                component.default({ parentElement: document.querySelector("main"), data, setTriggerValue: () => {} });
            }""",
            [source, data],
        )
        return page

    yield drawing
    page.close()


def written(preset: str, count: int) -> list[Step]:
    """So many steps of a preset, over several texts."""
    model, seed = load_model("storyteller-mini"), 0
    steps: list[Step] = []
    while len(steps) < count:
        run = Generation(model, beginnings.FIRST_PROMPT, replace(PRESETS[preset], seed=seed), top_n=LISTED)
        while len(run.path) < 80 and not run.finished:
            run.step()
        steps, seed = steps + run.path, seed + 1
    return steps[:count]


def test_the_chosen_part_of_the_strip_is_its_probability_and_lies_under_the_roll(draw: Draw) -> None:
    thin = bundled = 0
    for step in written("Wild", 100):
        seen = draw(dice, dice.strip_data(step)).evaluate(STRIP)
        assert len(seen["chosen"]) == 1
        assert seen["orange"] == seen["chosen"]
        left, width = seen["chosen"][0]
        assert step.chosen.dice_start is not None and step.roll is not None
        assert left == pytest.approx(step.chosen.dice_start * WIDTH, abs=0.1)
        assert width == pytest.approx(step.sampling_probability * WIDTH, abs=0.1)
        assert left - 0.1 <= step.roll * WIDTH <= left + width + 0.1
        assert seen["marker"] == pytest.approx(step.roll * 100, abs=1e-3)
        assert (seen["spot"] is None) == (width >= 4)
        if seen["spot"]:
            thin += 1
            assert seen["spot"][0] + seen["spot"][1] / 2 == pytest.approx(left + width / 2, abs=1)
        bundled += seen["bundles"]
    assert bundled and thin


def test_a_line_break_in_a_branch_breaks_the_line(draw: Draw) -> None:
    words = [(text, 0.5, False, "") for text in ("one", "\n", "two", ".\n\n", "three")]
    side = {"words": words, "planned": "", "foot": ""}
    data: dict[str, Any] = {
        "colours": COLOURS,
        "prompt": "Once",
        "shared": [],
        "sides": [side, {"words": words[:1], "planned": "", "foot": ""}],
        "first": 0,
        "opened": None,
        "hint": "",
    }
    for count in (2, 5, 3, 5):  # it grows, is cut back, and grows again
        page = draw(fork_view, data | {"sides": [side | {"words": words[:count]}, data["sides"][1]]})
    tops = {text: page.locator(".side.one button", has_text=text).first.bounding_box() for text in ("one", "two", "three")}
    line = tops["two"]["y"] - tops["one"]["y"]
    assert line > tops["one"]["height"] / 2, "the second word stands below the first"
    assert tops["two"]["x"] == pytest.approx(tops["one"]["x"], abs=2), "and at the beginning of its line"
    assert tops["three"]["y"] - tops["two"]["y"] == pytest.approx(2 * line, rel=0.2), "an empty line stays empty"
