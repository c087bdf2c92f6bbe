"""A live page in a browser, from a disk and without a network: the numbers of the app, and what a visitor does with it."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings, load_model
from core.message import ENGLISH
from core.reports.live_page.page import page as page_of
from core.sampling import dice
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.presets import PRESETS
from pages.ui.charts import cache_gauge, live_rows
from pages.ui.i18n import phrases
from pages.ui.i18n.spoken_language import speaking
from pages.ui.i18n.translation import wording
from pages.ui.live import view_data
from tests.browser.accessibility import violations
from tests.browser.watching import PATIENCE

MODELS = ("storyteller-mini", "storyteller")
CLOSE = 1e-5  # between a probability of the page and of the app
ERROR, BESIDE = 1e-5, 1e-5  # nats of a log-probability; of the strip: where rounding may decide on which token a roll falls
READY = "main[data-ready]"
PROMPTS = ("Once upon a time, there was a little", "One day a dragon", "Dear diary,", "The old king", "Question: What is 3 + 4?\nAnswer:")
PROBABILITIES = """async lists => {
  const { model } = tokenViewerPage.run, shares = [];
  for (const ids of lists) {
    const { logits } = await model.after(ids, async () => {});
    const top = logits.reduce((a, b) => Math.max(a, b)), weights = Array.from(logits, logit => Math.exp(logit - top));
    const total = weights.reduce((a, b) => a + b);
    shares.push(weights.map(weight => weight / total));
  }
  return shares;
}"""
RUNS = """async runs => {
  const { run } = tokenViewerPage, found = [];
  for (const { prompt, settings, count } of runs) {
    run.begin(prompt);
    run.settings = settings;
    while (run.path.length < count && !run.ended) await run.next();
    found.push(run.path.map(({ key }) => key));
  }
  return found;
}"""


@cache
def model(name: str) -> Any:
    return load_model(name)


def german() -> Any:
    with speaking("de"):
        return wording()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The file of each bundled model, in English and German."""
    folder = tmp_path_factory.mktemp("live")

    @cache
    def written(name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(page_of(model(name), [ENGLISH, german()]), "utf-8")
        return path

    return written


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Any]]:
    """Open a file without a network. Afterwards: nothing was asked for but the file, and no script failed."""
    contexts, asked, failed = [], [], []

    def open_file(
        path: Path, hash: str = "", width: int = 1400, height: int = 900, wait: str = READY, script: str = "", **options: Any
    ) -> Any:
        context = browser.new_context(offline=True, viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto(path.as_uri() + hash)
        page.wait_for_selector(wait)
        return page

    yield open_file
    for context in contexts:
        context.close()
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"} and len(asked) == len(contexts)
    assert not failed, failed


def vocabulary_in(parts: int, size: int) -> list[list[int]]:
    """Prompts of ids that begin as a text does and have every token of the vocabulary once."""
    ids = np.random.default_rng(7).permutation(size)
    return [[0, *map(int, part)] for part in np.array_split(ids, parts)]


def differences(page: Any, name: str, prompts: list[list[int]]) -> float:
    """Return the largest difference between a probability of the page and of the app."""
    worst = 0.0
    for start in range(0, len(prompts), 20):
        lists = prompts[start : start + 20]
        for ids, found in zip(lists, page.evaluate(PROBABILITIES, lists), strict=True):
            logits = model(name).engine.forward(ids).logits.values.double()
            worst = max(worst, float(np.abs(logits.softmax(0).numpy() - np.array(found)).max()))
    return worst


@pytest.mark.parametrize("way", ["", "#plain"])
def test_the_probabilities_are_those_of_the_app(files: Any, opened: Any, way: str) -> None:
    page = opened(files(MODELS[0]), way)
    assert page.evaluate("tokenViewerPage.run.model.isFast") == (way == "")
    prompts = vocabulary_in(200, 4096)
    assert differences(page, MODELS[0], prompts[:: 20 if way else 4]) < CLOSE


def test_the_probabilities_of_the_larger_model_are_those_of_the_app(files: Any, opened: Any) -> None:
    assert differences(opened(files(MODELS[1])), MODELS[1], vocabulary_in(200, 4096)[::20]) < CLOSE


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["", "#plain"])
@pytest.mark.parametrize("name", MODELS)
def test_every_probability_after_200_prompts_with_the_whole_vocabulary(files: Any, opened: Any, name: str, way: str) -> None:
    worst = differences(opened(files(name), way), name, vocabulary_in(200, 4096))
    print(f"{name}{way}: largest difference {worst:.1e}")  # noqa: T201 - read in the report of the run
    assert worst < CLOSE


ALPHABETS = (
    *("abcdefghij klmnop", "'s 't 're 've 'll 'd 'm's's", "ABC def, ghi. JKL! ", " \t\n\r\u00a0\u2003\u3000", "0123456789 ²½Ⅷ٣४"),
    *(
        "éàöüßøñ ÄÖ",
        "🦊🐻☕👩‍👩‍👧🇩🇪",
        "مرحبا שלום",
        "昔々あるところに 从前",
        "नमस्ते ก็",
        "a\u0301e\u0308\u200d\ufe0f\ufeff\u0085\u200b",
        "<|start|><|end|>|<>",
    ),
    *("_-–—…„“”'’\"()[]{}#@&%$§", "\x00\x01\x1f\x7f"),
)


def texts(count: int) -> list[str]:
    """Texts of one alphabet or of several, with the words of the bundled stories between them."""
    dice, words = random.Random(5), Path("core/bundled/stories/stories.txt").read_text("utf-8").split()
    made = []
    for _ in range(count):
        parts = []
        for _ in range(dice.randrange(1, 6)):
            alphabet = dice.choice(ALPHABETS)
            letters = "".join(dice.choice(alphabet) for _ in range(dice.randrange(0, 12)))
            parts.append(dice.choice([letters, " ".join(dice.sample(words, 3)), letters + dice.choice(words)]))
        made.append("".join(parts))
    return made


def misread(page: Any, count: int) -> list[str]:
    wanted = texts(count)
    found = page.evaluate("texts => texts.map(text => tokenViewerPage.run.tokenizer.encode(text))", wanted)
    return [text for text, ids in zip(wanted, found, strict=True) if ids != model(MODELS[0]).encode(text)]


def test_texts_become_the_tokens_of_the_app(files: Any, opened: Any) -> None:
    assert misread(opened(files(MODELS[0])), 2_000) == []


@pytest.mark.exhaustive
def test_20_000_texts_become_the_tokens_of_the_app(files: Any, opened: Any) -> None:
    assert misread(opened(files(MODELS[0])), 20_000) == []


def test_the_dice_are_those_of_the_app_bit_for_bit(files: Any, opened: Any) -> None:
    numbers = np.random.default_rng(3)
    seeds = [0, 1, 2**31 - 1, 2**32 - 1, 2**32, 2**53 - 1, *map(int, numbers.integers(0, 2**53, 994))]
    rolls = [(seed, int(numbers.integers(0, 500)), int(numbers.integers(0, 4))) for seed in seeds]
    found = opened(files(MODELS[0])).evaluate("rolls => rolls.map(roll => tokenViewerPage.roll(...roll))", rolls)
    assert found == [dice.roll(*roll) for roll in rolls]


PENALTIES = SamplingSettings(temperature=0.9, repetition_penalty=1.2, frequency_penalty=0.3, presence_penalty=0.4, top_k=50)
TYPICAL = SamplingSettings(temperature=1.2, typical_p=0.8, min_p=0.01)
MANNERS = {**PRESETS, "penalties": PENALTIES, "typical": TYPICAL}


def parted(page: Any, name: str, settings: SamplingSettings, runs: int, count: int) -> tuple[int, list[str]]:
    """Compare runs of the page with the app's. Returns how many part where the roll is beside a border, and where the others do."""
    wanted = [(PROMPTS[seed % len(PROMPTS)], replace(settings, seed=seed)) for seed in range(runs)]
    found = page.evaluate(RUNS, [{"prompt": prompt, "settings": offered(own), "count": count} for prompt, own in wanted])
    marked, wrong = 0, []
    for (prompt, seeded), keys in zip(wanted, found, strict=True):
        run = Generation(model(name), prompt, seeded)
        own = [step.key for step in run.stream(count)]
        if own == keys:
            continue
        at = next(i for i, (a, b) in enumerate(zip([*own, -1], [*keys, -1], strict=False)) if a != b)
        if at < min(len(own), len(keys)) and is_beside(run, at, keys[at]):
            marked += 1
        else:
            wrong.append(f"{name} {seeded} token {at}")
    return marked, wrong


def is_beside(run: Generation, index: int, key: int) -> bool:
    """Return whether the roll of a step of the app falls on this token, too, if every log-probability is up to `ERROR` off.

    Tokens that differ by less than twice that can change places on the strip, and its borders move by as much as all of them together.
    """
    roll = run.path[index].roll
    run.go_to(index - 1)
    assert run.logits is not None
    shares = sampling_probabilities(run.logits, run.settings, run.history(run.settings, index))
    if roll is None or not shares[key]:
        return False
    start, end = (shares[shares > shares[key] * math.exp(sign * 2 * ERROR)].sum() for sign in (1, -1))
    return bool(start - BESIDE <= roll <= end + BESIDE)


def offered(settings: SamplingSettings) -> dict[str, Any]:
    names = "temperature top_k top_p min_p typical_p repetition_penalty seed greedy presence_penalty frequency_penalty".split()
    return {name: getattr(settings, name) for name in names}


def test_runs_of_every_preset_write_the_text_of_the_app(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    found = [parted(page, MODELS[0], settings, 5, 40) for settings in MANNERS.values()]
    assert [line for _marked, wrong in found for line in wrong] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("preset", MANNERS)
def test_100_runs_of_100_tokens_with_every_preset_write_the_text_of_the_app(files: Any, opened: Any, name: str, preset: str) -> None:
    marked, wrong = parted(opened(files(name)), name, MANNERS[preset], 100, 100)
    print(f"{name}, {preset}: {marked} of 100 runs part where the roll is near a border")  # noqa: T201
    assert wrong == []


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


def test_a_visitor_writes_takes_another_token_rolls_again_and_goes_back(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    run = Generation(model(MODELS[0]), PROMPTS[0], replace(PRESETS["Balanced"], seed=0))
    for count in range(1, 4):
        press(page, "step")
        run.step()
        assert wrote(page, count) == run.written
    page.keyboard.press("ArrowLeft")
    wrote(page, 2)
    press(page, "coming")
    other = page.locator(".bar:not([hidden])").nth(1)
    page.wait_for_function("() => tokenViewerPage.run.data.step && !tokenViewerPage.run.data.step.rolled")
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


def test_the_bars_the_settings_and_the_presets_are_those_of_the_app(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    run = Generation(model(MODELS[0]), PROMPTS[0])
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


def test_play_writes_until_pause_and_keys_do_the_same(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    page.keyboard.press("Space")
    page.wait_for_function("() => tokenViewerPage.run.path.length >= 3")
    page.keyboard.press("Space")
    page.wait_for_function("() => !tokenViewerPage.run.isLooping")
    count = page.evaluate("tokenViewerPage.run.path.length")
    page.keyboard.press("ArrowLeft")
    wrote(page, count - 1)
    page.locator("#prompt textarea").press("ArrowLeft")  # letters and arrows are the field's there
    wrote(page, count - 1)


def test_a_run_of_the_app_and_its_branches_go_on_in_the_file(tmp_path: Path, opened: Any) -> None:
    settings = SamplingSettings(temperature=0.9, seed=11)
    run = Generation(model(MODELS[0]), "The old king", settings)
    list(run.stream(6))
    run.go_to(2)
    run.force(run.next_distribution().candidates[2])
    run.step()
    run.to_live_html(tmp_path / "run.html")
    page = opened(tmp_path / "run.html")
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


def test_any_prompt_is_continued_or_refused_in_one_sentence(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    for name, (text, sentence) in HOSTILE.items():
        page.evaluate("text => tokenViewerPage.run.press('example', { text: JSON.parse(text) })", json.dumps(text))
        page.wait_for_function(NOTICED, arg=sentence)
        if not sentence:
            press(page, "step")
            wrote(page, 1)
            assert page.evaluate("tokenViewerPage.run.promptIds") == model(MODELS[0]).encode(text), name
    assert page.evaluate("tokenViewerPage.run.direction") == "ltr"
    page.fill("#prompt textarea", "שלום")
    page.press("#prompt textarea", "Enter")
    page.wait_for_selector(".words[dir=rtl]")


def test_the_text_ends_with_the_end_token_and_with_the_context(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    end = model(MODELS[0]).end_token_ids
    page.evaluate("id => tokenViewerPage.run.press('force', { node: 0, token: id })", next(iter(end)))
    page.wait_for_function("() => document.querySelector('.ended').textContent.startsWith('The model has ended its text here.')")
    page.evaluate("text => tokenViewerPage.run.press('example', { text })", "the fox " * 254)
    page.wait_for_function("() => tokenViewerPage.run.promptIds.length === 510")
    page.wait_for_function("() => tokenViewerPage.run.data.step")
    while page.evaluate("!tokenViewerPage.run.ended"):
        press(page, "step")
        page.wait_for_function("() => tokenViewerPage.run.path.length > 0 && !tokenViewerPage.wanted")
    page.wait_for_function("() => document.querySelector('.ended').textContent.startsWith('The context is full')")


def test_a_damaged_file_and_an_old_browser_get_one_sentence(files: Any, opened: Any, tmp_path: Path) -> None:
    whole = files(MODELS[0]).read_text("utf-8")
    changed = whole[:-5000] + ("A" if whole[-5000] != "A" else "B") + whole[-4999:]
    for document in (whole[: len(whole) // 2], whole[:-200], changed, whole[: whole.index('id="data"') + 500]):
        (tmp_path / "cut.html").write_text(document, "utf-8")
        page = opened(tmp_path / "cut.html", wait="#opening")
        page.wait_for_function(DAMAGED)
    (tmp_path / "cut.html").write_text(whole[: whole.index("class PageRun")], "utf-8")
    page = opened(tmp_path / "cut.html", wait="#opening")
    assert "If this sentence stays, the file is incomplete" in page.text_content("#opening")
    page = opened(files(MODELS[0]), wait="#opening", script="delete window.DecompressionStream")
    page.wait_for_function("() => document.querySelector('#opening').textContent.startsWith('This browser cannot open the page.')")


def test_it_works_in_a_sandboxed_frame_and_without_webassembly(files: Any, opened: Any, tmp_path: Path) -> None:
    page = opened(files(MODELS[0]), script="window.WebAssembly = undefined")
    assert page.evaluate("tokenViewerPage.run.model.isFast") is False
    press(page, "step")
    wrote(page, 1)
    (tmp_path / "live.html").write_bytes(files(MODELS[0]).read_bytes())
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
def test_it_is_accessible_and_fits(files: Any, opened: Any, width: int, height: int, scheme: str) -> None:
    page = opened(files(MODELS[0]), width=width, height=height, color_scheme=scheme, locale="de-AT")
    assert page.evaluate("document.documentElement.lang") == "de" and page.text_content("h1") == "Einem Modell zusehen"
    for count in range(1, 4):
        press(page, "step")
        wrote(page, count)
    page.locator("#settings").evaluate("details => { details.open = true; }")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.select_option("header select", "en")
    page.wait_for_function("() => document.querySelector('h1').textContent === 'Watch a model write'")
    assert page.evaluate(TEXT) and page.locator(".token[role=button]").count() == 3


def test_printed_it_is_the_text_and_its_bars(files: Any, opened: Any) -> None:
    page = opened(files(MODELS[0]))
    press(page, "step")
    wrote(page, 1)
    page.emulate_media(media="print")
    assert not page.is_visible("#player") and not page.is_visible("#settings") and page.is_visible(".words") and page.is_visible(".bar")


def test_another_llama_gives_its_numbers_and_tokens(tmp_path: Path, opened: Any) -> None:
    """Random float32 weights, a head of its own, the pattern of GPT-2, a vocabulary that does not come in fours."""
    from tests import tiny_models

    tiny_models.save("llama", tmp_path / "llama", tiny_models.byte_level_tokenizer(359), tie_word_embeddings=False)
    own = load_model(str(tmp_path / "llama"), device="cpu", dtype="float32")
    (tmp_path / "page.html").write_text(page_of(own), "utf-8")
    page = opened(tmp_path / "page.html")
    some = texts(300)
    found = page.evaluate("texts => texts.map(text => tokenViewerPage.run.tokenizer.encode(text))", some)
    assert found == [own.encode(text) for text in some]
    lists = [ids[:60] for ids in found if ids][:40]
    for ids, shares in zip(lists, page.evaluate(PROBABILITIES, lists), strict=True):
        logits = own.engine.forward(ids).logits.values.double()
        assert float(np.abs(logits.softmax(0).numpy() - np.array(shares)).max()) < CLOSE


DRAWN = """async ({ prompt, settings, count, language }) => {
  const { run, file } = tokenViewerPage, found = [];
  tokenViewerPage.speak(language);
  run.begin(prompt);
  run.settings = settings;
  for (let i = 0; i <= count; i += 1) {
    for (const moment of i ? ["rolled", "coming"] : ["coming"]) {
      await run.press(moment);
      tokenViewerPage.draw();
      found.push({ step: run.data.step, tokens: run.tokens, series: run.series });
    }
    await run.next();
  }
  return found;
}"""
EXACT = ("token_id", "space", "label", "piece", "number", "note", "kind", "rank_text", "removed_by", "model_text", "dice_text")


def alike(mine: Any, own: Any) -> bool:
    """Return whether both are the same, but for the last digit of a rounded number."""
    if isinstance(mine, list):
        return len(mine) == len(own) and all(map(alike, mine, own))
    if isinstance(mine, str) and isinstance(own, str) and mine != own:
        (text, number), (other, its) = ((re.sub(r"\d", "", each), int(re.sub(r"\D", "", each) or 0)) for each in (mine, own))
        return text == other and abs(number - its) <= 0.06 * its
    return bool(abs(mine - own) < CLOSE) if isinstance(mine, float) else bool(mine == own)


def differing(drawn: dict[str, Any], seen: Any, run: Generation) -> list[tuple[Any, Any]]:
    """Return the pairs of what the page and the app draw of a step that differ. Lengths may differ by `CLOSE`."""
    step = drawn["step"]
    bars, strip = live_rows.bars(seen, 8, True), live_rows.strip(seen)
    pairs: list[tuple[Any, Any]] = [(len(step["bars"]), len(bars))]
    for mine, own in zip(step["bars"], bars, strict=False):
        pairs += [(mine[name], own[name]) for name in EXACT]
        pairs += [(float(mine[name]), float(str(own[name]))) for name in ("model", "dice")]
    pairs += [(step["strip"][name], strip[name]) for name in ("caption", "roll", "roll_text", "alt")]
    pairs += [([*mine[:2], mine[4]], [*own[:2], own[4]]) for mine, own in zip(step["strip"]["segments"], strip["segments"], strict=True)]
    gauge = cache_gauge.reading(seen, run.model)
    pairs += [(step["gauge"][0], gauge.used), (step["settings"], phrases.settings_of_step(seen))]
    pairs += [(mine, list(live_rows.written_token(own, mine[2]))) for mine, own in zip(drawn["tokens"], run.path, strict=True)]
    slots = [view_data._slot(own) for own in run.path]
    texts = (*range(2), *range(5, 8), 9, 10)
    pairs += [([mine[at] for at in texts], [own[at] for at in texts]) for mine, own in zip(drawn["series"], slots, strict=True)]
    return [pair for pair in pairs if not alike(*pair)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_bars_dice_and_texts_are_drawn_as_the_app_draws_them(files: Any, opened: Any, language: str) -> None:
    page, wrong = opened(files(MODELS[0])), []
    for manner, settings in MANNERS.items():
        for seed, prompt in enumerate(("One day a dragon", "🦊 said")):
            own = replace(settings, seed=seed)
            found = iter(page.evaluate(DRAWN, {"prompt": prompt, "settings": offered(own), "count": 5, "language": language}))
            run = Generation(model(MODELS[0]), prompt, own)
            with speaking(language):
                for count in range(6):
                    if count:
                        wrong += [(manner, count, *pair) for pair in differing(next(found), run.path[-1], run)]
                    wrong += [(manner, count, *pair) for pair in differing(next(found), run.next_distribution(), run)]
                    run.step()
    assert wrong == []
