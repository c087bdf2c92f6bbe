"""Every page shows something finished at once, says where it comes from, and leads on; the gallery's shelf opens."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pages.ui.experiments import recording_specs
from pages.ui.i18n import page_titles
from pages.ui.shell import next_page_link

pytestmark = pytest.mark.browser
LONG = 90_000  # ms
RECORDED = sorted({Path(take.page).stem for take in recording_specs.TAKES})


@pytest.mark.parametrize("path", [p for p in RECORDED if p != "tour"])
def test_a_page_shows_a_recording_without_a_press(path: str, at: Callable[..., Any]) -> None:
    page = at(path)
    page.get_by_text("A recording.", exact=False).first.wait_for(timeout=LONG)
    if path not in next_page_link.GUIDED:
        _, title, _ = next_page_link.following(path)
        page.locator(".st-key-onward").get_by_text(title).first.wait_for(timeout=LONG)


def test_the_last_line_leads_to_the_next_page(at: Callable[..., Any]) -> None:
    page = at("context")
    file, _, _ = next_page_link.following("context")
    page.locator(".st-key-onward a:visible").last.click(timeout=LONG)
    page.wait_for_url(f"**/{Path(file).stem}**", timeout=LONG)


def test_a_recording_plays_again_and_then_runs_live(at: Callable[..., Any]) -> None:
    page = at("think")
    page.locator(".st-key-play_think button:visible").click(timeout=LONG)
    page.locator(".st-key-again_think button:visible").wait_for(state="detached", timeout=LONG)
    page.locator(".st-key-again_think button:visible").wait_for(timeout=LONG)  # it is back when the recording is over
    page.locator(".st-key-again_think button:visible").click(timeout=LONG)
    page.get_by_text("A recording.", exact=False).first.wait_for(state="detached", timeout=LONG)


def test_an_experiment_is_kept_as_a_file_and_opened_again(at: Callable[..., Any], tmp_path: Path) -> None:
    page = at("think")
    with page.expect_download(timeout=LONG) as waiting:
        page.locator(".st-key-keep_think button:visible").click(timeout=LONG)
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    other = at("gallery")
    other.locator('.st-key-gallery_file input[type="file"]').set_input_files(str(file))
    title = next(title for _, listed, title, _ in page_titles.PAGES if listed == "think.py")
    other.get_by_role("link", name=f"Go to “{title}”").click(timeout=LONG)
    other.get_by_text("A recording.", exact=False).first.wait_for(timeout=LONG)


def test_a_file_that_is_none_costs_a_sentence(at: Callable[..., Any], tmp_path: Path) -> None:
    page, file = at("gallery"), tmp_path / "run.json"
    file.write_text("hello")
    page.locator('.st-key-gallery_file input[type="file"]').set_input_files(str(file))
    page.get_by_text("not a recording").wait_for(timeout=LONG)


def test_a_prepared_run_opens_on_watch(at: Callable[..., Any]) -> None:
    page = at("gallery", width=390)
    page.locator(".st-key-gallery_open_one_word button").click(timeout=LONG)
    page.get_by_text("This is a recording").first.wait_for(timeout=LONG)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_handout_is_one_page_that_opens_offline(browser: Any, app: str, tmp_path: Path) -> None:
    from tests.browser.watching import Watching

    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.goto(f"{app}/?seed=3")
    watching = Watching(page)
    watching.press("step", 1)
    page.locator(".st-key-keep button").first.click()
    with page.expect_download(timeout=LONG) as waiting:
        page.get_by_role("button", name="Handout (HTML)").click(timeout=LONG)
    file = tmp_path / "handout.html"
    waiting.value.save_as(file)
    context.close()
    offline = browser.new_context(offline=True, java_script_enabled=False)
    paper = offline.new_page()
    paper.goto(file.as_uri())
    text = paper.locator("body").inner_text()
    assert "seed 3" in text and "What it cost" in text and app in text
    assert paper.locator("svg").count() >= 3
    offline.close()
