"""What is saved for slides, pages and papers, from three pages: the files open elsewhere, and their numbers are those of the record."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from PIL import Image

from core import Recording
from core.experiments.cache import UNCACHED
from core.message import percent
from pages.batching.serving_board import board_table
from pages.batching.serving_board_rows import Board
from pages.ui.experiments import stored_results
from pages.ui.i18n import numbers
from tests.browser.watching import PATIENCE, Watching, download, eventually, press

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
At = Callable[..., Any]
SVG = "{http://www.w3.org/2000/svg}"
COPIED = """async () => {
  const [item] = await navigator.clipboard.read();
  const picture = await createImageBitmap(await item.getType("image/png"));
  return [picture.width, picture.height];
}"""
# A notebook sets the HTML of an output cell and then runs its scripts.
IN_A_NOTEBOOK = """texts => {
  for (const text of texts) {
    const cell = document.createElement("div");
    cell.className = "output";
    cell.innerHTML = text;
    document.body.append(cell);
    for (const old of cell.querySelectorAll("script:not([type])")) {
      const script = document.createElement("script");
      script.textContent = old.textContent;
      old.replaceWith(script);
    }
  }
}"""
OUTSIDE_FORBIDDEN = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"


class Menu:
    """The open menu of a chart."""

    def __init__(self, page: Any, key: str) -> None:
        self.page, self.key = page, key
        page.locator(f".st-key-chart_{key}").hover()
        page.locator(f".st-key-chart_{key} [data-testid=stPopoverButton]").first.click()
        page.locator(f".st-key-save_png_{key} button:visible").wait_for()

    def file(self, kind: str) -> Path:
        return download(self.page, self.page.locator(f".st-key-save_{kind}_{self.key} button:visible"))

    def texts(self) -> list[str]:
        """The texts of the SVG file."""
        return ["".join(node.itertext()) for node in ElementTree.parse(self.file("svg")).getroot().iter(f"{SVG}text")]

    def table(self) -> pd.DataFrame:
        return pd.read_csv(io.BytesIO(self.file("csv").read_bytes()))

    def picture(self) -> Image.Image:
        return Image.open(self.file("png"))


def background(picture: Image.Image) -> Any:
    return picture.convert("RGB").getpixel((3, 3))


def test_a_chart_of_watch_is_saved_and_copied_with_the_numbers_of_the_step(visit: Visit) -> None:
    watching = visit("?prompt=The+old+king&seed=11")
    page = watching.page
    watching.steps(1, 3)
    press(page, "keep")
    step = Recording.loads(download(page, page.get_by_role("button", name="Recording (JSON)")).read_text("utf-8")).path[-1]
    page.keyboard.press("Escape")
    menu = Menu(page, "odds")
    shown, table = menu.texts(), menu.table()
    assert {numbers.chance(step.sampling_probability), "chosen token", "What came next?"} <= set(shown)
    assert any("The old king" in text and "seed 11" in text for text in shown)
    chosen = table[table.kind == "chosen"].iloc[0]
    assert chosen[["model_probability", "probability_after_settings"]].tolist() == pytest.approx(
        [step.model_probability, step.sampling_probability], abs=1e-6
    )
    light = menu.picture()
    page.get_by_role("button", name="Copy picture").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate(COPIED) == list(light.size)
    page.locator(".st-key-save_theme_odds").get_by_text("Dark").click()

    def dark() -> None:
        assert sum(background(menu.picture())) < 120 < 600 < sum(background(light))

    eventually(page, dark, 40)


def test_the_run_is_saved_as_a_slide_a_page_and_an_animation(visit: Visit, browser: Any, tmp_path: Path) -> None:
    watching = visit("?prompt=The+old+king&seed=11")
    page = watching.page
    written = watching.steps(1, 4)
    press(page, "keep")
    path = Recording.loads(download(page, page.get_by_role("button", name="Recording (JSON)")).read_text("utf-8")).path
    slide = Image.open(download(page, page.get_by_role("button", name="Step 4 (PNG)")))
    assert slide.size == (1920, 1080)
    replayed = download(page, page.get_by_role("button", name="Page (HTML)")).rename(tmp_path / "run.html")
    page.get_by_role("button", name="Make the animation").click()
    animation = Image.open(download(page, page.get_by_role("button", name="Save the animation")))
    assert (animation.size, getattr(animation, "n_frames", 1)) == ((960, 540), len(path))

    context = browser.new_context(viewport={"width": 320, "height": 700}, offline=True)
    asked: list[str] = []
    context.set_default_timeout(PATIENCE)
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    page_text = replayed.read_text("utf-8").replace("&", "&amp;").replace('"', "&quot;")
    around = tmp_path / "course.html"
    around.write_text(
        f'<meta http-equiv="Content-Security-Policy" content="{OUTSIDE_FORBIDDEN}; frame-src \'self\'">'
        f'<iframe sandbox="allow-scripts" srcdoc="{page_text}" width="320" height="600"></iframe>',
        "utf-8",
    )
    for address, part in ((replayed, alone), (around, alone.frame_locator("iframe"))):
        alone.goto(address.as_uri())
        part.locator(".tpv-run.ready").wait_for()
        part.locator("[data-do=first]").click()
        for step in path:
            row = part.locator(".replay .bars tr.chosen")
            assert row.locator("td").last.inner_text() == percent(step.sampling_probability)
            assert f"Token {step.index + 1} of 4" in part.locator(".place").inner_text()
            part.locator("[data-do=on]").press("ArrowRight")
        assert part.locator(".token").count() == len(written)
    alone.goto(replayed.as_uri())
    assert alone.evaluate("document.documentElement.scrollWidth") == 320
    alone.keyboard.press("Home")
    assert alone.locator(".token.later").count() == 3
    alone.locator(".token").nth(2).hover()
    assert percent(path[2].sampling_probability) in alone.locator(".card").inner_text() or path[2].rank > 5
    assert [url for url in asked if not url.startswith(("file:", "about:", "data:"))] == []
    alone.goto("about:blank")
    alone.evaluate(IN_A_NOTEBOOK, [replayed.read_text("utf-8")] * 2)
    outputs = alone.locator(".output")
    for number in range(2):
        outputs.nth(number).locator("[data-do=back]").click()
        assert outputs.nth(number).locator(".token.later").count() == 1
    assert alone.evaluate("getComputedStyle(document.body).margin") == "8px", "the page changes nothing outside of its cell"
    context.close()


def test_a_chart_of_the_cache_page_has_what_its_recorded_result_was_made_with(at: At) -> None:
    page = at("cache")
    known = stored_results.bundled("race")
    assert known is not None and known.made_by is not None
    menu = Menu(page, "cache_total")
    last = [step for step in known.observations if step.runner == UNCACHED][-1]
    shown = menu.texts()
    assert numbers.whole(last.total_positions) in shown
    assert " ".join(known.made_by.summary().split()) in " ".join(" ".join(shown).split())
    assert menu.table().total_positions.max() == last.total_positions
    assert menu.picture().width > 1500


def test_the_serving_board_and_the_text_of_inside_have_the_menu_too(at: At) -> None:
    page = at("batching")
    known = stored_results.bundled("batching")
    assert known is not None
    who, policies, _places = known.about
    board = Board.of(who, len(policies))
    board.take(known.observations)
    menu = Menu(page, "batching_board")
    table = menu.table()
    assert len(table) == len(board_table(board))
    assert table.stop_seconds.max() == pytest.approx(max(side.clock for side in board.sides))
    assert "prompt is read (prefill)" in menu.texts() and menu.picture().width > 1500
    page = at("inside?prompt=The+old+king")
    menu = Menu(page, "strip")
    assert "king" in " ".join(menu.texts()) and menu.picture().width > 1500
