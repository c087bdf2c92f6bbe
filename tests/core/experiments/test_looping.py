"""A loop, its copies, what ends it and what that costs: compared with plain runs and plain passes."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from core import Generation, SamplingSettings, load_model
from core.engine.model import LanguageModel
from core.errors import NotForThisModel
from core.experiments import looping
from core.experiments.looping import REMEDIES, Looping, LoopingRuns, with_remedy
from core.experiments.shared.questions.facts import held_out_facts
from core.inspection.scoring import score_text
from core.models.hub import BUNDLED
from tests.core.remote.serving import FakeVLLM, connect, serve

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


def test_facts_and_excluded_tokens_are_those_of_a_plain_count(seen: Looping, mini: LanguageModel) -> None:
    every = held_out_facts(plain=True)
    said = [f"{before} {answer}." for _kind, before, answer in every]
    right = asked = 0
    for place in range(looping.BEFORE, len(every), len(every) // looping.FACTS):
        before = " ".join([*said[place - looping.BEFORE : place], every[place][1]])
        ids, whole = mini.encode(before), mini.encode(f"{before} {every[place][2]}")
        asked += 1
        right += int(mini.engine.forward(ids).logits.values.argmax()) == whole[len(ids)]
    assert seen.usual is not None and (seen.usual.facts, seen.facts) == (right, asked)
    text = list(mini.encode(looping.HELD_OUT.read_text("utf-8")[:2000]))[: looping.HELD_OUT_TOKENS]
    pairs = list(itertools.pairwise(text))
    repeated = sum(pair in pairs[:place] for place, pair in enumerate(pairs))
    tried = next(one for one in seen.remedies if (one.setting, one.value) == ("no_repeat_ngram_size", 2))
    assert tried.excluded == pytest.approx(repeated / len(pairs)) and repeated > 0


def test_heads_are_called_induction_heads_only_where_the_loop_ends_without_them(seen: Looping) -> None:
    shares = [share for _head, share in seen.attending]
    assert shares == sorted(shares, reverse=True) and 0 < shares[0] <= 1
    assert [len(tried.heads) for tried in seen.switched_off] == [1, 2, 4, 8][: len(seen.switched_off)]
    assert all(tried.left_at is None for tried in seen.switched_off[:-1])
    assert seen.usual is not None and seen.usual.left_at is not None and seen.ending_heads is None, "this loop ends by itself"
    endless = replace(seen, usual=replace(seen.usual, left_at=None))
    last = seen.switched_off[-1]
    assert endless.ending_heads is (last if last.left_at is not None else None)
    if seen.others_off is not None:
        assert len(seen.others_off.heads) == len(last.heads) and not set(seen.others_off.heads) & set(last.heads)
    for ended, others, said in ((5, None, True), (5, 3, False), (None, None, False)):
        tried = replace(last, left_at=ended), replace(last, left_at=others)
        assert replace(endless, switched_off=tried[:1], others_off=tried[1]).has_induction_heads is said
    assert not replace(endless, switched_off=(replace(last, left_at=5),), others_off=None).has_induction_heads, "nothing to compare with"


def test_heads_are_switched_off_in_a_plain_run_and_attend_as_a_plain_pass_says(seen: Looping, mini: LanguageModel) -> None:
    run = Generation(mini, "Knock knock", GREEDY, stop_on_loop=3)
    list(run.stream(200))
    ids = [int(token_id) for token_id in run.token_ids]
    network = AutoModelForCausalLM.from_pretrained(BUNDLED / "storyteller-mini", attn_implementation="eager", dtype=torch.float32)
    with torch.no_grad():
        attention = network(torch.tensor([ids]), output_attentions=True).attentions
    ends = sorted({int(end) for end in np.linspace(len(ids) - seen.period + 1, len(ids), min(looping.LOOKED, seen.period))})
    for (layer, head), share in seen.attending[:3]:
        assert share == pytest.approx(np.mean([float(attention[layer][0, head, end - 1, end - seen.period]) for end in ends]), abs=2e-3)
    for tried in seen.switched_off:
        other = Generation(mini, "Knock knock", GREEDY, without_heads=tried.heads)
        for step in run.path:
            other.force(step.token_id)
        most = min(looping.MOST_WRITTEN, 2 * seen.period + 24)
        new = list(other.stream(most))
        assert "".join(step.text for step in new) == tried.text
        copied = ids[-seen.period :] * most
        assert tried.left_at == next((n for n, step in enumerate(new, 1) if step.token_id != copied[n - 1]), None)


def test_every_remedy_has_an_effect_at_a_place_where_it_can(mini: LanguageModel) -> None:
    """Greedy takes the likeliest token whatever a cut-off excludes, so a cut-off must be tried with dice."""
    for name, values in REMEDIES.items():
        for value in values:
            settings = with_remedy(GREEDY, name, value)
            assert settings.without_effect == (), name
    assert with_remedy(SamplingSettings(temperature=1.4), "xtc_probability", 0.5).temperature == 1.4


def test_a_text_that_does_not_loop_says_so(mini: LanguageModel) -> None:
    last = list(looping.looping(mini, "I think", GREEDY, 40))[-1]
    assert last.done and not last.period and not last.remedies


def test_texts_that_loop_are_counted(mini: LanguageModel) -> None:
    counted = list(looping.looping_runs([mini], (0.0, 0.4), runs=4, steps=60))
    assert len(counted) == 8
    for temperature, last in ((0.0, counted[3]), (0.4, counted[7])):
        loops = 0
        for seed, beginning in enumerate(looping.story_beginnings(4)):
            settings = SamplingSettings(temperature=temperature, seed=seed) if temperature else GREEDY
            run = Generation(mini, beginning, settings, stop_on_loop=3)
            list(run.stream(60))
            loops += run.finished == "loop"
        assert last == LoopingRuns("storyteller-mini", temperature, loops, 4)
        assert last.interval[0] <= loops / 4 <= last.interval[1]


def biased(model: Any) -> SamplingSettings:
    """Settings with which the model writes one token again and again."""
    return SamplingSettings(greedy=True, logit_bias={model.encode("bear")[-1]: 90.0})


@pytest.mark.parametrize(("left", "tried"), [(12, 0), (13, 0), (14, 1), (20, 7)])
def test_a_loop_at_the_end_of_the_context_is_shown_and_tried_as_far_as_there_is_room(left: int, tried: int, tiny: Any) -> None:
    model = tiny("llama")
    text = "bear" * (model.context_length - left)
    while len(model.encode(text)) > model.context_length - left:
        text = text[:-1]
    assert len(model.encode(text)) == model.context_length - left
    last = list(looping.looping(model, text, biased(model), 40, 3))[-1]
    assert (last.period, last.copies, last.done) == (1, 12, True), "a period of one token"
    assert {one.tokens for one in last.remedies} == ({tried} if tried else set())
    assert last.each[0].risen is None and len(last.each) == 12


def test_on_a_server_the_loop_is_shown_and_what_is_missing_is_said(no_waiting: None) -> None:
    with serve(FakeVLLM(limit=20)) as running:
        model, seen = connect(running), list[Looping]()
        bias = {model.encode(" args")[0]: 60.0}
        parts = looping.looping(model, "def main(argv)", SamplingSettings(greedy=True, logit_bias=bias), 60, 3)
        with pytest.raises(NotForThisModel, match="no layers on this machine"):
            seen.extend(parts)
    assert seen[-1].period == 1 and seen[-1].pieces == ("␣args",) and not seen[-1].remedies
