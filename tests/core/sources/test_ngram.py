"""The n-gram model: its counts are those of plain counting, its probabilities add up, and runs, recordings and scores work with it."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

from core import Generation, Recording, SamplingSettings, load_model, score_text
from core.errors import BadToken, EmptyPrompt, InputError, ModelError, PromptTooLong, ViewerError
from core.experiments.beam import beam_search
from core.experiments.best_of_n import write_together
from core.record.tables import candidates_table
from core.sources.capabilities import Can
from core.sources.ngram.ngram import BACKED_OFF, STORIES, NGram

TEXT = "the cat sat. the cat ran. the dog sat."


@pytest.fixture(scope="module")
def stories() -> Any:
    return load_model("ngram:3")


def test_a_worked_example() -> None:
    model = NGram(TEXT, 2)
    values = model.probabilities(np.array(model.encode("the cat")))
    words = 13  # the 12 tokens of the text and the end
    assert model.counts[()].total() == words
    for word, followed, alone in ((" sat", 1, 2), (" ran", 1, 1), (" dog", 0, 1)):
        uniform = BACKED_OFF / model.vocabulary_size
        expected = (1 - BACKED_OFF) * followed / 2 + BACKED_OFF * ((1 - BACKED_OFF) * alone / words + uniform)
        assert values[model.token_of(word).key] == pytest.approx(expected), word
    assert values.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_counts_of_the_stories_are_those_of_plain_counting(n: int) -> None:
    model: Any = load_model(f"ngram:{n}")
    text = STORIES.read_text("utf-8").strip()
    words = ["end"]
    for story in re.split(r"\n\s*\n", text):
        words += [*re.findall(r" ?[\w'’-]+| ?[^\w\s]|\s", story), "end"]
    sought = [" upon", " a", " time", ","][4 - n :] if n < 4 else [" upon", " a", " time", ","]
    context, follower = sought[:-1], sought[-1]
    starts = [index for index in range(len(words) - len(context)) if words[index : index + len(context)] == context]
    keys = [model.token_of(word).key for word in context]
    counts = model.counts[tuple(keys)]
    expected = sum(words[index + len(context)] == follower for index in starts)
    if n > 1:
        assert counts.total() == len(starts) > 0
    assert counts[model.token_of(follower).key] == expected


def test_a_step_says_the_counts_behind_each_bar(stories: Any) -> None:
    run = Generation(stories, "Once upon a time", SamplingSettings(seed=3))
    step = run.step()
    for candidate in step.candidates[:5]:
        count, total = map(int, re.findall(r"(\d+) of (\d+) times", candidate.fact)[0])
        assert candidate.model_probability == pytest.approx(count / total, abs=BACKED_OFF)
    assert candidates_table(run.path).fact[0] == step.candidates[0].fact
    again = Recording.loads(Recording.of(run).dumps())
    assert again.path[0].facts == tuple(map(str, step.facts)) and again.replay().step().candidates[0].fact == step.candidates[0].fact


@pytest.mark.parametrize("unit", ["words", "characters"])
@pytest.mark.parametrize("text", ["Once upon", "A wizzard, Ümläut 🦊!", "a\n\nb  c\td\n", " ", "’n’ -- x-y", "\n\n"])
def test_the_tokens_of_a_text_are_the_text(unit: str, text: str) -> None:
    model = NGram(STORIES.read_text("utf-8")[:20_000], 2, unit)
    assert "".join(token.text for token in model.tokenize(text)) == text
    run = Generation(model, text, SamplingSettings(seed=1))
    run.generate(5)
    assert Recording.loads(Recording.of(run).dumps()).text == run.text


def test_a_run_ends_where_a_story_ends_and_has_no_other_class(stories: Any) -> None:
    run = Generation(stories, "Once upon a time", SamplingSettings(seed=5))
    run.generate(2000)
    assert run.finished == "end of text" and type(run) is Generation
    assert {Can.NETWORK, Can.PASSES, Can.SHAPE} & stories.can == set()


def test_the_same_dice_give_the_same_text_and_a_forced_token_branches(stories: Any) -> None:
    texts = [
        Generation(stories, "The", SamplingSettings(seed=9, temperature=0.8, top_p=0.9, repetition_penalty=1.1)).generate(20) for _ in "ab"
    ]
    assert texts[0] == texts[1]
    run = Generation(stories, "The")
    run.force(" dog")
    run.go_to(-1)
    assert run.force(" cat").text == " cat" and len(run.branches()) == 2


def test_beam_search_tries_and_scores_work_with_it(stories: Any) -> None:
    *_before, last = write_together(stories, "Once upon a time", SamplingSettings(seed=2), count=3, steps=6)
    alone = Generation(stories, "Once upon a time", SamplingSettings(seed=2))
    list(alone.stream(6))
    assert [step.key for step in last.tries[0].path] == [step.key for step in alone.path]
    *_steps, found = beam_search(stories, "Once upon a time", beams=2, steps=3)
    assert found
    text = "Once upon a time, a kind girl"
    scored = score_text(stories, text)
    ids = stories.encode(text)
    expected = [-math.log2(stories.probabilities(np.array(ids[:place]))[ids[place]]) for place in range(1, len(ids))]
    assert scored.total_bits == pytest.approx(sum(expected), rel=1e-5)


def test_a_longer_context_is_surer_of_its_own_text_and_less_sure_of_others() -> None:
    held_out = STORIES.with_name("held_out.txt").read_text("utf-8")[:2500]
    own = STORIES.read_text("utf-8")[:2500]
    models: list[Any] = [load_model(f"ngram:{n}") for n in (1, 2, 3, 4)]
    known = [score_text(model, own).perplexity for model in models]
    assert known == sorted(known, reverse=True)
    assert score_text(models[3], held_out).perplexity > 3 * known[3]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: NGram("", 2), EmptyPrompt),
        (lambda: NGram("  \n\n ", 2), EmptyPrompt),
        (lambda: NGram("a", 0), InputError),
        (lambda: NGram("a", 5), InputError),
        (lambda: NGram("a", True), InputError),
        (lambda: NGram("a", 2.0), InputError),  # type: ignore[arg-type]
        (lambda: NGram("a", "2"), InputError),  # type: ignore[arg-type]
        (lambda: NGram("a", 2, "letters"), InputError),
        (lambda: NGram("a \ud800", 2), InputError),
        (lambda: NGram("a" * 2_000_001, 2), InputError),
        (lambda: load_model("ngram:"), ModelError),
        (lambda: load_model("ngram:9"), ModelError),
        (lambda: load_model("ngram:3:letters"), ModelError),
        (lambda: load_model("ngram:../../etc/passwd"), ModelError),
        (lambda: Generation(NGram(TEXT, 2), ""), EmptyPrompt),
        (lambda: Generation(NGram(TEXT, 2), "\ud800"), InputError),
        (lambda: Generation(NGram(TEXT, 2), "x" * 4_000_001), PromptTooLong),
        (lambda: Generation(NGram(TEXT, 2), [{"role": "user", "content": "Hi"}]), ViewerError),
        (lambda: Generation(NGram(TEXT, 2), "the").force("the cat"), BadToken),
        (lambda: NGram(TEXT, 2).token(-1), BadToken),
    ],
)
def test_impossible_input_gets_one_sentence(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value)


def test_hostile_text_is_shown_as_text() -> None:
    model = NGram("<script>alert(1)</script> {count} {0} %s <script>", 2)
    run = Generation(model, "<script>", SamplingSettings(seed=1))
    assert all(isinstance(candidate.fact, str) for candidate in run.step().candidates)
