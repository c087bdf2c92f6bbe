"""Two models on one text: the numbers are those of transformers; a cascade at either end is one model alone; the school report."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings
from core.costs.operations_and_bytes import pass_multiply_adds
from core.errors import BadSetting
from core.experiments.pupil.cascade import LARGE_ONLY, SMALL_ONLY, CascadeScore, CascadeToken, cascade
from core.experiments.pupil.student_report import student_reports
from core.experiments.pupil.two_models import JudgedParts, JudgedToken, judge
from tests.core.experiments.impossible import TEXT, refused

PROMPT = "Once upon a time, there was a little fox who"
MIDDLE = 6.6  # bits: about half of the small model's steps have more entropy
STORY = "One day, a small mouse found a big red ball. The mouse was happy."


@pytest.fixture(scope="module")
def large(tiny: Any) -> Any:
    return tiny("large")


@pytest.fixture(scope="module")
def small(tiny: Any) -> Any:
    return tiny("small")


def logs_of(model: Any, ids: list[int]) -> np.ndarray:
    """What transformers' own pass says after each of these tokens: natural logarithms of the odds."""
    with torch.inference_mode():
        logits = model.network(torch.tensor([ids]), use_cache=False).logits[0]
    found: np.ndarray = logits.double().log_softmax(-1).numpy()
    return found


def test_the_text_is_the_writers_own_and_both_opinions_are_transformers(large: Any, small: Any) -> None:
    settings = SamplingSettings(seed=5, temperature=0.9)
    seen = [one for one in judge(small, large, PROMPT, settings, 20) if isinstance(one, JudgedToken)]
    alone = Generation(small, PROMPT, settings)
    assert [one.token_id for one in seen] == [alone.step().token_id for _ in seen]
    assert len(seen) == 20 or (len(seen) > 3 and alone.finished)
    ids = [*small.encode(PROMPT), *(one.token_id for one in seen)]
    first = len(small.encode(PROMPT))
    for model, mine in ((small, [one.writer for one in seen]), (large, [one.judge for one in seen])):
        logs = logs_of(model, ids)
        for place, opinion in enumerate(mine):
            assert opinion is not None
            row = logs[first + place - 1]
            token = ids[first + place]
            assert opinion.surprise == pytest.approx(-row[token] / math.log(2), abs=1e-3)
            assert opinion.rank == int((row > row[token]).sum()) + 1
            assert opinion.favourite == model.piece(int(row.argmax()))
            assert opinion.entropy == pytest.approx(-(np.exp(row) * row).sum() / math.log(2), abs=1e-3)
    one, other = (np.exp(logs_of(model, ids)[first]) for model in (small, large))
    assert seen[1].overlap == pytest.approx(np.minimum(one, other).sum(), abs=1e-4)
    assert seen[1].pieces[seen[1].place] == seen[1].piece
    assert seen[1].judge_odds[seen[1].place] == pytest.approx(other[seen[1].token_id], abs=1e-5)


def test_models_with_other_tokens_are_compared_by_the_character(large: Any, tiny: Callable[[str], Any]) -> None:
    other, prompt = tiny("other tokens"), "The fox"
    *written, parts = judge(large, other, prompt, SamplingSettings(seed=1), 8)
    assert all(isinstance(one, JudgedToken) and one.judge is None and math.isnan(one.overlap) for one in written)
    assert isinstance(parts, JudgedParts)
    text = "".join(one.text for one in written if isinstance(one, JudgedToken))
    assert "".join(part.text for part in parts.parts) in text and parts.parts
    ids = other.encode(prompt + text)
    assert len(ids) <= other.context_length
    logs = logs_of(other, ids)
    tail = len("".join(part.text for part in parts.parts))
    tokens, place, bits = other.tokenize(prompt + text), 0, 0.0
    for number, token in enumerate(tokens):
        if place >= len(prompt + text) - tail:
            bits -= logs[number - 1][token.token_id] / math.log(2)
        place += len(token.text)
    assert sum(part.judge_bits for part in parts.parts) == pytest.approx(bits, abs=1e-2)


def test_a_cascade_at_either_end_is_one_of_them_alone(large: Any, small: Any) -> None:
    settings = SamplingSettings(seed=9)
    seen = list(cascade(small, large, PROMPT, settings, (MIDDLE, SMALL_ONLY, LARGE_ONLY), 24))
    texts = [[one.token_id for one in seen if isinstance(one, CascadeToken) and one.run == run] for run in range(3)]
    for model, ids in ((small, texts[1]), (large, texts[2])):
        alone = Generation(model, PROMPT, settings)
        assert ids == [alone.step().token_id for _ in ids]
    first = len(small.encode(PROMPT))
    ids = [*small.encode(PROMPT), *texts[0]]
    entropies = [-(np.exp(row) * row).sum() / math.log(2) for row in logs_of(small, ids)[first - 1 : -1]]
    mixed = [one for one in seen if isinstance(one, CascadeToken) and one.run == 0]
    assert [one.by_large for one in mixed] == [value > MIDDLE for value in entropies]
    assert 0 < sum(one.by_large for one in mixed) < len(mixed)
    scores = {one.run: one.bits_per_token for one in seen if isinstance(one, CascadeScore)}
    logs = logs_of(large, ids)
    given = [-logs[first + place - 1][token] / math.log(2) for place, token in enumerate(texts[0])]
    assert scores[0] == pytest.approx(np.mean(given), abs=1e-3)


def test_the_large_one_reads_what_was_written_meanwhile_in_one_pass(large: Any, small: Any) -> None:
    seen = [one for one in cascade(small, large, PROMPT, SamplingSettings(seed=9), (MIDDLE,), 24) if isinstance(one, CascadeToken)]
    count, read = len(small.encode(PROMPT)), 0
    for one in seen:
        work = pass_multiply_adds(small.shape, count if one.index == 0 else 1, 0 if one.index == 0 else count + one.index - 1)
        if one.by_large:
            work += pass_multiply_adds(large.shape, count + one.index - read, read)
            read = count + one.index
        assert one.multiply_adds == work and one.passes == (1, int(one.by_large))


def test_a_school_report_is_worked_out_from_transformers_logits(large: Any, small: Any) -> None:
    reports = {one.name: one for one in student_reports([large, small], large, STORY, 20)}
    assert reports[large.name].asked == reports[small.name].asked == 20
    assert math.isnan(reports[large.name].kept) and 0 < reports[small.name].kept < 1
    ids = small.encode(STORY)
    mine, theirs = logs_of(small, ids)[:-1], logs_of(large, ids)[:-1]
    assert reports[small.name].kl == pytest.approx((np.exp(theirs) * (theirs - mine)).sum(1).mean(), rel=1e-3)
    given = -mine[np.arange(len(ids) - 1), ids[1:]]
    assert reports[small.name].perplexity == pytest.approx(math.exp(given.mean()), rel=1e-3)


def test_models_with_different_tokens_are_not_combined(tiny: Any) -> None:
    refused(lambda: cascade(tiny("gpt2"), tiny("llama"), TEXT), BadSetting)
