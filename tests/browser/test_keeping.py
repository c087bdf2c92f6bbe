"""Nothing that a visitor made is lost: files, recordings, settings turned while it plays, reloads, servers that begin again."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from core import Generation, Recording, SamplingSettings, load_model
from tests.browser.balancer import balancing
from tests.browser.conftest import free_port, running_app
from tests.browser.watching import Watching
from tests.core.remote.serving import TINY, Asked, Reply, serve

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
PATIENCE = 60_000  # ms
PRESS_AS_SOON_AS_IT_CAN_BE = """selector => {
  const root = document.querySelector('[data-testid="stApp"]');
  let lost = false;
  new MutationObserver((_, observer) => {
    const connected = root.dataset.testConnectionState === "CONNECTED";
    lost ||= !connected;
    const button = document.querySelector(selector);
    if (!lost || !connected || !button || button.disabled) return;
    observer.disconnect();
    button.click();
    window.pressed = true;
  }).observe(root, { attributes: true, subtree: true });
}"""


def download(watching: Watching, name: str) -> str:
    """What a download button gives."""
    with watching.page.expect_download() as waiting:
        watching.page.get_by_role("button", name=name).click()
    return Path(waiting.value.path()).read_text("utf-8")


def open_recording(watching: Watching, kept: str) -> None:
    """Hand a recording in."""
    if not watching.page.locator(".st-key-recording").is_visible():
        watching.page.locator(".st-key-keep button").first.click()
    chooser = watching.page.locator(".st-key-recording input[type=file]")
    chooser.set_input_files({"name": "run.json", "mimeType": "application/json", "buffer": kept.encode()})


def choose_another(watching: Watching, count: int) -> None:
    """Take another token in place of the last of so many, by its bar."""
    seen = watching.until('seen.title[0].includes("What came next?")', PATIENCE)
    watching.click_bar(3 if seen["tokens"][-1]["rank"] != 4 else 2)
    watching.until(f"steps.length === {count} && steps[{count - 1}].forced", PATIENCE)


def same_text(written: list[str]) -> str:
    """The condition that exactly these tokens are written."""
    return f"JSON.stringify(steps.map(step => step.text)) === JSON.stringify({json.dumps(written)})"


def test_what_is_kept_is_what_is_on_screen_and_opens_elsewhere(visit: Visit, app: str) -> None:
    watching = visit(f"{app}/?prompt=The+old+king&seed=4")
    for count in (1, 2):
        watching.press("step", count)
    choose_another(watching, 2)
    written = watching.press("step", 3)
    watching.page.locator(".st-key-keep button").first.click()
    kept, table = download(watching, "Recording (JSON)"), download(watching, "Steps (CSV)")
    recording = Recording.loads(kept)
    assert (recording.prompt, len(recording.path)) == ("The old king", 3)
    assert list(pd.read_csv(io.StringIO(table))["token_id"]) == [step.token_id for step in recording.path]
    other = visit(app)
    open_recording(other, kept)
    seen = other.until(same_text(written), PATIENCE)
    assert seen["tokens"][-1]["step"] == 2
    other.page.locator(".st-key-leave button").wait_for()
    other.page.keyboard.press("Escape")
    other.button("play").click()
    other.until("steps.length >= 1 && steps.length < 3")
    other.until(same_text(written), PATIENCE)


def test_a_recording_beyond_a_megabyte_opens(visit: Visit, app: str) -> None:
    for seed in range(100):  # until a story is long enough
        run = Generation(load_model("storyteller"), "Once upon a time", SamplingSettings(seed=seed, temperature=1.2), top_n=400)
        while len(run.path) < 60 and not run.finished:
            run.step()
        if len(run.path) == 60:
            break
    kept = Recording.of(run).dumps()
    assert len(kept) > 2**20
    watching = visit(app)
    open_recording(watching, kept)
    watching.until(f"steps.length === {len(run.path)}", PATIENCE)


def test_an_empty_recording_takes_nothing_away(visit: Visit, app: str) -> None:
    watching = visit(app)
    written = watching.press("step", 1)
    open_recording(watching, Recording.of(Generation(load_model("storyteller"), "A fox")).dumps())
    watching.page.get_by_text("holds no steps").wait_for()
    watching.page.keyboard.press("Escape")
    watching.button("play").click()
    watching.until("steps.length >= 3", PATIENCE)
    assert watching.written()[:1] == written


@pytest.mark.parametrize("session", range(3))
def test_the_last_value_of_a_slider_counts_while_it_plays(visit: Visit, app: str, session: int) -> None:
    watching = visit(f"{app}/?seed={session}")
    page = watching.page
    watching.button("play").click()
    watching.until("steps.length >= 2", PATIENCE)
    handle = page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    for _ in range(8):
        handle.press("ArrowRight")
    page.wait_for_timeout(1_500)
    agreed = """() => { const shown = Number(document.querySelector(".st-key-temperature input[type=range]").value);
      const address = Number(new URLSearchParams(location.search).get("temperature")); return shown > 0.8 && shown === address; }"""
    page.wait_for_function(agreed, timeout=PATIENCE)  # the address is written by the server: both hold the same value
    last = handle.input_value()
    assert float(last) >= 0.95, "most presses reached the slider"
    page.wait_for_timeout(2_500)
    assert handle.input_value() == last, "nothing put an older value back"
    page.wait_for_function(agreed, timeout=PATIENCE)
    assert page.get_by_text("Connection error").count() == 0
    watching.page.locator(".st-key-pause button, .st-key-play button").first.wait_for()


def test_the_key_that_is_sent_is_the_one_that_was_typed(visit: Visit, app: str) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply.of({"error": "no such key"}, 401)

    with serve(answer) as first, serve(answer) as second:
        page = visit(app).page
        page.goto(f"{app}/models")
        address, key = page.locator(".st-key-models_address input"), page.locator(".st-key-models_key input")
        page.locator(".st-key-models_tokenizer input").fill(str(TINY))
        connect = page.locator(".st-key-models_connect button")
        for server, secret in ((first, "one"), (first, "two"), (second, "three"), (second, "four")):
            before = len(server.asked)
            address.fill(server.address)
            key.fill(secret)
            connect.click()  # at once, with the field still focused
            page.wait_for_timeout(300)
            for _ in range(100):
                if len(server.asked) > before:
                    break
                page.wait_for_timeout(200)
            sent = {one.headers.get("authorization") for one in server.asked[before:]}
            assert sent == {f"Bearer {secret}"}
        assert {name for one in first.asked for name, value in one.headers.items() if value in ("Bearer three", "Bearer four")} == set()


def written_behind(visit: Visit, address: str) -> tuple[Watching, list[str]]:
    """A visitor with a text of rolled and forced steps and two settings; and its tokens."""
    watching = visit(f"{address}/?prompt=The+old+king&seed=22")
    for count in range(1, 4):
        watching.press("step", count)
    choose_another(watching, 3)
    handle = watching.page.locator(".st-key-temperature input[type=range]")
    handle.focus()
    for _ in range(6):
        handle.press("ArrowRight")
    watching.until('seen.title[0].includes("What comes next?")')
    for count in range(4, 7):
        watching.press("step", count)
    watching.page.wait_for_function("() => location.search.includes('steps=')")
    return watching, watching.written()


def came_back(watching: Watching, written: list[str]) -> None:
    """The text is there again by itself, with a word, and the first press goes on from it."""
    page = watching.page
    page.get_by_text("Your text is back").wait_for(timeout=120_000)
    watching.until(same_text(written), PATIENCE)
    watching.press("step", len(written) + 1)
    assert watching.written()[:-1] == written


def test_a_reload_and_a_server_that_begins_again_bring_the_same_text(visit: Visit) -> None:
    port = free_port()
    with running_app(port) as address:
        watching, written = written_behind(visit, address)
        assert "f" in parse_qs(urlsplit(watching.page.url).query)["steps"][0]
        watching.page.reload()
        seen = watching.until(same_text(written), PATIENCE)
        assert [token["forced"] for token in seen["tokens"] if token["step"] >= 0].count(True) == 1
        assert watching.page.get_by_text("Your text is back").count() == 0, "who loads a page anew knows that"
        written = watching.press("step", len(written) + 1)
    with running_app(port):
        came_back(watching, written)


def test_who_lands_on_another_replica_goes_on_and_no_click_is_lost(visit: Visit, app: str) -> None:
    first = urlsplit(app).port
    assert first
    with running_app() as other, balancing(first) as balancer:
        second = urlsplit(other).port
        assert second
        watching, written = written_behind(visit, f"http://127.0.0.1:{balancer.port}")
        balancer.move(second)
        came_back(watching, written)
        written, page = watching.written(), watching.page
        page.evaluate(PRESS_AS_SOON_AS_IT_CAN_BE, ".st-key-step button")
        balancer.move(first)
        page.wait_for_function("() => window.pressed", timeout=PATIENCE)
        watching.until(f"steps.length === {len(written) + 1}", PATIENCE)
        assert watching.written()[:-1] == written
        balancer.cut()  # the network is gone for a moment, and the session is still there
        page.wait_for_timeout(1_500)
        page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]').wait_for()
        watching.press("step", len(written) + 2)
        assert watching.written()[:-2] == written


@pytest.mark.parametrize("pasted", ["and so on " * 1_500, "".join(chr(0x4E00 + place % 3_000) for place in range(20_000))])
def test_what_is_too_long_for_an_address_comes_back_from_the_browser(visit: Visit, app: str, pasted: str) -> None:
    asked: list[str] = []
    watching = visit(app)
    page, pasted = watching.page, pasted.strip()
    page.on("request", lambda request: asked.append(request.url))
    field = page.locator(".st-key-prompt textarea")
    field.fill(pasted)
    field.press("Control+Enter")
    page.wait_for_url("**kept=*", timeout=PATIENCE)
    assert len(page.url) < 200
    page.reload()
    page.wait_for_function(
        "pasted => document.querySelector('.st-key-prompt textarea')?.value.trim() === pasted", arg=pasted, timeout=PATIENCE
    )
    assert max(map(len, asked)) < 8_000
    elsewhere = visit(page.url).page
    elsewhere.get_by_text("lies in the browser where it was written").wait_for(timeout=PATIENCE)
    elsewhere.wait_for_timeout(1_000)
    assert elsewhere.get_by_text("lies in the browser where it was written").count() == 1
