"""A run shows the model's own numbers at every place of its tree, and keeps all that was written."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings
from core.errors import BadToken, BrokenLogits, EmptyPrompt, NoRoom, PromptTooLong, RunFinished
from tests.core.plain import agrees_with_a_plain_pass
from tests.tiny_models import ARCHITECTURES, CONTEXT, some

PROMPT = "The sea looked back 🦊"


def show(step: Any) -> tuple[Any, ...]:
    """What a visitor sees of a step, but for its numbers."""
    rows = {(c.token_id, c.text, c.piece, c.removed_by) for c in step.candidates}
    return step.index, step.position, step.token_id, step.text, step.chosen_by, step.roll, step.settings, rows


def same(steps: list[Any], others: list[Any]) -> None:
    """These steps look alike, to the rounding that another order of additions brings."""
    assert [show(step) for step in steps] == [show(other) for other in others]
    for step, other in zip(steps, others, strict=True):
        shares = {c.token_id: (c.model_probability, c.sampling_probability) for c in other.candidates}
        for candidate in step.candidates:
            assert (candidate.model_probability, candidate.sampling_probability) == pytest.approx(shares[candidate.token_id], abs=2e-5)


@pytest.mark.parametrize("use_cache", [True, False])
@pytest.mark.parametrize("architecture", some(ARCHITECTURES))
def test_step_probabilities_match_a_plain_forward_pass(architecture: str, use_cache: bool, tiny: Any, plain: Any) -> None:
    """On, back, another way, on again, back to the prompt: the numbers are always those of one full pass without a cache."""
    model, network = tiny(architecture), plain(architecture)
    run = Generation(model, PROMPT, SamplingSettings(seed=3), top_n=model.vocabulary_size, use_cache=use_cache)
    prompt = model.encode(PROMPT)

    def check(step: Any) -> None:
        ids = [*prompt, *(s.token_id for s in run.path)]
        assert step is run.path[-1]
        assert step.position == len(ids) - 1
        agrees_with_a_plain_pass(step, ids, network)
        if not use_cache:
            assert (step.forward.computed_tokens, step.forward.reused_tokens, step.forward.cache_bytes) == (step.position, 0, 0)

    for token in (40, 41, 42):
        check(run.force(token))
    for _ in range(4):
        check(run.step())
    run.go_to(4)
    check(run.force(60))
    check(run.step())
    run.go_to(0)
    check(run.force(61))
    check(run.step())
    run.go_to(-1)
    check(run.force(62))


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "mamba", "gemma2", "lfm2"], ["llama", "mamba"]))
def test_a_branch_is_what_a_fresh_run_would_have_written(architecture: str, tiny: Any) -> None:
    model, settings = tiny(architecture), SamplingSettings(seed=12, temperature=0.9, top_p=0.95)
    run = Generation(model, PROMPT, settings)
    for _ in range(6):
        run.step()
    run.go_to(2)
    kept = [step.token_id for step in run.path]
    run.force(44)
    for _ in range(4):
        run.step()
    fresh = Generation(model, PROMPT, settings, use_cache=False)
    for token in kept:
        assert fresh.step().token_id == token
    fresh.force(44)
    for _ in range(4):
        fresh.step()
    same(run.path, fresh.path)
    assert run.text == fresh.text


def test_moving_a_slider_costs_no_forward_pass_and_rolls_nothing_again(tiny: Any) -> None:
    engine = tiny("bloom").engine
    run = Generation(tiny("bloom"), PROMPT, SamplingSettings(seed=1))
    written = [run.step().token_id for _ in range(3)]
    before, passes = run.next_distribution(), engine.passes
    for temperature in (0.1, 0.5, 4.0):
        run.settings = SamplingSettings(seed=1, temperature=temperature)
        distribution = run.next_distribution()
        assert [c.model_probability for c in distribution.candidates] == [c.model_probability for c in before.candidates]
        assert distribution.sampling_entropy != before.sampling_entropy
    assert run.step().settings == run.settings
    assert engine.passes == passes
    assert [step.token_id for step in run.path[:3]] == written


# Text


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_the_text_is_joined_from_bytes_along_every_branch(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    run = Generation(model, PROMPT)
    single = {model.token(i).raw: i for i in range(model.vocabulary_size) if not model.token(i).special}
    emoji = [single[bytes([byte])] for byte in "🪿".encode()]
    texts = [run.force(token).text for token in emoji]
    assert texts == ["", "", "", "🪿"]
    assert run.text == PROMPT + "🪿"
    run.go_to(1)
    assert run.text == PROMPT
    assert run.force(emoji[0]).text == "⟨F0⟩⟨9F⟩"
    assert [run.force(token).text for token in emoji[1:]] == ["", "", "🪿"]
    assert run.text == PROMPT + "⟨F0⟩⟨9F⟩🪿"
    assert run.written == "⟨F0⟩⟨9F⟩🪿"


# Ends and errors


def test_the_end_of_the_text_is_said_and_one_can_go_back(tiny: Any) -> None:
    model = tiny("gpt2")
    run = Generation(model, PROMPT)
    run.force(40)
    end = run.force(next(iter(model.end_token_ids)))
    assert run.finished == "end of text"
    assert end.text == ""
    assert run.path[-1] is end
    with pytest.raises(RunFinished, match="end of text"):
        run.step()
    with pytest.raises(RunFinished):
        run.force(41)
    with pytest.raises(RunFinished):
        run.next_distribution()
    run.go_to(0)
    assert run.finished is None
    assert run.force(41).index == 1


@pytest.mark.parametrize("architecture", some(sorted(set(ARCHITECTURES) - {"mamba"}), {"gpt2", "gemma2"}))
def test_a_full_context_ends_the_run(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    assert model.context_length == CONTEXT
    run = Generation(model, "The sea")
    while not run.finished:
        assert run.token_count < CONTEXT
        run.force(40 + run.token_count)
    assert run.finished == "context full"
    assert run.token_count == CONTEXT
    with pytest.raises(RunFinished, match="context full"):
        run.step()
    run.go_to(3)
    assert run.finished is None


def test_prompts_that_cannot_be_used(tiny: Any) -> None:
    model = tiny("gpt2")
    with pytest.raises(EmptyPrompt):
        Generation(model, "")
    with pytest.raises(PromptTooLong) as caught:
        Generation(model, "word " * 300)
    assert str(CONTEXT) in str(caught.value)
    with pytest.raises(PromptTooLong):
        Generation(model, "x" * 10_000_000)
    full = Generation(model, "the" * 200 if len(model.encode("the" * 200)) == CONTEXT else exactly(model, CONTEXT))
    assert full.finished == "context full"


def exactly(model: Any, count: int) -> str:
    """A prompt of just so many tokens."""
    return "~" * count if len(model.encode("~" * count)) == count else " ".join(random.Random(0).choices("~^|", k=count // 2))


@pytest.mark.parametrize("token_id", [-1, 10**9, 10**30, "no token at all", None, 1.5, True, [3]], ids=str)
def test_a_token_that_does_not_exist_cannot_be_forced(token_id: Any, tiny: Any) -> None:
    run = Generation(tiny("gpt2"), PROMPT)
    with pytest.raises(BadToken):
        run.force(token_id)
    assert run.path == []
    assert run.force(int(np.int64(40))).token_id == 40


def test_a_model_that_answers_nan_is_said_to_be_broken_and_the_text_stays(tiny_folder: Any) -> None:
    from core import load_model

    model = load_model(str(tiny_folder("gpt2")), device="cpu", dtype="float32")
    run = Generation(model, PROMPT)
    run.force(40)
    with torch.no_grad():
        model.network.transformer.ln_f.weight.fill_(float("nan"))
    for attempt in (run.step, run.next_distribution, lambda: run.force(3)):
        with pytest.raises(BrokenLogits) as caught:
            attempt()
        assert "NaN" in str(caught.value)
    assert [step.token_id for step in run.path] == [40]
    with torch.no_grad():
        model.network.transformer.ln_f.weight.fill_(1.0)
    run.release()
    assert run.step().index == 1


def test_full_memory_ends_the_run_but_not_what_was_written(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("bloom")
    run = Generation(model, PROMPT)
    last = run.force(40)

    def full(*_: Any) -> None:
        raise torch.OutOfMemoryError("out of memory")

    hook = model.network.transformer.h[1].register_forward_pre_hook(full)
    try:
        with pytest.raises(NoRoom):
            run.step()
        assert run.finished == "out of memory"
        assert run.path == [last]
        assert list(run.stream(3)) == []
        run.go_to(0)
        assert list(run.stream(3)) == []
        assert run.finished == "out of memory"
    finally:
        hook.remove()
    run.go_to(-1)
    assert run.finished is None
    assert run.force(41).index == 0
