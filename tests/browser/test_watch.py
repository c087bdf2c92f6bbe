"""Journeys on the Watch page: write, look back, choose another token, turn a setting, share; on a projector and on a phone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from core import Generation, SamplingSettings, load_model
from tests.browser.drawn import Drawn
from tests.browser.watching import Watching, eventually, open_more_settings, same_text, stays, turn_to

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
TOPS = "() => ['hero', 'live_prompt', 'odds'].map(key => document.querySelector(`.st-key-${key}`).getBoundingClientRect().top)"


IN_VIEW = "() => document.querySelector('.st-key-why_words_text')?.getBoundingClientRect().bottom < window.innerHeight"
# When the page has scrolled to the answer, it goes to its top once, as a page does that has just opened.
TO_THE_TOP = """() => window.addEventListener("scroll", () => {
  const page = document.querySelector("[data-testid=stMain]");
  if (window.wentUp || !document.querySelector(".st-key-result_why_words") || page.scrollTop < 50) return;
  window.wentUp = true;
  page.scrollTo(0, 0);
}, true)"""


def test_step_back_play_pause_restart_and_a_click_on_a_word_that_reopens_its_step(visit: Visit) -> None:
    watching = visit()
    seen = watching.seen()
    assert "What comes next?" in seen["title"][0] and "everything else" in seen["bars"]
    assert not any("NaN" in bar for bar in seen["bars"])
    first = watching.press("step", 1)
    seen = watching.until('seen.title[0].includes("What came next?") && seen.told.includes("the dice fell on 0.")')
    assert "accent" in seen["tokens"][-1]["names"]
    rows = watching.page.locator(".st-key-odds .bar")
    rows.evaluate_all("rows => rows.forEach(row => { row.mine = true; })")
    both = watching.press("step", 2)
    assert all(rows.evaluate_all("rows => rows.map(row => row.mine === true)")), "a bar keeps its element from step to step"
    assert watching.press("back", 1) == first
    assert watching.press("step", 2) == both, "the same seed gives the same text"
    watching.button("play").click()
    watching.until("steps.length >= 4")
    watching.page.keyboard.press("Space")
    watching.button("play").wait_for()
    watching.stays(f"steps.length === {len(watching.written())}")
    assert watching.press("restart", 0) == []
    watching.steps(1, 3)
    watching.click_word(1)
    seen = watching.until('seen.title[0].includes("Step 2")')
    assert "opened" in next(token["names"] for token in seen["tokens"] if token["step"] == 1)
    assert len(watching.written()) == 3
    watching.page.locator("button[data-name=newest]").click()
    watching.until('seen.title[0].includes("What came next?")')
    watching.click_word(1)
    seen = watching.until('seen.title[0].includes("Step 2")')
    taken = next(token["rank"] for token in seen["tokens"] if token["step"] == 1)
    watching.take_bar(1 if taken == 1 else 0, "steps.length === 2 && steps[1].forced")
    watching.page.locator(".st-key-branches button", has_text="2").wait_for()


def test_a_click_on_a_bar_takes_that_token_and_every_branch_is_kept(visit: Visit) -> None:
    watching = visit("?prompt=The+old+king&seed=9")
    page = watching.page
    first = watching.steps(1, 2)
    page.locator("button[data-name=coming]").click()
    watching.until('seen.title[0].includes("What comes next?")')
    page.locator("button[data-name=rolled]").click()
    bars = page.locator(".st-key-odds")
    before = bars.bounding_box()["y"]
    watching.choose_another(2)
    assert watching.written() != first
    page.get_by_text("Branches · 2").wait_for()
    assert bars.bounding_box()["y"] == before, "the button of the branches moves nothing"
    number, drawn = (bars.locator(part).bounding_box() for part in (".axis span >> text=100 %", ".rows"))
    assert number["x"] + number["width"] <= drawn["x"] + drawn["width"], "the last number of the axis is whole"
    assert "you chose" in watching.until("seen.told.includes('you chose')")["told"]
    page.locator(".st-key-branches button", has_text="2").click()  # Streamlit closes a popover whose label changes during the click
    page.locator('[class*="st-key-branch_"] button:not([kind="primary"])').first.click()
    watching.until(same_text(first))
    page.keyboard.press("Escape")
    watching.press("restart", 0)
    for _ in range(2):  # the same bar can be taken again after going back
        watching.until('seen.title[0].includes("What comes next?")')
        watching.take_bar(2, "steps.length === 1 && steps[0].forced && steps[0].rank === 3")
        watching.press("back", 0)


def test_a_slider_changes_the_coming_bars_rolls_nothing_and_its_last_value_counts_while_it_plays(visit: Visit) -> None:
    watching = visit("?prompt=I+love")
    page = watching.page
    before = watching.press("step", 1)
    rolled = watching.until('seen.title[0].includes("What came next?")')
    handle = page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    handle.press("ArrowRight")
    moved = f"JSON.stringify(seen.bars) !== JSON.stringify({json.dumps(rolled['bars'])})"
    cold = watching.until(f'seen.title[0].includes("What comes next?") && {moved}')["bars"]
    for _ in range(3):
        handle.press("ArrowRight")
    watching.until(f"JSON.stringify(seen.bars) !== JSON.stringify({json.dumps(cold)})")
    assert watching.written() == before
    open_more_settings(page)
    page.locator(".st-key-settings").get_by_role("button", name="All settings off", exact=True).click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('top_p') === '1'")
    assert watching.written() == before
    watching.button("play").click()
    watching.until("steps.length >= 2")
    handle.focus()
    for _ in range(4):
        handle.press("ArrowRight")
    agreed = """(() => { const shown = Number(document.querySelector(".st-key-temperature input[type=range]").value);
      const address = Number(new URLSearchParams(location.search).get("temperature")); return shown > 1.1 && shown === address; })()"""
    page.wait_for_function(f"() => {agreed}")  # the server writes the address: both hold the same value
    stays(page, agreed)
    assert page.get_by_text("Connection error").count() == 0


def test_the_chosen_part_of_the_dice_is_as_wide_as_its_probability(visit: Visit) -> None:
    watching = visit("?prompt=Dear+diary,&temperature=1.6&top_p=1&seed=4")
    watching.page.emulate_media(reduced_motion="reduce")
    for count in range(1, 6):
        watching.press("step", count)
        watching.until(f'seen.told.includes("the dice fell on") && steps.length === {count}')
        told = watching.seen()["told"]
        said = told.rsplit(" had ", 1)[1].split("%")[0].strip().lstrip("<> \u00a0")
        share = 0.0 if said.startswith("1\u00a0in") else float(said) / 100  # one in thousands has no visible width
        track, part = (watching.page.locator(f".st-key-dice {name}").first.bounding_box() for name in (".track", ".part.chosen"))
        assert part["width"] / track["width"] == pytest.approx(share, abs=0.006), told
    assert watching.page.evaluate("document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 50).length") == 0


def test_the_browsers_way_back_from_another_page_keeps_the_text(visit: Visit) -> None:
    watching = visit("?seed=8")
    page = watching.page
    page.locator(".st-key-live_prompt textarea").fill("The old king")
    page.locator(".st-key-live_prompt textarea").press("Enter")
    watching.until('(seen?.tokens ?? []).map(token => token.text).join("").endsWith("king")')
    written = watching.steps(1, 2)
    turn_to(page, "Look inside")
    page.wait_for_url("**/inside?**")
    page.wait_for_function("() => location.search.includes('steps=r2')")
    whole = parse_qs(urlsplit(page.url).query)
    assert (whole["seed"], whole["prompt"]) == (["8"], ["The old king"]), "the address can be sent from here too"

    def strip_has_the_text() -> None:
        assert Drawn(page, ".st-key-strip").texts(".token")[-2:] == [token.strip("␣") for token in written]

    eventually(page, strip_has_the_text)
    page.go_back()
    watching.until(same_text(written))
    assert urlsplit(page.url).path == "/"


def test_a_prompt_is_typed_and_play_rests_in_a_hidden_tab_and_ends_with_the_page(visit: Visit) -> None:
    watching = visit()
    page, field = watching.page, watching.page.locator(".st-key-live_prompt textarea")
    field.fill("The old")
    field.press("Shift+Enter")
    field.press_sequentially("king had ")
    assert field.input_value() == "The old\nking had "
    field.press("Enter")
    watching.until('(seen?.tokens ?? []).map(token => token.text).join("").endsWith("had␣")')
    page.locator("button[data-name=space]").click()
    watching.until('(seen?.tokens ?? []).map(token => token.text).join("").endsWith("had")')
    page.locator("button[data-name=space]").wait_for(state="hidden")
    field.fill("The bird")
    watching.button("step").click()
    seen = watching.until('steps.length === 1 && seen.title[0].includes("What came next?")')
    assert "".join(token["text"] for token in seen["tokens"][:-1]).endswith("bird"), "what was typed is applied before the press"

    watching.button("play").click()
    watching.until("steps.length >= 2")
    hide = """hidden => { Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
        document.dispatchEvent(new Event('visibilitychange')); }"""
    page.evaluate(hide, True)

    watching.until(f"steps.length > {len(watching.written())}")  # a tab is hidden for a second before it counts
    page.wait_for_function("() => !window.tokenViewerLive.stream.isOpen")
    watching.stays(f"steps.length === {len(watching.written())}")
    assert page.locator("button[data-name=pause]").is_visible()
    rested = len(watching.written())
    page.evaluate(hide, False)
    watching.until(f"steps.length > {rested + 1}")
    turn_to(page, "How it learns")
    page.wait_for_url("**/training*")  # written after the menu marks the page: to go back before that leaves the app
    page.go_back()
    watching.button("play").wait_for()


def test_all_that_matters_is_in_sight_on_a_projector(visit: Visit) -> None:
    watching = visit(width=1280, height=720)
    page = watching.page
    text, prompt, bars = page.evaluate(TOPS)
    assert text < prompt < bars
    watching.steps(1, 3)
    watching.until("seen.told.includes('the dice fell on')")
    assert page.evaluate(TOPS)[-1] == pytest.approx(bars, abs=4), "a step moves no bar"
    assert page.locator('[data-testid="stSidebar"]').bounding_box()["x"] >= 0, "the sidebar is to be open"
    player = page.locator(".st-key-player").bounding_box()
    assert player["y"] + player["height"] <= 720
    for name in (".st-key-strip .words", ".st-key-live_prompt textarea", ".st-key-odds .rows", ".st-key-dice .track", ".st-key-dice .told"):
        box = page.locator(name).first.bounding_box()
        assert box["y"] >= 45, f"{name} begins under the header"
        assert box["y"] + box["height"] <= player["y"] + 1, f"{name} ends under the player"


def test_a_click_on_the_line_of_excluded_tokens_opens_it_and_another_one_folds_it(visit: Visit) -> None:
    watching = visit("?temperature=0.3&top_k=3&prompt=Once+upon+a", width=1280, height=720)
    watching.until("seen.bars.some(text => text.startsWith('▸'))")
    watching.page.locator(".st-key-odds .bar", has_text="▸").click()
    opened = watching.until("!seen.bars.some(text => text.startsWith('▸'))")
    assert not any(token["step"] >= 0 for token in opened["tokens"]), "opening takes no token"
    bars = watching.page.locator(".st-key-odds .bar:visible")
    said = bars.evaluate_all("bars => bars.map(bar => bar.ariaLabel)")
    likeliest = (
        Generation(load_model("storyteller"), "Once upon a", SamplingSettings(temperature=0.3, top_k=3)).next_distribution().candidate(0)
    )
    assert said[0].startswith(f"{likeliest.piece.strip('␣')}, ") and said[0].endswith(" for the dice")
    assert said[4].endswith(" for the model, excluded by top-k"), "what is heard says why a token cannot come"
    bars.first.hover()
    card = watching.page.locator(".st-key-odds .card")
    card.wait_for()
    drawn = [likeliest.piece, str(likeliest.token_id), "1", f"{likeliest.logit:.2f}", "–"]
    assert [card.locator("b").nth(line).inner_text() for line in (0, 1, 2, 5, 6)] == drawn
    watching.page.locator("button[data-name=fold]").click()
    watching.until("seen.bars.some(text => text.startsWith('▸'))")


@pytest.mark.parametrize("language", ["en-US", "de-DE"])
def test_opening_the_excluded_tokens_moves_no_bar(visit: Visit, language: str) -> None:
    watching = visit("?temperature=0.3&top_k=3&prompt=Once+upon+a", locale=language)
    watching.press("step", 1)
    watching.until("seen.bars.some(text => text.startsWith('▸'))")
    first = watching.page.locator(".st-key-odds .bar:visible").first
    before = first.bounding_box()
    watching.page.locator(".st-key-odds .bar", has_text="▸").click()
    watching.until("!seen.bars.some(text => text.startsWith('▸'))")
    watching.page.locator("button[data-name=fold]").wait_for()
    assert first.bounding_box() == before, "the button that folds them again stands in the line of the legend"


def test_who_plays_beside_others_is_told_how_fast_it_goes(visit: Visit) -> None:
    first, second = visit("?seed=1"), visit("?seed=2")
    for watching in (first, second):
        watching.press("step", 1)
        watching.page.locator(".st-key-live_player input[type=range]").press("End")
        watching.page.wait_for_function("() => window.tokenViewerLive.data.speed === 0")
    for watching in (first, second):
        watching.button("play").click()
    second.page.locator(".st-key-live_player", has_text="2 visitors play now: ").wait_for()


def test_what_was_drawn_is_told_again_when_it_did_not_arrive(visit: Visit) -> None:
    page = (watching := visit("?seed=1")).page
    told: list[str] = []

    def is_told_again(request: Any) -> bool:
        if not request.url.endswith("run/drawn"):
            return False
        told.append(request.post_data)
        return told.count(told[-1]) == 2

    page.route("**/run/drawn", lambda route: route.abort())
    with page.expect_request(is_told_again):
        watching.button("play").click()
    written = watching.written()
    page.unroute("**/run/drawn")
    watching.until(f"steps.length > {len(written) + 1}")


def test_on_a_phone_nothing_is_cut_off_and_the_parts_keep_their_order(visit: Visit) -> None:
    watching = visit("?prompt=%D9%85%D8%B1%D8%AD%D8%A8%D8%A7+%D8%A8%D9%83", width=390, height=844)
    assert watching.page.locator(".st-key-strip .words").get_attribute("dir") == "rtl", "Arabic runs from right to left"
    before = watching.page.evaluate(TOPS)[-1]
    watching.press("step", 1)
    assert watching.page.evaluate(TOPS)[-1] == pytest.approx(before, abs=4), "a step moves no bar"
    tops = [watching.page.locator(f".st-key-{part}").first.bounding_box()["y"] for part in ("strip", "ask", "odds", "dice")]
    assert tops == sorted(tops)
    assert watching.page.evaluate("() => document.documentElement.scrollWidth") <= 390
    assert watching.button("step").is_visible()


def test_the_button_of_a_token_opens_why_and_measures_that_token(visit: Visit) -> None:
    watching = visit("?prompt=The+opposite+of+hot+is&seed=4")
    page = watching.page
    watching.steps(1, 2)
    words = watching.written()
    page.locator('.st-key-strip [data-step="0"]').hover()
    page.locator(".st-key-strip .card .ask").click()
    page.locator("h1", has_text="Why this token?").wait_for()
    page.locator(".st-key-why_words_text").wait_for()
    page.locator(".st-key-result_why_words", has_text=f"“{words[0].strip(chr(9251))}” is").wait_for()
    turn_to(page, "Watch")
    page.locator("button[data-name=newest]").click()
    page.locator(".st-key-strip .words > .ask").click()
    page.locator("h1", has_text="Why this token?").wait_for()
    page.locator(".st-key-result_why_words", has_text=f"“{words[1].strip(chr(9251))}” is").wait_for()
    page.locator('.st-key-strip [data-step="0"]').click()  # on this page a click measures at once
    page.locator(".st-key-result_why_words", has_text=f"“{words[0].strip(chr(9251))}” is").wait_for()


def test_on_a_phone_the_answer_to_why_is_scrolled_to_also_after_the_page_went_to_its_top_but_not_after_the_visitor_did(
    visit: Visit,
) -> None:
    watching = visit("?prompt=The+opposite+of+hot+is&seed=4", width=390, height=844)
    watching.steps(1, 1)
    page = watching.page
    page.evaluate(TO_THE_TOP)
    page.locator(".st-key-strip .words > .ask").click()
    page.wait_for_function(f"() => window.wentUp && ({IN_VIEW})()")
    page.mouse.move(195, 400)
    page.mouse.wheel(0, -10_000)
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")
    stays(page, f"!({IN_VIEW})()")
