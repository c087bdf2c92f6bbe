"""A live page in a browser, from a disk and without a network: the numbers of the app, and what a visitor does with it."""

from __future__ import annotations

import random
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
from core.sampling.presets import PRESETS
from pages.ui.i18n.spoken_language import speaking
from pages.ui.i18n.translation import wording
from tests.browser.watching import PATIENCE

MODELS = ("storyteller-mini", "storyteller")
CLOSE = 1e-5  # between a probability of the page and of the app
BESIDE = 1e-5  # of the strip; within this distance of a token's segment, rounding may decide whether a roll falls on it
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
    """Return whether this token's segment in the app is so near to the roll of the step that rounding may decide."""
    roll = run.path[index].roll
    run.go_to(index - 1)
    chosen = run.force(key).chosen
    start = chosen.dice_start
    return roll is not None and start is not None and start - BESIDE <= roll <= start + chosen.sampling_probability + BESIDE


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
