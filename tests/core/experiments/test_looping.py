"""A loop, its copies, what ends it and what that costs: compared with plain runs and plain passes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings, load_model
from core.engine.model import LanguageModel
from core.errors import BadSetting, EmptyPrompt
from core.experiments import looping
from core.experiments.looping import REMEDIES, Looping, LoopingRuns, with_remedy
from core.inspection.scoring import score_text

GREEDY = SamplingSettings(greedy=True)


@pytest.fixture(scope="module")
def mini() -> LanguageModel:
    return load_model("storyteller-mini", device="cpu")


@pytest.fixture(scope="module")
def seen(mini: LanguageModel) -> Looping:
    return list(looping.looping(mini, "Knock knock", GREEDY, copies=3))[-1]


def test_the_copies_are_those_of_the_run(seen: Looping, mini: LanguageModel) -> None:
    run = Generation(mini, "Knock knock", GREEDY, stop_on_loop=3)
    path = list(run.stream(200))
    assert run.loop is not None
    assert (seen.period, seen.copies, seen.start) == (run.loop.period, run.loop.copies, run.loop.start)
    assert seen.text == run.text and len(set(seen.written)) == 1 and run.text.endswith("".join(seen.written))
    scored = score_text(mini, run.text)
    last = np.exp(scored.log_probabilities[-seen.period :])
    assert seen.shares[-1] == pytest.approx(last, rel=1e-3)
    mean = np.mean([step.model_probability for step in path[-seen.period :]])
    assert seen.each[0].risen is None and seen.each[2].mean == pytest.approx(mean)


def test_every_remedy_writes_what_its_settings_write_from_the_same_place(seen: Looping, mini: LanguageModel) -> None:
    assert len(seen.remedies) == 3 * len(REMEDIES)
    run = Generation(mini, "Knock knock", GREEDY, stop_on_loop=3)
    list(run.stream(200))
    ids = [int(token_id) for token_id in run.token_ids[len(run.prompt_tokens) :]]
    for tried in seen.remedies[::4]:
        other = Generation(mini, "Knock knock", with_remedy(GREEDY, tried.setting, tried.value))
        for token_id in ids:
            other.force(token_id)
        steps = list(other.stream(tried.tokens))
        assert "".join(step.text for step in steps) == tried.text, tried.setting
        copied = [(ids[-seen.period :] * 20)[place] for place in range(len(steps))]
        left = [step.token_id != token_id for step, token_id in zip(steps, copied, strict=True)]
        assert tried.left_at == (left.index(True) + 1 if any(left) else None)
    usual = Generation(mini, "Knock knock", GREEDY)
    for token_id in ids:
        usual.force(token_id)
    assert seen.usual is not None and seen.usual.text == "".join(step.text for step in usual.stream(seen.usual.tokens))
    assert [tried.ends_it for tried in seen.sorted_remedies()] == sorted((tried.ends_it for tried in seen.remedies), reverse=True)


def test_the_price_is_that_of_forced_steps(seen: Looping, mini: LanguageModel) -> None:
    text = list(mini.encode(looping.HELD_OUT.read_text("utf-8")[:2000]))[: looping.HELD_OUT_TOKENS]
    tried = next(one for one in seen.remedies if (one.setting, one.value) == ("repetition_penalty", 1.5))
    settings = replace(with_remedy(GREEDY, tried.setting, tried.value), greedy=False, temperature=1.0)
    run = Generation(mini, mini.token(text[1]).text, settings)
    assert [int(token_id) for token_id in run.token_ids] == text[:2]
    logs = [np.log(run.force(token_id).sampling_probability) for token_id in text[2:]]
    # The first token after the start has no other text before it, which a run cannot force.
    first = np.exp(tried.log_probability * (len(text) - 1) - sum(logs))
    assert 0 < first <= 1
    assert tried.excluded == 0


def test_heads_are_called_induction_heads_only_where_the_loop_ends_without_them(seen: Looping) -> None:
    shares = [share for _head, share in seen.attending]
    assert shares == sorted(shares, reverse=True) and 0 < shares[0] <= 1
    assert [len(tried.heads) for tried in seen.switched_off] == [1, 2, 4, 8][: len(seen.switched_off)]
    assert all(tried.left_at is None for tried in seen.switched_off[:-1])
    assert seen.usual is not None and seen.usual.left_at is not None and seen.ending_heads is None, "this loop ends by itself"
    endless = replace(seen, usual=replace(seen.usual, left_at=None))
    assert endless.ending_heads is (seen.switched_off[-1] if seen.switched_off[-1].left_at is not None else None)


def test_a_text_that_does_not_loop_says_so(mini: LanguageModel) -> None:
    last = list(looping.looping(mini, "I think", GREEDY, 40))[-1]
    assert last.done and not last.period and not last.remedies


def test_texts_that_loop_are_counted(mini: LanguageModel) -> None:
    counted = list(looping.looping_runs([mini], (0.0,), runs=4, steps=60))
    loops = 0
    for beginning in looping.story_beginnings(4):
        run = Generation(mini, beginning, GREEDY, stop_on_loop=3)
        list(run.stream(60))
        loops += run.finished == "loop"
    assert counted[-1] == LoopingRuns("storyteller-mini", 0.0, loops, 4)
    assert counted[-1].interval[0] <= loops / 4 <= counted[-1].interval[1]


@pytest.mark.parametrize(("values", "error"), [({"steps": 0}, BadSetting), ({"steps": 10**9}, BadSetting), ({"copies": 1}, BadSetting)])
def test_impossible_counts_are_refused(mini: LanguageModel, values: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        next(looping.looping(mini, "The fox", GREEDY, **values))
    with pytest.raises(EmptyPrompt):
        next(looping.looping(mini, "", GREEDY))
    with pytest.raises(BadSetting):
        next(looping.looping_runs([mini], runs=0))
