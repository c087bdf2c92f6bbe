"""Text from others stays text: links, recordings and servers spell pictures and links, and no page makes any of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from tests.browser.watching import Watching, press, settled, turn_to
from tests.core.remote.serving import TINY, Asked, FakeVLLM, Reply, recorded_body, serve

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
PICTURE = "![a](https://evil.example/a.png)"
LINK = "[b](https://evil.example/b) <img src=https://evil.example/c.png> https://evil.example/d www.evil.example"
MADE = """() => [...document.querySelectorAll("[src*='evil'], [href*='evil'], [data*='evil']")].map(one => one.outerHTML.slice(0, 200))"""
PAGES = ("", "inside", "compare", "models")


def listen(page: Any) -> list[str]:
    """Return the list of what the browser's policy refuses on this page from now on."""
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    return refused


def nothing_was_made(page: Any) -> None:
    """Assert that the page is drawn and holds no picture or link of theirs."""
    settled(page)
    assert page.evaluate(MADE) == []


def test_a_link_that_spells_pictures_makes_none_on_any_page(new_page: Callable[..., Any], app: str) -> None:
    page = new_page("about:blank")
    refused = listen(page)
    for path in PAGES:
        page.goto(f"{app}/{path}?prompt={quote(f'{PICTURE} {LINK} Once')}&model={quote(PICTURE)}&temperature={quote(LINK)}")
        page.locator("[data-testid=stAlert]:visible, .notice:visible").first.wait_for()
        nothing_was_made(page)
    assert not refused, "nothing hostile was even tried"


def hostile_recording() -> str:
    """Return a recording whose model, tokens and steps spell pictures."""
    run = Generation(load_model("storyteller"), "Once upon a time", SamplingSettings(seed=3))
    list(run.stream(4))
    run.go_to(2)
    other = next(one for one in run.next_distribution().candidates if one.key != run.path_to(4)[3].key)
    run.force(other.key)  # a second branch: one alone is not listed
    content = json.loads(Recording.of(run).dumps())
    taken = {step["token_id"] for step in content["steps"]}
    content["model"]["name"] = PICTURE
    for number, token in enumerate(content["vocabulary"]):
        if token["id"] in taken:
            token["raw"] = (PICTURE if number % 2 else f" {LINK}").encode().hex()
    for step in content["steps"]:
        step["name"] = "![n](//evil.example/n.png)"
    return json.dumps(content)


def test_a_recording_that_spells_pictures_is_shown_letter_by_letter(visit: Visit) -> None:
    watching = visit()
    page, refused = watching.page, listen(watching.page)
    watching.open_recording(hostile_recording())
    watching.until("steps.length === 4")
    assert "evil.example" in "".join(watching.written())
    nothing_was_made(page)
    page.keyboard.press("Escape")
    press(page, "branches")
    page.locator('[class*="st-key-branch_"] button').first.wait_for()
    nothing_was_made(page)
    page.keyboard.press("Escape")
    for entry, part in (("Look inside", ".st-key-strip .token"), ("What it costs", "table")):
        turn_to(page, entry)
        page.locator(f"[data-testid=stMain] {part}").first.wait_for()
        nothing_was_made(page)
    assert not refused


@dataclass
class Hostile(FakeVLLM):
    """A server whose model has the name of a picture."""

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            told = recorded_body("vllm_v1_models")
            told["data"][0]["id"] = f"{PICTURE} {LINK}"
            return Reply.of(told)
        return super().__call__(asked)


def test_a_server_that_spells_pictures_is_called_by_its_letters(at: Callable[..., Any]) -> None:
    with serve(Hostile()) as server:
        page = at("models")
        refused = listen(page)
        page.locator(".st-key-models_address input").fill(server.address)
        page.locator(".st-key-models_tokenizer input").fill(str(TINY))
        press(page, "models_connect")
        page.get_by_text("is in use").wait_for()
        nothing_was_made(page)
        for entry, tab, key in (("What it costs", "", "cost_two_start"), ("What if", "Compare", "compare_start")):
            turn_to(page, entry, tab)
            page.locator(f".st-key-{key}").first.wait_for()
            nothing_was_made(page)
        assert not refused


def test_the_policy_stops_a_picture_that_was_made_all_the_same(browser: Any, app: str) -> None:
    page = browser.new_context().new_page()
    page.goto(app)
    stopped = page.evaluate(
        """() => new Promise(done => {
          document.addEventListener("securitypolicyviolation", told => done(told.effectiveDirective));
          const picture = document.createElement("img");
          picture.onload = () => done("loaded");
          picture.src = "https://evil.example/x.png";
          document.body.append(picture);
        })"""
    )
    assert stopped == "img-src"
    framed = page.evaluate("async address => (await fetch(address)).headers.get('content-security-policy')", app)
    assert "frame-ancestors 'self'" in framed
    page.context.close()
