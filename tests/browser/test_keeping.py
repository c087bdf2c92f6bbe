"""Nothing that a visitor made is lost: links, recordings, handouts and experiments, reloads, servers that begin again."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from core import Generation, Recording, SamplingSettings, load_model
from tests.browser.balancer import balancing
from tests.browser.drawn import Drawn
from tests.browser.watching import Watching, download, eventually, press, same_text, settled
from tests.core.remote.serving import TINY, Asked, Reply, serve

pytestmark = pytest.mark.browser
Visit = Callable[..., Watching]
At = Callable[..., Any]
PRESS_AS_SOON_AS_IT_CAN_BE = """name => {
  const root = document.querySelector('[data-testid="stApp"]');
  let lost = false;
  new MutationObserver((_, observer) => {
    const connected = root.dataset.testConnectionState === "CONNECTED";
    lost ||= !connected;
    const button = window.tokenViewerLive?.buttons[name];
    if (!lost || !connected || !button || button.disabled) return;
    observer.disconnect();
    button.click();
    window.pressed = true;
  }).observe(root, { attributes: true, subtree: true });
}"""
CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]'
HIDDEN = """() => {
  Object.defineProperty(document, "hidden", { value: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_link_and_every_file_of_a_run_hold_what_is_on_screen(visit: Visit, browser: Any, tmp_path: Path) -> None:
    watching = visit("?prompt=The+old+king&temperature=1.2&seed=11")
    page = watching.page
    watching.steps(1, 2)
    watching.choose_another(2)
    written = watching.press("step", 3)
    press(page, "keep")
    kept = download(page, page.get_by_role("button", name="Recording (JSON)")).read_text("utf-8")
    table = download(page, page.get_by_role("button", name="Steps (CSV)")).read_text("utf-8")
    replayed = download(page, page.get_by_role("button", name="Page (HTML)")).rename(tmp_path / "run.html")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = page.evaluate("() => navigator.clipboard.readText()")
    recording = Recording.loads(kept)
    listed = pd.read_csv(download(page, page.get_by_role("button", name="Candidates (CSV)")))
    assert len(listed) == sum(len(step.candidates) for step in recording.path)
    script = download(page, page.get_by_role("button", name="Code (Python)")).read_text("utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as said:
        exec(script, {})
    assert "".join(step.text for step in recording.path) in said.getvalue()
    alone = browser.new_page()
    alone.goto(download(page, page.get_by_role("button", name="A live page")).rename(tmp_path / "live.html").as_uri())
    Watching(alone).until(same_text(written))
    alone.close()
    assert (recording.prompt, len(recording.path)) == ("The old king", 3)
    assert list(pd.read_csv(io.StringIO(table))["token_id"]) == [step.token_id for step in recording.path]

    again = visit("?" + urlsplit(link).query)
    again.until(same_text(written))
    again.page.evaluate(HIDDEN)  # a tab that is put away, and loaded again when it is shown
    again.page.wait_for_function("() => !window.tokenViewerLive.stream.isOpen")
    again.page.reload()
    again.until(same_text(written))
    again.button("play").click()
    again.until(f"steps.length > {len(written)}")
    again.button("pause").click()
    again.button("play").wait_for()
    again.press("restart", 0)
    before = again.press("step", 1)
    again.open_recording(kept)
    again.until(same_text(written))
    again.close_menu()
    press(again.page, "recorded")
    again.until(same_text(before))  # the visitor's own text is there again

    offline = browser.new_context(offline=True, java_script_enabled=False)
    paper = offline.new_page()
    paper.goto(replayed.as_uri())
    text = paper.locator("body").inner_text()
    assert "seed 11" in text and urlsplit(link).query in text.replace("\n", "")
    assert paper.locator(".bars tr").count() > 20 and paper.locator("figure svg path").count() > 8
    offline.close()


def test_a_recording_beyond_a_megabyte_opens_and_an_empty_one_is_refused(visit: Visit) -> None:
    model = load_model("storyteller")
    run = Generation(model, "Once upon a time", SamplingSettings(temperature=1.2), top_n=400)
    assert len(list(run.stream(60))) == 60, "a longer story is needed: another seed"
    kept = Recording.of(run).dumps()
    assert len(kept) > 2**20
    watching = visit()
    written = watching.press("step", 1)
    watching.open_recording(Recording.of(Generation(model, "A fox")).dumps())
    watching.page.get_by_text("contains no steps").first.wait_for()
    assert watching.written() == written
    watching.open_recording("hello")  # each time into a new field, because the file before was read
    watching.page.get_by_text("cannot be read").first.wait_for()
    watching.open_recording(kept)
    watching.until("steps.length === 60")
    watching.close_menu()
    watching.click_bar(4)
    watching.page.get_by_text("does not contain the probabilities after this token").wait_for()
    assert len(watching.written()) == 60, "a refused bar changes nothing"
    watching.page.reload()
    watching.until("steps.length === 60")
    assert watching.page.get_by_text("A recording is open only as long as its page").count() == 0, "its session is still there"


def test_an_experiment_is_kept_as_a_file_and_opened_in_the_gallery(at: At, tmp_path: Path) -> None:
    page = at("think")
    chances = Drawn(page, ".st-key-result_think").marks("symbol", "share")
    button = page.locator(".st-key-keep_think button:visible")
    file = download(page, button).rename(tmp_path / "think.json.gz")
    other = at("gallery")
    chooser = other.locator('.st-key-gallery_file input[type="file"]')
    bad = tmp_path / "run.json"
    bad.write_text("hello")
    chooser.set_input_files(str(bad))
    other.get_by_text("cannot be read").wait_for()
    chooser.set_input_files(str(file))
    other.locator('[data-testid=stMain] a[href*="think"]:visible').last.click()
    other.wait_for_url("**/think**")

    def shown() -> None:
        assert Drawn(other, ".st-key-result_think").marks("symbol", "share") == chances

    eventually(other, shown)
    press(other, "play_think")
    other.locator(".st-key-again_think button:visible").wait_for(state="detached")
    other.locator(".st-key-again_think button:visible").wait_for()  # it is back when the recording is over
    eventually(other, shown)
    other.locator(".st-key-next_page_link a:visible").last.click()  # every page leads on to another one
    other.wait_for_function("() => !location.pathname.endsWith('/think')")


def test_a_reload_keeps_branches_results_and_running_experiments_and_another_address_begins_anew(at: At) -> None:
    page = at("think?prompt=The+old+king&seed=22")
    press(page, "again_think")
    page.locator(".st-key-think_stop button:visible").wait_for()
    page.reload()
    page.locator(".st-key-made_think").wait_for()
    page.locator(".st-key-think_stop button").wait_for(state="detached")
    settled(page)
    live = Drawn(page, ".st-key-result_think").marks("symbol", "share")
    page.reload()
    page.locator(".st-key-made_think").wait_for()

    def shown() -> None:
        assert Drawn(page, ".st-key-result_think").marks("symbol", "share") == live

    eventually(page, shown)
    page.goto(page.url.replace("seed=22", "seed=23"))
    page.locator(".st-key-recorded_think").wait_for()
    assert page.locator(".st-key-made_think").count() == 0, "another address is another visit"


def test_a_duplicated_tab_has_a_session_of_its_own(at: At) -> None:
    first = Watching(at("watch?prompt=The+old+king&seed=22"))
    first.steps(1, 2)
    first.address()
    kept = first.page.evaluate("() => ({ ...sessionStorage })")
    second = first.page.context.new_page()
    second.add_init_script(f"for (const [key, value] of Object.entries({json.dumps(kept)})) sessionStorage.setItem(key, value)")
    second.goto(first.page.url)
    copied = Watching(second)
    copied.until("steps.length === 2")
    written = copied.steps(3, 4)
    assert len(first.written()) == 2, "the first tab has its own"
    assert first.press("step", 3) == written[:3], "the same dice"


def test_the_key_that_is_sent_is_the_one_that_was_typed(at: At) -> None:
    def answer(asked: Asked) -> Reply:
        return Reply.of({"error": "no such key"}, 401)

    with serve(answer) as first, serve(answer) as second:
        page = at("models")
        address, key = page.locator(".st-key-models_address input"), page.locator(".st-key-models_key input")
        page.locator(".st-key-models_tokenizer input").fill(str(TINY))
        for server, secret in ((first, "one"), (first, "two"), (second, "three")):
            before = len(server.asked)
            address.fill(server.address)
            key.fill(secret)
            page.locator(".st-key-models_connect button").click()  # at once, with the field still focused

            def sent(server: Any = server, secret: str = secret, before: int = before) -> None:
                assert {one.headers.get("authorization") for one in server.asked[before:]} == {f"Bearer {secret}"}

            eventually(page, sent)
            settled(page)
        assert not [one for one in first.asked if "Bearer three" in one.headers.values()]


def came_back(watching: Watching, written: list[str]) -> None:
    """Assert that the text returns by itself, with a notice, and that the first press goes on from it."""
    watching.page.get_by_text("Your text was restored").wait_for(timeout=120_000)
    watching.until(same_text(written))
    assert watching.press("step", len(written) + 1)[:-1] == written


def test_a_reload_another_replica_and_a_lost_network_keep_the_text(visit: Visit, app: str, hall: str) -> None:
    first, other = (urlsplit(address).port or 0 for address in (app, hall))
    with balancing(other) as balancer:
        watching = visit("watch?prompt=The+old+king&seed=22&temperature=0.7", address=f"http://127.0.0.1:{balancer.port}")
        page = watching.page
        assert "".join(token["text"] for token in watching.seen()["tokens"]).endswith("The␣old␣king")
        assert page.locator(".st-key-temperature input[type=range]").input_value() == "0.7"
        watching.steps(1, 3)
        watching.choose_another(3)
        written = watching.press("step", 4)
        watching.address()
        assert "f" in parse_qs(urlsplit(page.url).query)["steps"][0]
        page.reload()
        watching.until(same_text(written))
        settled(page)
        assert page.get_by_text("Your text was restored").count() == 0, "who loads a page again needs no notice"

        balancer.move(first)
        came_back(watching, written)
        written = watching.written()
        watching.address()  # has the newest step
        page.evaluate(PRESS_AS_SOON_AS_IT_CAN_BE, "step")
        balancer.move(other)
        page.wait_for_function("() => window.pressed")
        watching.until(f"steps.length === {len(written) + 1}")
        assert watching.written()[:-1] == written, "no click is lost"
        page.evaluate("""() => new MutationObserver(() => { window.lost ||= document.querySelector('[data-testid="stApp"]').dataset
            .testConnectionState !== 'CONNECTED'; }).observe(document.querySelector('[data-testid="stApp"]'), { attributes: true })""")
        balancer.cut()  # the network is gone for a moment, and the session is still there
        page.wait_for_function("() => window.lost")
        page.locator(CONNECTED).wait_for()
        assert watching.press("step", len(written) + 2)[:-2] == written


def test_a_text_too_long_for_an_address_comes_back_from_the_browser_and_one_beyond_the_limit_is_refused(visit: Visit) -> None:
    asked: list[str] = []
    watching = visit()
    page, pasted = watching.page, "".join(chr(0x4E00 + place % 3_000) for place in range(12_000))
    page.on("request", lambda request: asked.append(request.url))
    field = page.locator(".st-key-live_prompt textarea")
    field.fill(pasted)
    field.press("Enter")
    page.wait_for_url("**kept=*")
    assert len(page.url) < 200
    page.reload()
    page.wait_for_function("pasted => window.tokenViewerLive?.field?.trim() === pasted", arg=pasted)
    assert max(map(len, asked)) < 8_000

    another = visit()
    written = another.press("step", 1)
    field = another.page.locator(".st-key-live_prompt textarea")
    before = field.input_value()
    field.fill("word " * 5000)
    field.press("Enter")
    another.page.get_by_text("20,000 characters").wait_for()
    assert another.page.locator(".st-key-strip .notice").is_visible() and another.page.locator('[data-testid="stAlert"]').count() == 0
    field.fill(before)
    field.press("Enter")
    another.until("steps.length === 1")
    assert another.written() == written
