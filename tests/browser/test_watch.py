"""What a visitor does on the Watch page, done in a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.conftest import running_app
from tests.browser.watching import Watching

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]


def test_the_first_odds_are_there_before_anything_is_pressed(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.page.locator("svg.marks").nth(3).wait_for()  # the charts without data yet
    drawn = " ".join(watching.page.locator("svg.marks").all_text_contents())
    assert "NaN" not in drawn and "0.000" not in drawn
    seen = watching.seen()
    assert "What comes next?" in seen["title"][0]
    assert "everything else" in seen["bars"]
    assert all(token["step"] < 0 for token in seen["tokens"])


def test_step_writes_one_token_and_shows_its_roll(visit: Visit, app: str) -> None:
    watching = visit(app)
    first = watching.press("step", 1)
    seen = watching.until('seen.title[0].includes("What came next?")')
    assert "accent" in seen["tokens"][-1]["names"]
    assert "the dice fell on 0." in seen["told"]
    assert watching.press("step", 2)[:1] == first


def test_the_orange_of_the_strip_is_as_wide_as_the_line_below_says(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=Dear+diary,&temperature=1.6&top_p=1&seed=4")
    for count in range(1, 13):
        watching.press("step", count)
        watching.until(f'seen.told.includes("the dice fell on")&& steps.length === {count}')
        watching.page.wait_for_timeout(400)  # pieces slide to their places
        told = watching.seen()["told"]
        said = told.rsplit(" had ", 1)[1].split("%")[0].strip().lstrip("<> \u00a0")
        share = 0.0 if said.startswith("1\u00a0in") else float(said) / 100  # one in thousands is no width at all
        track, part = (watching.page.locator(f".st-key-dice {name}").first.bounding_box() for name in (".track", ".part.chosen"))
        assert watching.page.locator(".st-key-dice .part.chosen").count() == 1
        assert part["width"] / track["width"] == pytest.approx(share, abs=0.006), told


def test_the_keyboard_steps_and_goes_back(visit: Visit, app: str) -> None:
    watching = visit(app)
    for count in (1, 2):
        watching.page.keyboard.press("ArrowRight")
        watching.until(f"steps.length === {count}")
    watching.page.keyboard.press("ArrowLeft")
    watching.until("steps.length === 1")


def test_play_writes_until_it_is_paused(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.button("play").click()
    watching.until("steps.length >= 4")
    watching.page.keyboard.press("Space")
    watching.button("play").wait_for()
    watching.page.wait_for_timeout(500)  # the last step made is still to be drawn
    quiet = watching.written()
    watching.page.wait_for_timeout(900)
    assert watching.written() == quiet


def test_back_and_step_give_the_same_text_again(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.press("step", 1)
    both = watching.press("step", 2)
    watching.press("back", 1)
    assert watching.press("step", 2) == both


def test_restart_leaves_only_the_prompt(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.press("step", 1)
    watching.press("step", 2)
    assert watching.press("restart", 0) == []


def test_a_click_on_a_bar_takes_that_token(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.click_bar(3)
    seen = watching.until("steps.length === 1 && steps[0].forced && seen.told.includes('you chose')")
    assert seen["tokens"][-1]["rank"] == 4
    watching.press("step", 2)
    watching.until('seen.title[0].includes("What came next?")')
    watching.click_bar(0 if watching.seen()["tokens"][-1]["rank"] != 1 else 1)
    seen = watching.until("steps.length === 2 && steps[1].forced")
    watching.page.locator(".st-key-branches button", has_text="Branches · 2").wait_for()


def test_the_same_bar_can_be_taken_again_after_going_back(visit: Visit, app: str) -> None:
    watching = visit(app)
    for _ in range(2):
        watching.click_bar(2)
        watching.until("steps.length === 1 && steps[0].forced && steps[0].rank === 3")
        watching.press("back", 0)


def test_a_click_on_a_word_reopens_its_step(visit: Visit, app: str) -> None:
    watching = visit(app)
    for count in (1, 2, 3):
        watching.press("step", count)
    watching.click_word(1)
    seen = watching.until('seen.title[0].includes("Step 2")')
    assert "opened" in next(token["names"] for token in seen["tokens"] if token["step"] == 1)
    assert len([token for token in seen["tokens"] if token["step"] >= 0]) == 3
    watching.page.locator(".st-key-newest button").click()
    watching.until('seen.title[0].includes("What came next?")')


def test_a_bar_of_a_reopened_step_branches_there(visit: Visit, app: str) -> None:
    watching = visit(app)
    for count in (1, 2, 3):
        watching.press("step", count)
    watching.click_word(1)
    seen = watching.until('seen.title[0].includes("Step 2")')
    taken = next(token["rank"] for token in seen["tokens"] if token["step"] == 1)
    watching.click_bar(1 if taken == 1 else 0)
    watching.until("steps.length === 2 && steps[1].forced")


def test_a_slider_changes_the_coming_bars_and_rolls_nothing(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=I+love")  # whatever comes next, much may come after it
    before = watching.press("step", 1)
    rolled = watching.until('seen.title[0].includes("What came next?")')
    handle = watching.page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    handle.press("ArrowRight")
    moved = f"JSON.stringify(seen.bars) !== JSON.stringify({json.dumps(rolled['bars'])})"
    cold = watching.until(f'seen.title[0].includes("What comes next?") && {moved}')["bars"]
    for _ in range(8):
        handle.press("ArrowRight")
    watching.until(f"JSON.stringify(seen.bars) !== JSON.stringify({json.dumps(cold)})")
    assert watching.written() == before


def test_a_copied_link_gives_the_same_text_on_every_visit(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=The+old+king&temperature=1.2&seed=11")
    watching.press("step", 1)
    watching.press("step", 2)
    watching.click_bar(4)
    watching.until("steps[1]?.forced")
    written = watching.press("step", 3)
    watching.page.locator(".st-key-keep button").first.click()
    watching.page.get_by_role("button", name="Copy link").click()
    watching.page.get_by_role("button", name="Copied").wait_for()
    link = watching.page.evaluate("() => navigator.clipboard.readText()")
    assert parse_qs(urlsplit(link).query)["seed"] == ["11"]
    again = visit(link)
    again.until("steps.length === 3")
    assert again.written() == written
    again.page.reload()
    again.until("steps.length === 3")
    assert again.written() == written


@pytest.mark.parametrize("link", ["/?seed=8&prompt=The+old+king", "/?seed=8"])
def test_the_browsers_way_back_from_another_page_keeps_the_text(visit: Visit, app: str, link: str) -> None:
    watching = visit(f"{app}{link}")
    page = watching.page
    if "prompt" not in link:
        page.locator(".st-key-prompt textarea").fill("The old king")
        page.locator(".st-key-prompt textarea").press("Control+Enter")
        watching.until('(seen?.tokens ?? []).map(token => token.text).join("").endsWith("king")')
    watching.press("step", 1)
    written = watching.press("step", 2)
    for _ in range(2):
        page.get_by_text("How it works").first.click()
        page.get_by_role("menuitem", name="Inside one step").click()
        page.wait_for_function("() => location.pathname === '/inside'")
        page.locator(".st-key-inside_step button").wait_for()
        page.wait_for_function("() => location.search.includes('steps=r2')")
        whole = parse_qs(urlsplit(page.url).query)
        assert (whole["seed"], whole["prompt"]) == (["8"], ["The old king"]), "the address can be sent from here too"
        page.go_back()
        # The page is put together again, so the same look must find two words and which.
        same = json.dumps(json.dumps(written, separators=(",", ":"), ensure_ascii=False))
        watching.until(f"JSON.stringify(steps.map(step => step.text)) === {same}")
        assert urlsplit(page.url).path == "/"


def test_a_deep_link_to_a_cold_server_opens_the_page(visit: Visit) -> None:
    with running_app() as address:
        watching = visit(f"{address}/watch?prompt=The+little+boat&temperature=0.7")
        assert "".join(token["text"] for token in watching.seen()["tokens"]).endswith("The␣little␣boat")
        assert watching.page.locator(".st-key-temperature input[type=range]").input_value() == "0.7"
        watching.press("step", 1)


def test_nothing_is_embedded_again_from_step_to_step(visit: Visit, app: str) -> None:
    watching = visit(app)
    watching.press("step", 1)
    watching.until('seen.title[0].includes("What came next?")')
    watching.page.evaluate("() => document.querySelectorAll('svg.marks').forEach(svg => { svg.mine = true; })")
    for count in (2, 3, 4):
        watching.press("step", count)
    assert watching.page.evaluate("() => [...document.querySelectorAll('svg.marks')].map(svg => svg.mine === true)") == [True] * 4


@pytest.mark.parametrize("dark", [False, True])
def test_everything_is_above_the_fold_on_a_laptop(visit: Visit, app: str, dark: bool) -> None:
    watching = visit(app, dark=dark)
    watching.press("step", 1)
    foot = watching.button("step").bounding_box()["y"]
    for part in ("strip", "odds", "dice", "notepad", "pace", "surprise"):
        box = watching.page.locator(f".st-key-{part}").first.bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] <= foot, part


def test_on_a_phone_sentence_odds_and_dice_come_first_and_nothing_is_cut_off(visit: Visit, app: str) -> None:
    watching = visit(app, width=390, height=844)
    watching.press("step", 1)
    tops = [watching.page.locator(f".st-key-{part}").first.bounding_box()["y"] for part in ("strip", "odds", "dice", "ask")]
    assert tops == sorted(tops)
    assert watching.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert watching.button("step").is_visible()


def test_nothing_is_written_in_a_tab_that_nobody_sees(visit: Visit, app: str) -> None:
    watching = visit(app)
    page = watching.page
    watching.page.locator(".st-key-play button").click()
    watching.until("steps.length >= 2")

    def turn(hidden: bool) -> None:
        """What the browser does when another tab comes before this one."""
        page.evaluate(
            "hidden => { Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });"
            " document.dispatchEvent(new Event('visibilitychange')); }",
            hidden,
        )

    def written() -> int:
        return sum(token["step"] >= 0 for token in watching.seen()["tokens"])

    turn(True)
    page.wait_for_timeout(3_000)
    rested = written()
    page.wait_for_timeout(4_000)
    assert written() == rested
    assert page.locator(".st-key-pause button").count() == 1
    turn(False)
    watching.until(f"steps.length > {rested + 1}")
