"""core in a notebook: short representations, loops, plain errors, and records that can be copied and pickled."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core
from core import Generation, Recording, SamplingSettings, score_text
from core.backends import compiled
from core.errors import BadSetting, BadToken, InputError, RunFinished, ViewerError, WrongType
from core.message import percent
from core.record.step import Step

PROMPT = "The sea looked back"


@pytest.fixture
def run(tiny: Any) -> Generation:
    made = Generation(tiny("gpt2"), PROMPT, SamplingSettings(seed=3, top_k=30))
    made.step()
    made.force(" fox" if has(tiny("gpt2"), " fox") else 40)
    made.step()
    return made


def has(model: Any, text: str) -> bool:
    return any(model.token(i).raw == text.encode() for i in range(model.vocabulary_size))


def test_the_list_of_public_names_is_that_of_the_modules() -> None:
    assert set(core.__all__) == {*core._MODULES, "errors", "experiments"}


def test_a_step_shows_itself_in_a_line(run: Generation) -> None:
    step = run.path[1]
    assert repr(step) == f"Step(1, {step.piece!r}, {percent(step.model_probability)}, rank {step.rank}, forced)"
    for thing in (
        step,
        step.candidates[0],
        step.stages[-1],
        run,
        run.settings,
        run.model,
        run.next_distribution(),
        Recording.of(run).replay(),
    ):
        assert len(repr(thing)) < 160
        assert "\n" not in repr(thing)
        assert "array" not in repr(thing)


def test_writing_in_a_loop_is_stepping(tiny: Any) -> None:
    one, other = (Generation(tiny("llama"), PROMPT, SamplingSettings(seed=8)) for _ in range(2))
    seen = []
    for step in one.stream(6):
        seen.append(step)
        assert one.path[-1] is step
    while len(other.path) < 6 and not other.finished:
        other.step()
    assert [step.token_id for step in seen] == [step.token_id for step in other.path]
    assert list(one.stream(0)) == []
    list(one.stream())
    assert one.finished
    assert list(one.stream(5)) == []
    with pytest.raises(RunFinished):
        one.step()
    replay = Recording.of(one).replay()
    assert [step.token_id for step in replay.stream()] == [step.token_id for step in one.path]


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_a_token_is_forced_by_its_text_or_as_a_candidate(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    run = Generation(model, PROMPT)
    words = [text for text in (" sea", " the", "a", "\n", "ß") if has(model, text)]
    assert words
    for text in words:
        assert run.force(text).raw == text.encode()
    candidate = run.next_distribution().candidates[4]
    step = run.force(candidate)
    assert (step.token_id, step.chosen_by) == (candidate.token_id, "forced")
    assert run.force(model.token(41)).token_id == 41
    replay = Recording.of(run).replay()
    assert replay.force(words[0]).token_id == run.path[0].token_id
    replay.go_to(-1)
    assert replay.force(run.path[0].chosen).token_id == run.path[0].token_id
    for wrong in ("", " sea sea sea", "\ud800", None, 1.5, ["a"], b"a"):
        with pytest.raises(BadToken) as told:
            run.force(wrong)  # type: ignore[arg-type]
        assert "\n" not in str(told.value)


def test_numpys_numbers_are_numbers(run: Generation) -> None:
    given: dict[str, Any] = {
        "temperature": np.float32(0.5),
        "top_k": np.int64(5),
        "top_p": np.float64(0.9),
        "greedy": np.bool_(False),
        "seed": np.uint32(7),
    }
    settings = SamplingSettings(**given)
    assert settings == SamplingSettings(temperature=0.5, top_k=5, top_p=0.9, seed=7)
    assert {type(getattr(settings, name)) for name in given} == {float, int, bool}
    anything: Any = run  # the signatures say int
    anything.go_to(np.int64(0))
    anything.switch(np.int32(1))
    assert anything.step(np.int8(1)).attempt == 1
    assert anything.force(np.int64(40)).token_id == 40
    for values in (
        {"temperature": np.nan},
        {"temperature": np.bool_(True)},
        {"top_k": np.float32(2)},
        {"temperature": np.array([1.0])},
        {"seed": np.int64(-1)},
    ):
        with pytest.raises(BadSetting):
            SamplingSettings(**values)
    with pytest.raises(InputError):
        anything.go_to(np.bool_(True))


def test_the_wrong_thing_in_the_wrong_place_gets_a_sentence(tiny: Any) -> None:
    for make in (lambda: Generation("storyteller", PROMPT), lambda: Generation(None, PROMPT), lambda: Generation(tiny("gpt2"), 3)):  # type: ignore[arg-type]
        with pytest.raises(WrongType) as told:
            make()
        assert isinstance(told.value, TypeError)
        assert isinstance(told.value, ViewerError)
        assert str(told.value).endswith(".")


def test_the_arrays_of_a_record_cannot_be_written_to(run: Generation) -> None:
    for record in (run.path[0], run.next_distribution(), Recording.of(run).path[0], pickle.loads(pickle.dumps(run.path[0]))):
        for name in ("token_ids", "ranks", "logits", "probabilities", "removed_at", "dice_starts"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(record, name)[..., 0] = 1


def test_a_step_pickles_and_copies_without_its_model(run: Generation) -> None:
    step = run.path[2]
    assert copy.copy(step) is step
    assert copy.deepcopy([step])[0] is step
    text = pickle.dumps(step)
    assert len(text) < 20_000
    back: Step = pickle.loads(text)
    assert repr(back) == repr(step)
    assert back.candidates == step.candidates
    assert back.stages == step.stages
    assert (back.chosen, back.raw, back.settings, back.forward) == (step.chosen, step.raw, step.settings, step.forward)
    with pytest.raises(BadToken):
        back.vocabulary.token(next(i for i in range(1000) if i not in back.token_ids))
    assert pickle.loads(pickle.dumps(back)).candidates == step.candidates


def test_a_run_and_a_model_say_why_they_cannot_be_copied(run: Generation) -> None:
    for act in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(WrongType, match=r"Keep Recording\.of\(run\), or branch with run\.switch\(\)"):
            act(run)
        with pytest.raises(WrongType, match="Load it again by its name"):
            act(run.model)


def test_a_scored_text_is_pickled_without_its_model(tiny: Any) -> None:
    scored = score_text(tiny("gpt2"), PROMPT)
    again = pickle.loads(pickle.dumps(scored))
    assert [token.candidates for token in again.tokens] == [token.candidates for token in scored.tokens]
    assert again.perplexity == scored.perplexity and again.model is None
    assert again.table().equals(scored.table())


def test_a_list_of_ids_is_no_prompt_and_ids_may_be_texts_in_a_bias(tiny: Any) -> None:
    for ids in ([12, 13], (12,), np.array([12, 13]).tolist()):
        with pytest.raises(WrongType, match="not a list of token ids"):
            Generation(tiny("gpt2"), ids)  # type: ignore[arg-type]
    assert SamplingSettings(logit_bias={"42": -100}).biases == SamplingSettings(logit_bias={42: -100}).biases  # type: ignore[dict-item]


WRITES = "from core import Generation, load_model; print(len(list(Generation(load_model('storyteller'), 'Once upon a time').stream(3))))"


@pytest.mark.parametrize(
    ("options", "environment", "said"),
    [([], {"NUMBA_DISABLE_JIT": "1"}, "3\n"), (["-OO"], {}, "Python was started with -OO, which removes texts that transformers needs.")],
    ids=["without compiled code", "without docstrings"],
)
def test_it_runs_or_says_why_not(options: list[str], environment: dict[str, str], said: str) -> None:
    root = Path(__file__).parents[2]
    command = [sys.executable, *options, "-c", WRITES]
    done = subprocess.run(
        command, cwd=root, env=os.environ | {"TOKEN_VIEWER_COMPILED": "1"} | environment, capture_output=True, text=True, check=False
    )
    assert said in done.stdout + done.stderr


def test_code_that_numba_does_not_compile_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run above can end before the code would be loaded."""
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")  # other tests run without it
    for value, usable in (("1", False), ("0", True), ("", True)):
        monkeypatch.setenv("NUMBA_DISABLE_JIT", value)
        assert compiled.available() == usable
