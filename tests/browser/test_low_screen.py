"""Watch on a projector, 1280 x 720 with the sidebar open: all that matters in one look; and what is cut, in one line that opens."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.browser.watching import Watching

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]


def test_sentence_odds_dice_and_player_are_in_sight_without_scrolling(visit: Visit, app: str) -> None:
    watching = visit(app, width=1280, height=720)
    page = watching.page
    for count in (1, 2, 3):
        watching.press("step", count)
    watching.until("seen.told.includes('the dice fell on')")
    assert page.locator('[data-testid="stSidebar"]').bounding_box()["x"] >= 0, "the sidebar is to be open"
    player = page.locator(".st-key-player").bounding_box()
    assert player["y"] + player["height"] <= 720
    for name in (
        ".st-key-strip .words",
        ".st-key-prompt",
        ".st-key-odds svg",
        ".st-key-dice .track",
        ".st-key-dice .told",
        ".st-key-keep button",
    ):
        box = page.locator(name).first.bounding_box()
        assert box["y"] >= 45, f"{name} begins under the header"
        assert box["y"] + box["height"] <= player["y"] + 1, f"{name} ends at {box['y'] + box['height']}, the player begins at {player['y']}"
    page.locator(".st-key-ask").get_by_role("button", name="A diary").click()
    watching.until("steps.length === 0")
    page.locator(".st-key-bring_back button").first.wait_for()
    watching.press("step", 1)
    told = page.locator(".st-key-dice .told").first.bounding_box()
    assert told["y"] + told["height"] <= player["y"] + 1, "another button beside the prompt must not push the dice down"


def test_a_click_on_the_line_of_what_is_cut_opens_it_and_another_one_folds_it(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?temperature=0.3&top_k=3&prompt=Once+upon+a", width=1280, height=720)
    before = watching.until("seen.bars.includes('▸ all else, cut')")
    marks = watching.page.locator(".st-key-odds svg .row_marks path, .st-key-odds svg .row path")
    line = watching.page.locator(".st-key-odds svg text", has_text="all else, cut").bounding_box()
    for number in range(marks.count()):
        box = marks.nth(number).bounding_box()
        if box["y"] <= line["y"] + line["height"] / 2 <= box["y"] + box["height"]:
            marks.nth(number).click(force=True)
            break
    opened = watching.until("!seen.bars.includes('▸ all else, cut') && seen.bars.some(text => text.startsWith('cut by'))")
    assert sum(text.startswith("cut by") for text in opened["bars"]) > 1 + sum(text.startswith("cut by") for text in before["bars"])
    assert not any(token["step"] >= 0 for token in opened["tokens"]), "opening takes no token"
    watching.page.locator(".st-key-fold_cut button").click()
    watching.until("seen.bars.includes('▸ all else, cut')")
