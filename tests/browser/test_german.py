"""German, in one journey: the browser's language, the switch, the link; Watch, an experiment, the tour and the stage."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from pages.ui import features
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _
from tests.browser.accessibility import sideways
from tests.browser.drawn import Drawn
from tests.browser.watching import FIND, Watching, settled

pytestmark = pytest.mark.browser
IS_GERMAN = "document.documentElement.lang === 'de'"


def test_a_german_browser_gets_german_pages_and_the_switch_is_kept_in_the_address(new_page: Callable[..., Any], app: str) -> None:
    page = new_page(f"{app}/glossary", locale="de-AT")
    page.wait_for_function(IS_GERMAN)
    assert "lang=" not in page.url, "what was not chosen is not kept"
    page.locator(".st-key-language_switch").get_by_text("English").click()
    page.wait_for_function("document.documentElement.lang === 'en'")
    page.wait_for_url(re.compile("lang=en"))
    page.reload()
    settled(page)
    assert page.locator("html").get_attribute("lang") == "en"
    assert (
        page.locator(".st-key-language_switch [aria-checked=true], .st-key-language_switch [aria-pressed=true]").first.inner_text()
        == "English"
    )


def test_watch_an_experiment_the_tour_and_the_stage_speak_german(new_page: Callable[..., Any], app: str) -> None:
    page = new_page(f"{app}/?lang=de&prompt=The+old+king")
    page.wait_for_function(IS_GERMAN)
    watching = Watching(page)
    watching.press("step", 1)
    assert watching.until("seen.told.includes('0,')"), "numbers have a decimal comma"
    with spoken_language.speaking("de"):
        titles = {path: features.title_of(path) for path in ("watch", "think", "tour")}
        at_once = _("At once")
    page.locator('[data-testid="stTopNavLink"][aria-current]', has_text=titles["watch"]).wait_for()
    found = sideways(page, 320)  # German words are longer
    page.set_viewport_size({"width": 1400, "height": 900})

    page.goto(f"{app}/think?lang=de")
    page.wait_for_function(IS_GERMAN)
    drawn = Drawn(page, ".st-key-result_think")
    assert drawn.marks("symbol", "share") and at_once in drawn.texts("h2, h3")[0]

    page.goto(f"{app}/tour?lang=de&stop=odds")
    page.wait_for_function(IS_GERMAN)
    page.locator(".st-key-tour_widget_odds .bar").first.wait_for()
    found += sideways(page, 320)

    page.goto(f"{app}/stage?lang=de")
    page.wait_for_function(f"() => ({FIND})('stage')?.dataset.beat === 'read' && {IS_GERMAN}")
    page.keyboard.press("3")
    page.locator(".stage .bars .number", has_text=",").first.wait_for()
    assert not found
