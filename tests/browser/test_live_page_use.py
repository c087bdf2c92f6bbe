"""What a visitor does with a live page in a browser, from a disk and without a network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core import Generation, SamplingSettings, palette
from core.sampling.presets import PRESETS
from tests.browser.accessibility import violations
from tests.browser.conftest import find_browser
from tests.browser.live_files import MODELS, READY, model
from tests.browser.own_tab import OwnTab
from tests.browser.watching import PATIENCE

PROMPT = "Once upon a time, there was a little"
TEXT = "run => tokenViewerPage.run.path.map(({ words }) => words.text).join('')"
WRITTEN = "count => tokenViewerPage.run.path.length === count && !tokenViewerPage.wanted"


def wrote(page: Any, count: int) -> str:
    """Wait until so many tokens are written and drawn, and return them."""
    page.wait_for_function(WRITTEN, arg=count)
    page.wait_for_function("count => document.querySelectorAll('.token[role=button]').length === count", arg=count)
    return str(page.evaluate(TEXT))


def press(page: Any, name: str) -> None:
    page.click(f"[data-name={name}]")


def shown_bars(page: Any) -> list[tuple[str, str]]:
    """Return the label and the number of each bar."""
    read = "rows => rows.map(row => [row.children[0].textContent, row.children[2].textContent])"
    return [tuple(row) for row in page.eval_on_selector_all(".bar:not([hidden])", read)]


def test_a_visitor_writes_takes_another_token_rolls_again_and_goes_back(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    run = Generation(model(MODELS[0]), PROMPT, replace(PRESETS["Balanced"], seed=0))
    for count in range(1, 4):
        press(page, "step")
        run.step()
        assert wrote(page, count) == run.written
    page.keyboard.press("ArrowLeft")
    wrote(page, 2)
    press(page, "coming")
    other = page.locator(".bar:not([hidden])").nth(1)
    page.wait_for_function("() => tokenViewerPage.run.data?.step && !tokenViewerPage.run.data.step.rolled")
    run.go_to(1)
    taken = run.force(run.next_distribution().candidates[1])
    other.click()
    assert wrote(page, 3) == run.written and page.locator(".token.forced").count() == 1
    assert page.locator("#branches summary").text_content() == "Branches · 2"
    press(page, "roll_again")
    run.go_to(1)
    page.wait_for_function("key => tokenViewerPage.run.path[2].key !== key || tokenViewerPage.run.path[2].how === 'sampled'", arg=taken.key)
    assert wrote(page, 3) == run.text.removeprefix(run.prompt) + run.step(attempt=1).text
    page.click("#branches summary")
    page.locator("#branches .press").nth(0).click()
    page.wait_for_function("() => tokenViewerPage.run.line.at(-1) === tokenViewerPage.run.endings()[0][0]")


def test_the_bars_the_settings_and_the_presets_are_those_of_the_app(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    run = Generation(model(MODELS[0]), PROMPT)
    for preset, name in enumerate(PRESETS):
        press(page, f"preset{preset}")
        page.wait_for_selector(f"[data-name=preset{preset}][aria-pressed=true]")
        seen = run.next_distribution(PRESETS[name])
        rows = [candidate for candidate in seen.candidates[:8] if candidate.sampling_probability > 0]
        labels = [row[0] for row in shown_bars(page)]
        assert labels[: len(rows)] == [candidate.piece.removeprefix("␣") for candidate in rows], name
    page.locator("#set_temperature").fill("2")
    page.wait_for_function("() => tokenViewerPage.run.settings.temperature === 2 && !tokenViewerPage.wanted")
    share = run.next_distribution(SamplingSettings(temperature=2.0)).candidates[0].sampling_probability
    assert shown_bars(page)[0][1] == f"{share * 100:.2g}\u00a0%"
    assert page.locator("label:has(#set_temperature) small").text_content() == "random: unlikely tokens are chosen often"


def test_play_writes_until_pause_and_keys_do_the_same(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    page.keyboard.press("Space")
    page.wait_for_function("() => tokenViewerPage.run.path.length >= 3")
    page.keyboard.press("Space")
    page.wait_for_function("() => !tokenViewerPage.run.isLooping")
    count = page.evaluate("tokenViewerPage.run.path.length")
    page.keyboard.press("ArrowLeft")
    wrote(page, count - 1)
    page.locator("#prompt textarea").press("ArrowLeft")  # letters and arrows are the field's there
    wrote(page, count - 1)


ACTIVE = "selector => document.activeElement.matches(selector)"


def test_all_of_it_works_by_keys_alone(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    keyboard, reached = page.keyboard, []
    for place in ("#prompt textarea", ".bar", "#set_temperature", "[data-name=preset4]", "#set_greedy", "[data-name=step]"):
        for _stop in range(40):
            if page.evaluate(ACTIVE, place):
                reached.append(place)
                break
            keyboard.press("Tab")
        if place == "#prompt textarea":
            keyboard.press("ControlOrMeta+a")
            keyboard.type("One day a dragon")
            keyboard.press("Enter")
            page.wait_for_function("() => tokenViewerPage.run.text === 'One day a dragon' && tokenViewerPage.run.data?.step")
        elif place == ".bar":
            keyboard.press("ArrowDown")
            keyboard.press("Enter")
            wrote(page, 1)
        elif place in ("[data-name=preset4]", "[data-name=step]"):
            keyboard.press("Enter")
        else:
            keyboard.press("ArrowRight" if place == "#set_temperature" else "Space")
    assert len(reached) == 6
    wrote(page, 2)
    assert page.evaluate("tokenViewerPage.run.path.map(({ how }) => how)") == ["forced", "greedy"]
    keyboard.press("r")
    page.wait_for_function("() => document.querySelector('.notice').textContent.includes('Greedy')")


def test_a_run_of_the_app_and_its_branches_go_on_in_the_file(tmp_path: Path, open_file: Any) -> None:
    settings = SamplingSettings(temperature=0.9, seed=11)
    run = Generation(model(MODELS[0]), "The old king", settings)
    list(run.stream(6))
    run.go_to(2)
    run.force(run.next_distribution().candidates[2])
    run.step()
    run.to_live_html(tmp_path / "run.html")
    page = open_file(tmp_path / "run.html")
    assert wrote(page, 5) == run.written and page.locator("#branches summary").text_content() == "Branches · 2"
    press(page, "step")
    run.step()
    assert wrote(page, 6) == run.written
    page.evaluate("tokenViewerPage.run.press('switch', { node: 6 })")
    run.switch(6)
    assert wrote(page, 6) == run.written


NOTICED = "sentence => document.querySelector('.notice').textContent === sentence && !tokenViewerPage.wanted"
DAMAGED = "() => document.querySelector('#opening').textContent === 'This file is incomplete or damaged. Copy or download it again.'"
HOSTILE = {
    "empty": ("", "The text is empty. Write a few words first."),
    "huge": ("a" * 100_000, "The text has 100,000 characters; storyteller-mini takes at most 512 tokens. Shorten it."),
    "long": ("fox " * 600, "The text has 604 tokens; storyteller-mini takes at most 512. Shorten it."),
    "half": ("a\ud83e", "This text contains half a character (a lone surrogate). Delete it and type it again."),
    "emoji": ("🦊👩‍👩‍👧🇩🇪", ""),
    "hebrew": ("שלום עולם", ""),
    "markup": ("<script>alert(1)</script><img src=x onerror=alert(1)>", ""),
    "marks": ("<|end|><|start|>", ""),
    "signs": ("\x00\u202e\u200b\ufeff ⟨end⟩", ""),
}


def test_any_prompt_is_continued_or_refused_in_one_sentence(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    for name, (text, sentence) in HOSTILE.items():
        page.evaluate("text => tokenViewerPage.run.press('example', { text: JSON.parse(text) })", json.dumps(text))
        page.wait_for_function(NOTICED, arg=sentence)
        if not sentence:
            press(page, "step")
            wrote(page, 1)
            assert page.evaluate("tokenViewerPage.run.promptIds") == model(MODELS[0]).encode(text), name
    assert page.evaluate("tokenViewerPage.run.direction") == "ltr"
    page.fill("#prompt textarea", HOSTILE["huge"][0])
    page.press("#prompt textarea", "Enter")
    page.wait_for_function(NOTICED, arg=HOSTILE["huge"][1])
    page.fill("#prompt textarea", "שלום")
    page.press("#prompt textarea", "Enter")
    page.wait_for_selector(".words[dir=rtl]")


def test_the_text_ends_with_the_end_token_and_with_the_context(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    end = model(MODELS[0]).end_token_ids
    page.evaluate("id => tokenViewerPage.run.press('force', { node: 0, token: id })", next(iter(end)))
    page.wait_for_function("() => document.querySelector('.ended').textContent.startsWith('The model has ended its text here.')")
    assert page.locator("#player [aria-disabled=true]").count() == 2, "Step and Play"
    page.keyboard.press("Space")
    press(page, "back")
    page.wait_for_function("() => tokenViewerPage.run.path.length === 0 && !document.querySelector('#player [aria-disabled=true]')")
    page.evaluate("text => tokenViewerPage.run.press('example', { text })", "the fox " * 254)
    page.wait_for_function("() => tokenViewerPage.run.promptIds.length === 510")
    page.wait_for_function("() => tokenViewerPage.run.data?.step")
    for count in (1, 2):  # of 512 tokens
        press(page, "step")
        wrote(page, count)
    page.wait_for_function("() => document.querySelector('.ended').textContent.startsWith('The context is full')")


def test_a_damaged_file_and_an_old_browser_get_one_sentence(live_files: Any, open_file: Any, tmp_path: Path) -> None:
    whole = live_files(MODELS[0]).read_text("utf-8")
    changed = whole[:-5000] + ("A" if whole[-5000] != "A" else "B") + whole[-4999:]
    for document in (whole[: len(whole) // 2], whole[:-200], changed, whole[: whole.index('id="data"') + 500]):
        (tmp_path / "cut.html").write_text(document, "utf-8")
        page = open_file(tmp_path / "cut.html", wait="#opening")
        page.wait_for_function(DAMAGED)
    (tmp_path / "cut.html").write_text(whole[: whole.index("class PageRun")], "utf-8")
    page = open_file(tmp_path / "cut.html", wait="#opening")
    assert "If this sentence stays, the file is incomplete, or" in page.text_content("#opening")
    page = open_file(live_files(MODELS[0]), wait="#opening", script="delete window.DecompressionStream")
    page.wait_for_function("() => document.querySelector('#opening').textContent.startsWith('This browser cannot open the page.')")


BLOCKED = """const refuse = () => { throw new Error("blocked"); };
for (const [home, names] of [[window, ["localStorage", "sessionStorage", "indexedDB", "caches"]], [document, ["cookie"]]])
  for (const name of names) Object.defineProperty(home, name, { get: refuse, set: refuse });"""


def test_it_works_in_a_sandboxed_frame_without_storage_and_without_webassembly(live_files: Any, open_file: Any, tmp_path: Path) -> None:
    page = open_file(live_files(MODELS[0]), script=f"window.WebAssembly = undefined; {BLOCKED}")
    assert page.evaluate("tokenViewerPage.run.model.isFast") is False
    press(page, "step")
    wrote(page, 1)
    (tmp_path / "live.html").write_bytes(live_files(MODELS[0]).read_bytes())
    (tmp_path / "frame.html").write_text('<iframe sandbox="allow-scripts" src="live.html" width="1200" height="800"></iframe>', "utf-8")
    context = page.context.browser.new_context(offline=True)
    page = context.new_page()
    page.goto((tmp_path / "frame.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator(READY).wait_for()
    frame.locator("[data-name=step]").click()
    frame.locator(".token[role=button]").wait_for()
    context.close()


@pytest.mark.parametrize(("width", "height", "scheme"), [(390, 844, "dark"), (1280, 720, "light")])
def test_it_is_accessible_and_fits(live_files: Any, open_file: Any, width: int, height: int, scheme: str) -> None:
    page = open_file(live_files(MODELS[0]), width=width, height=height, color_scheme=scheme, locale="de-AT")
    assert page.evaluate("document.documentElement.lang") == "de" and page.text_content("h1") == "Einem Modell zusehen"
    for count in range(1, 4):
        press(page, "step")
        wrote(page, count)
    page.locator("#settings").evaluate("details => { details.open = true; }")
    for colours in (scheme, "dark" if scheme == "light" else "light"):
        page.emulate_media(color_scheme=colours)
        assert violations(page) == [], colours
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.select_option("header select", "en")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Watch a model write'")
    assert wrote(page, 3)


def test_printed_it_is_the_whole_text_and_its_bars_in_light_colours(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]), color_scheme="dark")
    page.evaluate("async () => { for (let i = 0; i < 120; i += 1) await tokenViewerPage.run.press('step'); }")
    wrote(page, 120)
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.is_visible("#player") and not page.is_visible("#settings") and page.is_visible(".words") and page.is_visible(".bar")
    assert page.evaluate("(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('.words'))") <= 0
    red, green, blue = (int(palette.LIGHT.page[at : at + 2], 16) for at in (1, 3, 5))
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == f"rgb({red}, {green}, {blue})"


WHOLE = """selector => [...document.querySelectorAll(selector)].map(element => {
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const isCut = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
  return left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && !isCut;
})"""


@pytest.mark.parametrize("locale", ["en", "de"])
def test_on_a_phone_nothing_is_cut_and_the_temperature_is_in_sight(live_files: Any, open_file: Any, locale: str) -> None:
    page = open_file(live_files(MODELS[0]), width=390, height=844, locale=locale)
    assert page.evaluate(WHOLE, "#set_temperature, .bar.rest .label, #player .press:not([hidden])") == [True] * 7
    for count in range(1, 13):
        press(page, "step")
        wrote(page, count)
    assert page.evaluate(WHOLE, "#player .press:not([hidden])") == [True] * 5
    names = page.locator("#player .press:not([hidden]) .name")
    assert page.locator("[data-name=new_dice] .name").is_visible() and names.count() == 5
    for home, items in (("#text", page.locator(".token[role=button]")), ("#bars", page.locator(".bar:not([hidden])"))):
        for item in items.all():
            item.hover()
            page.wait_for_selector(f"{home} .card", state="visible")
            assert page.evaluate(WHOLE, f"{home} .card") == [True], item.text_content()
    page.locator(".token[role=button]").nth(10).click()
    page.wait_for_selector("[data-name=newest]")
    page.wait_for_function("() => /11/.test(document.querySelector('h2.title').textContent)")
    assert page.evaluate(WHOLE, "#heading, #heading h2, [data-name=newest]") == [True] * 3
    press(page, "newest")
    press(page, "coming")
    page.wait_for_function("() => tokenViewerPage.run.data?.step && !tokenViewerPage.run.data.step.rolled")
    before = page.locator("#bars").bounding_box()
    page.locator(".bar:not([hidden])").nth(1).click()
    wrote(page, 13)
    assert page.locator(".token.forced").count() == 1 and page.locator("#bars").bounding_box()["y"] == before["y"]
    press(page, "back")
    wrote(page, 12)
    press(page, "step")
    wrote(page, 13)
    assert page.locator("#branches").is_visible() and page.locator("#bars").bounding_box()["y"] == before["y"]


def test_a_text_that_another_one_replaced_comes_back_by_one_press(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]), width=390, height=844)
    for count in range(1, 4):
        press(page, "step")
        written = wrote(page, count)
    press(page, "new_dice")
    wrote(page, 0)
    page.get_by_role("button", name="Back to the earlier text").click()
    assert wrote(page, 3) == written
    press(page, "restart")
    wrote(page, 0)
    press(page, "step")
    wrote(page, 1)
    assert not page.get_by_role("button", name="Back to the earlier text").is_visible()


def test_a_phone_asks_the_app_for_the_packed_page_alone_and_once(browser: Any, app: str, tmp_path: Path) -> None:
    context = browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=find_browser(), args=["--no-sandbox"]
    )  # with a cache
    page, asked, said = context.pages[0], [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("websocket", lambda socket: asked.append(socket.url))
    page.on("console", lambda message: said.append(message.text))
    for is_sent in (True, False):
        page.goto(f"{app}/live")
        page.wait_for_selector(READY, timeout=PATIENCE)
        press(page, "step")
        wrote(page, 1)
        size, sent = page.evaluate(
            "(({ decodedBodySize, transferSize }) => [decodedBodySize, transferSize])(performance.getEntriesByType('navigation')[0])"
        )
        assert 0 < sent < 0.8 * size if is_sent else sent == 0
    assert asked == [f"{app}/live"] * 2 and context.cookies() == [] and said == []
    context.close()


KEYS = "tokenViewerPage.run.path.map(({ key }) => key)"
BUSY = """(async () => {
  const ids = Array.from({ length: 500 }, (_, i) => i), pause = () => new Promise(done => setTimeout(done));
  for (let i = 0; i < 5; i += 1) await tokenViewerPage.run.model.after([i, ...ids], pause);
})()"""


@pytest.mark.parametrize("speed", [20, 0])
def test_play_rests_in_a_hidden_and_in_a_frozen_tab_and_loses_no_step(live_files: Any, browser: Any, speed: int) -> None:
    tab = OwnTab(browser, live_files(MODELS[0]))
    tab.until(f"document.querySelector('{READY}')")
    tab.evaluate(f"tokenViewerPage.run.press('play', {{ speed: {speed} }})")
    count = 0
    for state in ("hidden", "frozen", "hidden"):
        tab.until(f"tokenViewerPage.run.path.length > {count} + 3 || tokenViewerPage.run.ended")
        tab.show(False)
        if state == "frozen":
            tab.freeze(True)
        count = tab.evaluate("tokenViewerPage.run.path.length")  # the step that was under way when it was hidden is done
        if state == "frozen":
            tab.freeze(False)
        tab.evaluate("tokenViewerPage.run.last")
        before = tab.evaluate(KEYS)
        tab.evaluate(BUSY)
        assert tab.evaluate(KEYS) == before and len(before) <= count + 1
        tab.show(True)
    tab.evaluate("tokenViewerPage.run.press('pause')")
    found = tab.evaluate(KEYS)
    tab.close()
    run = Generation(model(MODELS[0]), PROMPT, replace(PRESETS["Balanced"], seed=0))
    assert len(found) > 9 and found == [step.key for step in run.stream(len(found))]
