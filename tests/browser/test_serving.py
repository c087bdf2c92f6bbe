"""What a visitor does on the Serving pages, done in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.watching import live

pytestmark = pytest.mark.browser
LONG = 120_000  # ms

READ = """() => { const all = root => [...root.querySelectorAll("*")].flatMap(n => [n, ...(n.shadowRoot ? all(n.shadowRoot) : [])]);
  const sides = all(document).filter(n => n.classList.contains("side"));
  return sides.map(side => ({ done: side.querySelectorAll(".name.done").length, rows: side.querySelectorAll(".row").length,
    bars: side.querySelectorAll(".track i").length, texts: [...side.querySelectorAll(".told .text")].map(t => t.textContent),
    blocks: side.querySelectorAll(".blocks b").length })); }"""


def test_eight_readers_are_served_and_checked(at: Callable[..., Any]) -> None:
    page = at("batching")
    live(page, "batching_start", "batching", LONG)
    finished = "s.length === 2 && s.every(side => side.done === 8 && side.texts.every(Boolean))"
    page.wait_for_function(f"() => {{ const s = ({READ})(); return {finished}; }}", timeout=LONG)
    one, other = page.evaluate(READ)
    assert one["texts"] == other["texts"] and all(one["texts"]) and one["bars"] >= 16 and one["blocks"] == 48
    page.locator(".st-key-batching_check button").first.click(timeout=LONG)
    page.get_by_text("tokens are the same as alone").wait_for(timeout=LONG)


def test_a_narrow_dark_screen_stops_in_the_middle(at: Callable[..., Any]) -> None:
    page = at("batching", width=390, dark=True)
    page.locator(".st-key-batching_start button").click()
    page.locator(".st-key-recorded_batching").wait_for(state="detached")
    page.wait_for_function(f"() => ({READ})().some(side => side.bars > 4)", timeout=LONG)
    page.locator(".st-key-batching_stop button").click()
    page.locator(".st-key-batching_start button").wait_for(timeout=LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_text_to_try_is_taken_with_whoever_guesses_it_and_nearly_all_guesses_are_kept(at: Callable[..., Any]) -> None:
    page = at("speculative")
    for name, begins, guesser in (
        ("A sum, step by step", "Question: What is", "Storyteller mini"),
        ("A text that repeats", "red, green, blue", "The text itself"),
        ("A story", "Once upon a time", "Storyteller mini"),
        ("A text that repeats", "red, green, blue", "The text itself"),
    ):
        page.get_by_role("button", name=name).click()
        page.wait_for_function(f"document.querySelector('.st-key-own_text textarea').value.startsWith('{begins}')")
        page.wait_for_function(f"document.querySelector('.st-key-speculative_draft input').value.startsWith('{guesser}')")
    live(page, "speculative_start", "speculative", LONG)
    kept = page.locator(".st-key-speculative_figures [data-testid=stMetric]").nth(2).locator("[data-testid=stMetricValue]")
    page.locator(".st-key-speculative_stop").wait_for(state="detached", timeout=LONG)
    assert float(kept.inner_text().removesuffix("%").strip()) > 80
    assert page.locator(".told").inner_text().count("blue") > 8, "the text went on as it had begun"


def test_a_prompt_of_two_lines_is_seen_whole_on_a_phone_and_a_huge_one_leaves_room(at: Callable[..., Any]) -> None:
    page = at("speculative", width=390)
    field = page.locator(".st-key-own_text textarea")
    one_line = field.evaluate("it => it.clientHeight")
    page.get_by_role("button", name="A text that repeats").click()
    page.wait_for_function("document.querySelector('.st-key-own_text textarea').value.startsWith('red')")
    seen, needed = field.evaluate("it => [it.clientHeight, it.scrollHeight]")
    assert seen == needed > one_line
    field.fill("All of this is one text. " * 400)
    assert 2 * one_line < field.evaluate("it => it.clientHeight") < 200 < field.evaluate("it => it.scrollHeight")


def test_a_small_one_guesses_and_a_large_one_checks(at: Callable[..., Any]) -> None:
    page = at("speculative", width=390)
    live(page, "speculative_start", "speculative", LONG)
    page.locator(".told .round .accepted").first.wait_for(timeout=LONG)
    page.locator(".guesses .row").first.wait_for(timeout=LONG)
    told = page.locator(".told .round")
    assert told.count() > 3 and page.locator(".told .round .bonus, .told .round .recovered").count() >= told.count() - 1
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
