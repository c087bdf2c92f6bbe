"""“Inside one step” and “Read a text” in a real browser: the run carried over, typing answered, rolls that fall, words that open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser


def words(page: Any, key: str) -> list[str]:
    """The words of a strip."""
    page.locator(f".st-key-{key} .words .token").first.wait_for()
    return page.locator(f".st-key-{key} .words .token").all_inner_texts()


def test_the_run_of_watch_is_carried_over_and_back(app: str, new_page: Callable[..., Any]) -> None:
    page = new_page(f"{app}/?prompt=The+bear&steps=4&seed=3")
    page.locator(".st-key-odds svg").first.wait_for()
    before = words(page, "strip")
    page.get_by_text("How it works").first.click()
    page.get_by_role("menuitem", name="Inside one step").click()
    page.get_by_role("heading", name="How does one piece come about?").wait_for()
    assert words(page, "strip") == before
    page.locator(".st-key-inside_step button").click()
    page.wait_for_function(f"() => document.body.innerText.includes('number 5 of those') && {len(before)}")
    after = words(page, "strip")
    assert after[: len(before)] == before
    page.get_by_role("link", name="Back to Watch").click()
    page.locator(".st-key-odds svg").first.wait_for()
    assert words(page, "strip") == after


def test_a_deep_link_opens_inside_at_its_step(at: Callable[..., Any]) -> None:
    page = at("inside?prompt=The+bear&steps=3&seed=3", dark=True)
    page.get_by_text("number 3 of those").wait_for()
    page.wait_for_function("""() => document.querySelectorAll('[data-testid="stVegaLiteChart"] svg').length >= 8""")
    assert page.locator('[data-testid="stVegaLiteChart"] svg text', has_text="answer").count() == 2
    assert page.locator('[data-testid="stAlert"]').count() == 0


def test_the_table_of_contents_leads_to_its_stations(at: Callable[..., Any]) -> None:
    page = at("inside?prompt=The+bear&steps=2&seed=3")
    page.locator(".st-key-inside_tally").get_by_role("button", name="Roll 100 times").wait_for()
    contents = page.locator(".st-key-inside_contents")
    assert contents.get_by_role("link").count() == 6
    for name, heading in (("What do the dice decide?", "What do the dice decide?"), ("What does it read?", "What does the model read?")):
        contents.get_by_role("link", name=name).evaluate("link => link.click()")
        page.wait_for_function(
            """heading => { const found = [...document.querySelectorAll('h2, h3')].find(h => h.innerText.startsWith(heading));
               const top = found.getBoundingClientRect().top; return top >= 0 && top < innerHeight; }""",
            arg=heading,
        )
    assert "prompt=The" in page.url and "steps=r2" in page.url, "the text is still in the address"


@pytest.mark.parametrize("path", ["growing", "inside?prompt=The+bear&steps=2&seed=3"])
def test_favourites_have_their_percentages_on_a_small_laptop(at: Callable[..., Any], path: str) -> None:
    page = at(path, width=1280)
    page.wait_for_function(
        """() => [...document.querySelectorAll('[data-testid="stVegaLiteChart"] svg text')]
            .filter(text => text.textContent.includes('%') && !text.textContent.includes('rank'))
            .some(text => getComputedStyle(text).opacity > 0.5)"""
    )


def test_pieces_form_while_one_types(at: Callable[..., Any]) -> None:
    page = at("inside")
    field = page.locator(".st-key-inside_text textarea")
    field.fill("")
    field.type("A fox 🦊!", delay=15)
    page.wait_for_function("() => true")
    page.get_by_text("8 characters", exact=False).wait_for()
    chips = page.locator(".st-key-inside_chips")
    assert "🦊" in "".join(chips.locator(".token").all_inner_texts()) or "⟨" in "".join(chips.locator(".token").all_inner_texts())
    assert chips.locator(".below").first.inner_text().isdigit()
    page.locator(".st-key-inside_text").get_by_role("button", name="strawberry").click()
    page.get_by_text("35 characters", exact=False).wait_for()
    assert field.input_value().startswith("How many r")


def test_rolls_fall_and_the_text_stays(at: Callable[..., Any]) -> None:
    page = at("inside?prompt=The+bear&steps=2&seed=3&temperature=1.5&top_p=1")
    tally = page.locator(".st-key-inside_tally")
    tally.get_by_role("button", name="Roll 100 times").click()
    tally.get_by_text("100 rolls").wait_for()
    before = words(page, "strip")
    tally.get_by_role("button", name="Roll 1,000 times").click()
    tally.get_by_text("1,100 rolls").wait_for()
    counts = page.evaluate(
        """() => { const find = root => { for (const node of root.querySelectorAll('*')) {
             if (node.classList.contains('tally')) return node;
             const inner = node.shadowRoot && find(node.shadowRoot); if (inner) return inner; } };
           return find(document).state.counts; }"""
    )
    assert sum(counts) == 1100
    assert words(page, "strip") == before
    tally.get_by_role("button", name="Sweep away").click()
    assert tally.get_by_text("1,100 rolls").count() == 0


def test_a_word_opens_by_click_and_by_keyboard(at: Callable[..., Any]) -> None:
    page = at("read")
    strip = page.locator(".st-key-read_strip_one")
    strip.locator(".token").nth(4).click()
    card = strip.locator(".card")
    card.wait_for(state="visible")
    assert "rank" in card.inner_text()
    assert card.locator(".fill").count() >= 5
    first = card.inner_text()
    page.keyboard.press("ArrowRight")
    assert card.inner_text() != first
    page.keyboard.press("Escape")
    assert not card.is_visible()


def test_a_pasted_text_is_read(at: Callable[..., Any]) -> None:
    page = at("read")
    field = page.locator(".st-key-read_text textarea")
    field.fill("The *bear* <b>met</b> a fox.")
    field.press("Control+Enter")
    page.locator(".st-key-read_strip_one .words", has_text="</b>").wait_for()
    assert "".join(words(page, "read_strip_one")).replace("␣", "").replace("⟨start⟩", "") == "The*bear*<b>met</b>afox."
    assert page.locator("b", has_text="met").count() == 0


@pytest.mark.parametrize("path", ["inside?steps=5", "read"])
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_runs_off_a_phone(at: Callable[..., Any], path: str, dark: bool) -> None:
    page = at(path, width=390, dark=dark)
    page.locator(".words .token").first.wait_for()
    wide, seen = page.evaluate("() => { const m = document.querySelector('[data-testid=stMain]'); return [m.scrollWidth, m.clientWidth]; }")
    assert wide <= seen
