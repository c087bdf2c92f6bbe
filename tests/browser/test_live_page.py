"""A live page in a browser, from a disk and without a network: its tokens, probabilities, dice, texts and drawings are those of the app."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings, load_model
from core.reports.live_page.page import page as page_of
from core.sampling import dice
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.presets import PRESETS
from pages.ui.charts import cache_gauge, live_rows
from pages.ui.i18n import phrases
from pages.ui.i18n.spoken_language import speaking
from pages.ui.live import view_data
from tests.browser.live_files import MODELS, model, offered

CLOSE = 1e-5  # between a probability of the page and of the app
ERROR, BESIDE = 1e-5, 1e-5  # nats of a log-probability; of the strip: where rounding may decide on which token a roll falls
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
def test_the_probabilities_are_those_of_the_app(live_files: Any, open_file: Any, way: str) -> None:
    page = open_file(live_files(MODELS[0]), way)
    assert page.evaluate("tokenViewerPage.run.model.isFast") == (way == "")
    prompts = vocabulary_in(200, 4096)
    assert differences(page, MODELS[0], prompts[:: 20 if way else 4]) < CLOSE


def test_the_probabilities_of_the_larger_model_are_those_of_the_app(live_files: Any, open_file: Any) -> None:
    assert differences(open_file(live_files(MODELS[1])), MODELS[1], vocabulary_in(200, 4096)[::20]) < CLOSE


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", ["", "#plain"])
@pytest.mark.parametrize("name", MODELS)
def test_every_probability_after_200_prompts_with_the_whole_vocabulary(live_files: Any, open_file: Any, name: str, way: str) -> None:
    worst = differences(open_file(live_files(name), way), name, vocabulary_in(200, 4096))
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


def test_texts_become_the_tokens_of_the_app(live_files: Any, open_file: Any) -> None:
    assert misread(open_file(live_files(MODELS[0])), 2_000) == []


@pytest.mark.exhaustive
def test_20_000_texts_become_the_tokens_of_the_app(live_files: Any, open_file: Any) -> None:
    assert misread(open_file(live_files(MODELS[0])), 20_000) == []


def test_the_dice_are_those_of_the_app_bit_for_bit(live_files: Any, open_file: Any) -> None:
    numbers = np.random.default_rng(3)
    seeds = [0, 1, 2**31 - 1, 2**32 - 1, 2**32, 2**53 - 1, *map(int, numbers.integers(0, 2**53, 994))]
    rolls = [(seed, int(numbers.integers(0, 500)), int(numbers.integers(0, 4))) for seed in seeds]
    found = open_file(live_files(MODELS[0])).evaluate("rolls => rolls.map(roll => tokenViewerPage.roll(...roll))", rolls)
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


def test_runs_of_every_preset_write_the_text_of_the_app(live_files: Any, open_file: Any) -> None:
    page = open_file(live_files(MODELS[0]))
    found = [parted(page, MODELS[0], settings, 5, 40) for settings in MANNERS.values()]
    assert [line for _marked, wrong in found for line in wrong] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("preset", MANNERS)
def test_100_runs_of_100_tokens_with_every_preset_are_those_of_the_app(live_files: Any, open_file: Any, name: str, preset: str) -> None:
    marked, wrong = parted(open_file(live_files(name)), name, MANNERS[preset], 100, 100)
    print(f"{name}, {preset}: {marked} of 100 runs part where the roll is near a border")  # noqa: T201
    assert wrong == []


def test_another_llama_gives_its_numbers_and_tokens(tmp_path: Path, open_file: Any) -> None:
    """Random float32 weights, a head of its own, the pattern of GPT-2, a vocabulary that does not come in fours."""
    from tests import tiny_models

    tiny_models.save("llama", tmp_path / "llama", tiny_models.byte_level_tokenizer(359), tie_word_embeddings=False)
    own = load_model(str(tmp_path / "llama"), device="cpu", dtype="float32")
    (tmp_path / "page.html").write_text(page_of(own), "utf-8")
    page = open_file(tmp_path / "page.html")
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
EXACT = ("token_id", "space", "label", "piece", "number", "note", "kind", "id", "rank", "removed_by", "model_text", "dice_text")


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
    texts = (*range(2), *range(5, 8))
    pairs += [([mine[at] for at in texts], [own[at] for at in texts]) for mine, own in zip(drawn["series"], slots, strict=True)]
    return [pair for pair in pairs if not alike(*pair)]


@pytest.mark.parametrize("language", ["en", "de"])
def test_bars_dice_and_texts_are_drawn_as_the_app_draws_them(live_files: Any, open_file: Any, language: str) -> None:
    page, wrong = open_file(live_files(MODELS[0])), []
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
