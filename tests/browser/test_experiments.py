"""Experiments as visitors treat them: settings are touched while they run, they are stopped, refused, asked other questions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings, load_model, score_text
from core.labs.beam import beam_search
from pages.parts.session.sampling_controls import START
from pages.parts.text import beginnings
from tests.browser.drawn import Drawn, plainly
from tests.browser.watching import Watching, download, eventually, live, press, settled, turn_to, type_into

pytestmark = pytest.mark.browser
At = Callable[..., Any]
PROMPT = "The old king"


def written(count: int, **settings: Any) -> str:
    """Return what core writes after PROMPT with the usual settings, except these."""
    run = Generation(load_model("storyteller"), PROMPT, SamplingSettings(**START.as_dict() | settings), top_n=1)
    return plainly("".join(step.text for step in run.write(count)))


def touch(page: Any, number: int) -> None:
    """Press a preset, or move a slider: what a visitor does while they wait."""
    if number % 2:
        page.locator(".st-key-temperature input[type=range]").focus()
        page.keyboard.press("ArrowRight")
    else:
        page.locator(".st-key-preset button").nth(number // 2 % 5).click()


def done(page: Any) -> int:
    """Return how many of the questions are answered."""
    found = re.search(r"(\d+) of (\d+)", page.locator('[data-testid="stProgress"]').first.inner_text())
    assert found is not None
    return int(found[1])


def test_a_set_goes_on_whatever_is_touched_and_wherever_the_visitor_goes(at: At) -> None:
    page = at("think")
    page.locator(".st-key-think_view button").last.click()
    page.locator(".st-key-think_count button").nth(1).click()
    settled(page)
    press(page, "think_set_start")
    page.locator(".st-key-think_set_stop button").wait_for()
    reached = 0
    for number in range(6):
        touch(page, number)
        now = done(page)
        assert now >= reached and page.locator('[data-testid="stAlert"]').count() == 0
        reached = now
    turn_to(page, "How it works", "Growing up")
    page.locator(".st-key-think_count").wait_for(state="detached")
    turn_to(page, "What if", "Thinking aloud")
    page.locator(".st-key-think_set_start button").wait_for()
    assert done(page) == 25, "the view and the count were kept, and nothing is missing"


def test_stop_ends_a_long_run_and_what_was_found_stays(at: At) -> None:
    page = at("cache")
    page.locator('[data-testid="stMain"] [data-testid="stButtonGroup"] button', has_text="256").last.click()
    settled(page)
    press(page, "cache_start")
    page.locator(".st-key-made_race").wait_for()
    press(page, "cache_stop")
    page.locator(".st-key-cache_start button:not([disabled])").wait_for()
    drawn = Drawn(page, ".st-key-result_race")
    eventually(page, lambda: drawn.marks("symbol", "raw") and None)
    assert len(drawn.marks("symbol", "raw")) < 500


def test_an_empty_question_is_refused_and_ones_own_text_is_asked(at: At) -> None:
    page = at("think")
    type_into(page, "think_question", "")
    press(page, "think_start")
    page.locator("[data-testid=stAlert]").wait_for()
    page = at("memory")
    page.get_by_text("My own text", exact=True).click()
    type_into(page, "memory_own", "The sun is shining. Tom put the ball under the old bed. " + "A small bird is singing in the tree. " * 6)
    type_into(page, "memory_question", "Where is Tom's ball?")
    type_into(page, "memory_answer", "under the old bed")
    press(page, "memory_start")
    page.locator(".st-key-result_memory", has_text="Where is Tom's ball?").wait_for()
    told = Drawn(page, ".st-key-result_memory").texts("span")
    assert "Tom" in told and "Lily" not in told


def test_a_text_to_try_is_guessed_with_its_own_draft_and_nearly_all_guesses_are_kept(at: At) -> None:
    page = at("speculative", width=390)
    field = page.locator(".st-key-own_text textarea")
    one_line = field.evaluate("it => it.clientHeight")
    for name, begins, guesser in (
        ("A-sum", "Question: What is", "Storyteller mini"),
        ("A-text-that-repeats", "red, green", "The text itself"),
    ):
        page.locator(f'[class*="st-key-foreseen_{name}"] button').first.click()
        page.wait_for_function(f"document.querySelector('.st-key-own_text textarea').value.startsWith('{begins}')")
        page.wait_for_function(f"document.querySelector('.st-key-speculative_draft input').value.startsWith('{guesser}')")
    seen, needed = field.evaluate("it => [it.clientHeight, it.scrollHeight]")
    assert seen == needed > one_line, "a prompt of two lines is seen whole on a phone"
    live(page, "speculative_start", "speculative")
    drawn = Drawn(page, ".st-key-result_speculative")
    assert len(drawn.texts(".round .accepted")) > 4 * len(drawn.texts(".round .rejected, .round .bonus"))


def test_the_try_that_is_kept_stands_on_watch_and_beam_search_ends_as_core_says(at: At) -> None:
    page = at("candidates?prompt=The+old+king&seed=5")
    page.locator(".st-key-candidates_count button", has_text="4").first.click()
    page.locator(".st-key-candidates_length button", has_text="20").click()
    settled(page)
    live(page, "candidates_start", "candidates")
    picked = plainly("".join(Drawn(page, ".st-key-candidates_text_0").texts(".written span")))
    press(page, "candidates_keep")
    page.locator("[data-testid=stAlert]").wait_for()
    page.get_by_text("Beam search", exact=True).click()
    page.locator(".st-key-candidates_beam_length button", has_text="10").click()
    settled(page)
    press(page, "candidates_beam_step")
    page.locator(".st-key-recorded_candidates_beam").wait_for(state="detached")
    press(page, "candidates_beam_all")
    *_, last = beam_search(load_model("storyteller"), PROMPT, 3, 10, 1.0)
    answer = plainly(last.answers[0].text)
    page.wait_for_function(
        "answer => document.querySelector('.st-key-result_candidates_beam').innerText.replace(/[^\\p{L}\\p{N}]/gu, '').includes(answer)",
        arg=answer,
    )
    turn_to(page, "Watch", "Watch")
    watching = Watching(page)
    watching.until("steps.length > 1")
    assert plainly("".join(watching.written()).replace("⟨end⟩", "")) == picked.removesuffix("end")


def test_a_sweep_and_a_stream_are_of_the_text_that_core_writes(at: At) -> None:
    page = at("compare?prompt=The+old+king&seed=3")
    page.locator(".st-key-compare_view button").nth(1).click()
    settled(page)
    live(page, "compare_sweep_start", "compare_sweep")
    lines = Drawn(page, ".st-key-result_compare_sweep").texts("p.written")
    for place, value in ((0, 0.1), (6, 2.0)):
        assert plainly(lines[place]).endswith(written(28, temperature=value, seed=3))
    page.locator(".st-key-compare_view button").nth(2).click()
    settled(page)
    type_into(page, "compare_words", "zebra")
    live(page, "compare_stream_start", "compare_stream")
    page.locator(".whole .text").wait_for()
    assert page.locator(".whole .withheld").count() == 0
    shown = Drawn(page, ".st-key-result_compare_stream")

    def whole() -> None:
        assert plainly(shown.texts(".whole .text")[0]) == written(80, seed=3)

    eventually(page, whole)


def test_read_saves_what_it_shows_and_sets_two_texts_side_by_side(at: At) -> None:
    page = at("read")
    press(page, "read_example_A-twist")
    read = score_text(load_model("storyteller"), beginnings.TO_READ["A twist"])
    drawn = Drawn(page, "[data-testid=stMain]")

    def rows() -> None:
        assert len(drawn.marks("rect", "surprise")) == sum(token.probability is not None for token in read.tokens)

    eventually(page, rows)
    saved = download(page, page.get_by_role("button", name="Save as CSV")).read_text("utf-8")
    assert [line.count(",") >= 3 for line in saved.splitlines()] == [True] * (len(read.tokens) + 1)
    strip = page.locator(".st-key-read_strip_one")
    strip.locator(".token").nth(4).click()
    card = strip.locator(".card")
    card.wait_for()
    first = card.inner_text()
    page.keyboard.press("ArrowRight")
    assert card.inner_text() != first
    page.keyboard.press("Escape")
    field = page.locator(".st-key-read_text textarea")
    field.fill("The *bear* <b>met</b> a fox.")
    field.press("Control+Enter")
    page.locator(".st-key-read_strip_one .words", has_text="</b>").wait_for()
    assert plainly("".join(Drawn(page, ".st-key-read_strip_one").texts(".token"))).endswith(plainly("The*bear*<b>met</b>afox."))
    page.locator(".st-key-read_mode button").nth(1).click()
    page.locator(".st-key-read_strip_other .token").first.wait_for()


def test_the_dice_of_inside_fall_and_pieces_form_while_one_types(at: At) -> None:
    page = at("inside?prompt=The+bear&steps=2&seed=3&temperature=1.5&top_p=1")
    tally = page.locator(".st-key-inside_tally")
    for number, total in ((100, 100), (1000, 1100)):
        tally.locator("button", has_text=f"{number:,}").first.click()
        page.wait_for_function(
            """total => { const find = root => { for (const node of root.querySelectorAll('*')) {
                 if (node.classList.contains('tally')) return node;
                 const inner = node.shadowRoot && find(node.shadowRoot); if (inner) return inner; } };
               return find(document).state.counts.reduce((sum, one) => sum + one, 0) === total; }""",
            arg=total,
        )
    field = page.locator(".st-key-inside_text textarea")
    field.fill("A fox 🦊!")
    chips = page.locator(".st-key-inside_chips")
    chips.locator(".token", has_text="fox").wait_for()
    assert chips.locator(".below").first.inner_text().isdigit()
    contents = page.locator(".st-key-inside_contents").get_by_role("link")
    assert contents.count() == 6
    contents.last.click()
    page.wait_for_function("""() => [...document.querySelectorAll('h2, h3')].at(-1).getBoundingClientRect().top < innerHeight""")
    assert "prompt=The" in page.url and "steps=r2" in page.url, "the text is still in the address"
