"""What a button promises, it does: each is pressed, and what comes out is compared with what core makes of the same."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core import Generation, Recording, SamplingSettings, load_model, score_text
from core.experiments.beam import beam_search
from pages.ui.i18n import example_texts
from pages.ui.session.sampling_controls import START
from tests.browser.test_keeping import open_recording, same_text
from tests.browser.watching import Watching, live

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
At = Callable[..., Any]
PROMPT = "The old king"
HOLD = "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"


def press(page: Any, key: str) -> None:
    """Press a button by its key."""
    page.locator(f".st-key-{key} button").first.click()


def type_into(page: Any, key: str, text: str) -> None:
    """Write into a field and leave it."""
    field = page.locator(f".st-key-{key} input, .st-key-{key} textarea").first
    field.fill(text)
    field.press("Tab")


def texts(page: Any, selector: str) -> list[str]:
    """The texts of these elements."""
    return [text.strip() for text in page.locator(selector).all_text_contents()]


def plainly(text: str) -> str:
    """Letters and digits alone: markup and visible spaces do not count."""
    return re.sub(r"[\W_]+", "", text)


def written(prompt: str, count: int, **settings: Any) -> str:
    """What core writes with the usual settings, but for these."""
    run = Generation(load_model("storyteller"), prompt, SamplingSettings(**START.as_dict() | settings), top_n=1)
    return "".join(step.text for step in run.stream(count))


def test_ways_of_looking_at_a_run(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=The+old+king&seed=4")
    page = watching.page
    watching.press("step", 1)
    first = watching.press("step", 2)
    rank = watching.until('seen.title[0].includes("What came next?")')["tokens"][-1]["rank"]
    page.locator(".st-key-moment button", has_text="Coming next").click()
    watching.until('seen.title[0].includes("What comes next?")')
    page.locator(".st-key-moment button", has_text="Just rolled").click()
    watching.until('seen.title[0].includes("What came next?")')
    watching.click_bar(2 if rank != 3 else 1)
    other = watching.until("steps.length === 2 && steps[1].forced")
    assert watching.written() != first
    press(page, "branches")
    page.locator('[data-testid="stPopoverBody"] button[kind="secondary"], [class*="st-key-branch_"] button').first.wait_for()
    page.locator('[class*="st-key-branch_"] button:not([kind="primary"])').first.click()
    watching.until(same_text(first))
    page.keyboard.press("Escape")
    press(page, "keep")
    for name, key in (("Odds", "odds"), ("Notepad", "notepad"), ("Time", "pace"), ("Surprise", "surprise")):
        with page.expect_download() as waiting:
            page.locator(".st-key-link").get_by_role("button", name=name).click()
        drawn = Path(waiting.value.path()).read_text("utf-8")
        assert drawn.startswith("<svg") and drawn.count("<path") > 5, name
        assert waiting.value.suggested_filename == f"{key}.svg"
        if key == "odds":
            assert all(bar in drawn for bar in watching.seen()["bars"] if bar.isalpha())
    page.keyboard.press("Escape")
    page.locator(".st-key-settings").get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_function("() => document.querySelector('.st-key-temperature input[type=range]').value === '1'")
    page.wait_for_function("() => new URLSearchParams(location.search).get('top_p') === '1'")
    assert watching.written() == first and other
    page.get_by_role("link", name="The whole bill").click()
    page.get_by_text("tokens read, 2 written").first.wait_for()


def test_a_recording_can_be_left_and_one_writes_on_oneself(visit: Visit, app: str) -> None:
    run = Generation(load_model("storyteller"), PROMPT, SamplingSettings(seed=8))
    list(run.stream(4))
    watching = visit(app)
    before = watching.press("step", 1)
    open_recording(watching, Recording.of(run).dumps())
    watching.until(same_text([step.text for step in run.path]).replace("step.text", "step.text.replaceAll('␣', ' ')"))
    watching.page.keyboard.press("Escape")
    press(watching.page, "leave")
    watching.until("steps.length === 0")
    assert watching.press("step", 1) == before


def test_a_word_of_ones_own_begins_another_branch_and_both_come_again(at: At) -> None:
    page = at("what_if?prompt=The+old+king")
    for count in (1, 2):
        press(page, "what_if_step")
        page.locator(".side.one .told button").nth(count - 1).wait_for()
    page.locator(".side.other .told button").nth(1).click()
    type_into(page, "what_if_text", " dragon")
    page.get_by_role("button", name="Fork here").click()
    page.locator(".planned", has_text="dragon").wait_for()
    for count in (1, 2, 3):
        press(page, "what_if_step")
        page.locator(".side.other .told button").nth(count - 1).wait_for()
    both = texts(page, ".side .told")
    assert "dragon" in both[1]
    press(page, "what_if_again")
    page.locator(".side.other .told button").nth(2).wait_for(state="detached")
    for count in (1, 2, 3):
        press(page, "what_if_step")
        page.locator(".side.other .told button").nth(count - 1).wait_for()
    assert texts(page, ".side .told") == both, "the same words come again"
    page.get_by_role("button", name="Compare two ways").click()
    press(page, "what_if_between")
    page.locator(".side.one .told button").first.wait_for(state="detached")


def test_read_saves_what_it_shows_and_sets_two_beside_each_other(at: At) -> None:
    page = at("read")
    twist = example_texts.TO_READ["A twist"]
    page.get_by_role("button", name="A twist").click()
    page.get_by_text(re.compile(f"Storyteller · .*{re.escape(twist[-30:])}")).first.wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save as CSV").click()
    saved = pd.read_csv(io.StringIO(Path(waiting.value.path()).read_text("utf-8")))
    read = score_text(load_model("storyteller"), twist)
    assert list(saved["token_id"]) == [token.token_id for token in read.tokens]
    assert saved["probability"].dropna().tolist() == pytest.approx(
        [t.probability for t in read.tokens if t.probability is not None], rel=1e-3
    )
    page.locator(".st-key-read_mode button", has_text="Two texts").click()
    page.locator(".st-key-read_strip_other .token").first.wait_for()
    one, other = ("".join(texts(page, f".st-key-read_strip_{side} .token")) for side in ("one", "other"))
    assert plainly(one).endswith(plainly(twist)[-30:]) and plainly(other).endswith(plainly(list(example_texts.TO_READ.values())[1])[-30:])
    page.locator(".st-key-read_mode button", has_text="Two models").click()
    page.get_by_text("Storyteller mini ·").wait_for()
    said = [float(text.replace(",", "")) for text in texts(page, '[data-testid="stMetricValue"]')]
    small = score_text(load_model("storyteller-mini"), twist)
    assert sorted(said)[-2:] == pytest.approx(sorted((read.perplexity, small.perplexity)), rel=0.02)


def test_the_try_that_is_kept_stands_on_watch(at: At) -> None:
    page = at("candidates?prompt=The+old+king&seed=5")
    page.locator(".st-key-candidates_count button", has_text="4").first.click()
    page.locator(".st-key-candidates_length button", has_text="20").click()
    live(page, "candidates_start", "candidates")
    page.locator(".st-key-candidates_keep button").wait_for()
    page.get_by_text("Both measured.").wait_for()
    picked = texts(page, ".st-key-candidates_text_0 .written span")
    press(page, "candidates_keep")
    page.get_by_text("That try is now your run").wait_for()
    page.get_by_text("Watch", exact=True).first.click()
    page.get_by_role("menuitem", name="Watch", exact=True).click()
    watching = Watching(page)
    watching.until(f"steps.length === {len(picked)}")
    written = watching.written()
    ended = len(written) > 1 and written[-1].strip("⟨⟩ ") == "end"  # Watch marks where the text ended
    assert plainly("".join(written[:-1] if ended else written)) == plainly("".join(picked))


def test_beam_search_ends_with_the_answer_that_core_finds(at: At) -> None:
    page = at("candidates?prompt=The+old+king")
    page.get_by_text("Beam search", exact=True).click()
    page.locator(".st-key-candidates_beam_length button", has_text="10").click()
    press(page, "candidates_beam_step")
    page.get_by_text("step 1", exact=True).wait_for()
    press(page, "candidates_beam_step")
    page.get_by_text("step 2", exact=True).wait_for()
    press(page, "candidates_beam_all")
    said = page.get_by_text("The search is over")
    said.wait_for()
    *_, last = beam_search(load_model("storyteller"), PROMPT, 3, 10, 1.0)
    assert plainly(last.answers[0].text) in plainly(said.inner_text())
    press(page, "candidates_beam_again")
    page.get_by_text("step 1", exact=True).wait_for()


def test_a_sweep_and_a_delivery_are_of_the_text_that_core_writes(at: At) -> None:
    page = at("compare?prompt=The+old+king&seed=3")
    page.get_by_text("One setting, turned", exact=True).click()
    live(page, "compare_sweep_start", "compare_sweep")
    page.locator("p.written").nth(6).wait_for()
    lines = texts(page, "p.written")
    for place, value in ((0, 0.1), (6, 2.0)):
        assert plainly(lines[place]).endswith(plainly(written(PROMPT, 28, temperature=value, seed=3)))
    page.get_by_text("Streamed or whole", exact=True).click()
    type_into(page, "compare_words", "zebra")
    live(page, "compare_stream_start", "compare_stream")
    page.get_by_text("The filter found nothing").wait_for()
    whole = written(PROMPT, 80, seed=3)
    banned = next(word for word in re.findall(r"[a-z]{4,}", whole) if word not in PROMPT)
    type_into(page, "compare_words", banned)
    page.get_by_text(f"The filter found “{banned}”").wait_for()


STOPPED = [
    ("compare?prompt=The+old+king", "compare_start", "compare_stop", "160"),
    ("cache", "cache_start", "cache_stop", "256"),
    ("context", "context_start", "context_stop", "15"),
    ("memory", "memory_all", "memory_ways_stop", ""),
    ("think", "think_start", "think_stop", ""),
]


@pytest.mark.parametrize(("path", "start", "stop", "most"), STOPPED, ids=[path.partition("?")[0] for path, *_ in STOPPED])
def test_stop_ends_it_and_what_was_found_stays(at: At, path: str, start: str, stop: str, most: str) -> None:
    page = at(path)
    if most:
        page.locator('[data-testid="stMain"] [data-testid="stButtonGroup"] button', has_text=most).last.click()
        page.wait_for_function(HOLD)
    press(page, start)
    made = page.locator('[class*="st-key-made_"]')
    made.first.wait_for()
    button = page.locator(f".st-key-{stop} button").first
    if button.count():
        button.click()
    page.locator(f".st-key-{start} button:not([disabled])").wait_for()
    assert made.count() >= 1 and page.locator('[data-testid="stAlert"]', has_not_text="reads at most").count() == 0


def test_one_request_with_the_clock_running(at: At) -> None:
    page = at("cost?prompt=The+old+king")
    live(page, "cost_timed", "cost_timed")
    page.get_by_text("The first word came after").wait_for()
    page.locator("svg.marks", has_text="Network").wait_for()
    drawn = " ".join(page.locator("svg.marks").all_text_contents())
    assert "Network" in drawn and "NaN" not in drawn
    said = page.get_by_text("The first word came after").inner_text()
    first, last = (float(n) * (1 if unit == "s" else 1e-3) for n, unit in re.findall(r"([\d.]+)\s(ms|s)", said))
    assert 0 < first <= last


def test_the_model_that_is_chosen_writes_from_then_on(at: At) -> None:
    page = at("models?prompt=The+old+king&seed=6")
    press(page, "models_use_storyteller-mini")
    page.get_by_text("writes from now on").wait_for()
    page.get_by_text("in use").first.wait_for()
    page.get_by_text("Watch", exact=True).first.click()
    page.get_by_role("menuitem", name="Watch", exact=True).click()
    watching = Watching(page)
    watching.press("step", 1)
    run = Generation(load_model("storyteller-mini"), PROMPT, SamplingSettings(**START.as_dict() | {"seed": 6}))
    assert plainly(watching.written()[0]) == plainly(run.step().text)
    assert json.dumps("storyteller-mini")[1:-1] in page.url


@pytest.mark.parametrize(
    ("path", "field", "button", "text"),
    [
        ("teach", "teach_text", "teach_start", "Our cat is called Zebulon."),
        ("teach", "newborn_text", "newborn_start", "Zebulon sat on a wall. " * 40),
    ],
    ids=["teach", "newborn"],
)
def test_what_was_typed_the_moment_before_the_press_counts(at: At, path: str, field: str, button: str, text: str) -> None:
    """No Tab and no pause: the text leaves the field with the very click."""
    page = at(path)
    page.wait_for_function(HOLD)
    page.locator(f".st-key-{field} textarea").first.fill(text)
    press(page, button)
    page.locator('[class*="st-key-made_"]', has_text="Zebulon").first.wait_for()
