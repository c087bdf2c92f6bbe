"""What others wrote is text: a stranger's link, recording or server spells pictures and links, and no page makes any of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from tests.browser.test_keeping import open_recording
from tests.browser.watching import Watching
from tests.core.remote.serving import TINY, Asked, FakeVLLM, Reply, recorded_body, serve

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
PATIENCE = 60_000  # ms
PICTURE = "![a](https://evil.example/a.png)"
LINK = "[b](https://evil.example/b) <img src=https://evil.example/c.png> https://evil.example/d www.evil.example"
MADE = """() => [...document.querySelectorAll("[src*='evil'], [href*='evil'], [data*='evil']")].map(one => one.outerHTML.slice(0, 200))"""
PAGES = ("", "read", "inside", "compare", "candidates", "what_if", "cache", "memory", "context", "cost", "models", "operator")


def listen(watching: Watching) -> list[str]:
    """What the browser's policy refused on this page, from now on."""
    refused: list[str] = []
    watching.page.on("console", lambda said: refused.append(said.text) if "Content Security Policy" in said.text else None)
    return refused


def nothing_was_made(page: Any) -> None:
    assert page.evaluate(MADE) == []


def test_a_link_that_spells_pictures_makes_none_on_any_page(visit: Visit, app: str) -> None:
    watching = visit(app)
    page, refused = watching.page, listen(watching)
    for path in PAGES:
        page.goto(
            f"{app}/{path}?prompt={quote(f'{PICTURE} {LINK} Once')}&model={quote(PICTURE)}&temperature={quote(LINK)}&steps={quote(LINK)}"
        )
        page.locator("[data-testid=stAppViewContainer]").wait_for(timeout=PATIENCE)
        page.locator("[data-testid=stAlert]").first.wait_for(timeout=PATIENCE)
        page.wait_for_timeout(1200)
        nothing_was_made(page)
    assert not refused, "what was drawn was no more than what is allowed, and nothing hostile was even tried"


def hostile_recording() -> str:
    """A recording whose model, tokens and branches spell pictures."""
    run = Generation(load_model("storyteller"), "Once upon a time", SamplingSettings(seed=3))
    for _ in range(4):
        run.step()
    content = json.loads(Recording.of(run).dumps())
    taken = {step["token_id"] for step in content["steps"]}
    content["model"]["name"] = PICTURE
    for number, token in enumerate(content["vocabulary"]):
        if token["id"] in taken:
            token["raw"] = (PICTURE if number % 2 else f" {LINK}").encode().hex()
    for step in content["steps"]:
        step["name"] = "![n](//evil.example/n.png)"
    return json.dumps(content)


def test_a_recording_that_spells_pictures_is_shown_letter_by_letter(visit: Visit, app: str) -> None:
    watching = visit(app)
    page, refused = watching.page, listen(watching)
    open_recording(watching, hostile_recording())
    watching.until("steps.length === 4", PATIENCE)
    assert "evil.example" in "".join(watching.written())
    nothing_was_made(page)
    page.locator(".st-key-branches button").first.click()
    page.wait_for_timeout(1000)
    nothing_was_made(page)
    page.keyboard.press("Escape")
    for name in ("How did it come about?", "The whole bill"):
        page.get_by_role("link", name=name).click()
        page.wait_for_timeout(4000)
        nothing_was_made(page)
        page.go_back()
        watching.until("steps.length === 4", PATIENCE)
    assert not refused


@dataclass
class Hostile(FakeVLLM):
    """A server whose model is called like a picture."""

    def __call__(self, asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            told = recorded_body("vllm_v1_models")
            told["data"][0]["id"] = f"{PICTURE} {LINK}"
            return Reply.of(told)
        return super().__call__(asked)


def test_a_server_that_spells_pictures_is_called_by_its_letters(visit: Visit, app: str) -> None:
    with serve(Hostile()) as server:
        watching = visit(app)
        page, refused = watching.page, listen(watching)
        page.goto(f"{app}/models")
        page.locator(".st-key-models_address input").fill(server.address)
        page.locator(".st-key-models_tokenizer input").fill(str(TINY))
        page.locator(".st-key-models_connect button").click()
        page.get_by_text("writes from now on").wait_for(timeout=PATIENCE)
        nothing_was_made(page)
        for group, name in (("What it costs", "Receipt"), ("What if", "Compare")):
            page.get_by_test_id("stTopNavSection").get_by_text(group, exact=True).first.click()
            page.get_by_role("menuitem", name=name).click()
            page.wait_for_timeout(4000)
            nothing_was_made(page)
        assert not refused


def test_the_policy_would_stop_a_picture_that_somebody_made_all_the_same(browser: Any, app: str) -> None:
    page = browser.new_context().new_page()
    page.goto(app)
    stopped = page.evaluate(
        """() => new Promise(done => {
          document.addEventListener("securitypolicyviolation", told => done(told.effectiveDirective));
          const picture = document.createElement("img");
          picture.src = "https://evil.example/x.png";
          document.body.append(picture);
          setTimeout(() => done("loaded"), 3000);
        })"""
    )
    assert stopped == "img-src"
    framed = page.evaluate("async address => (await fetch(address)).headers.get('content-security-policy')", app)
    assert "frame-ancestors 'self'" in framed
    page.context.close()
