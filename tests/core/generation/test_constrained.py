"""A constraint in a run: its state belongs to the node, it ends the run, and recordings keep it."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import BadSetting
from core.record.step_rows import constrained
from core.sampling.constraint.allowed_tokens import compiled
from tests.tiny_models import some

FORM = " ?(one|two){1,3} 🦊"
SETTINGS = SamplingSettings(constraint=f"regex:{FORM}", seed=4)
PROMPT = "one two"


@pytest.mark.parametrize("architecture", some(["llama", "gpt2"], ["llama", "gpt2"]))
def test_the_text_takes_the_form_and_then_the_run_ends(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    for seed in range(6):
        run = Generation(model, PROMPT, SamplingSettings(constraint=SETTINGS.constraint, seed=seed))
        run.generate(40)
        assert run.finished in ("end of text", "constraint fulfilled")
        assert re.fullmatch(FORM, run.written)
        assert run.finished == "end of text" or not model.end_token_ids


def test_a_model_without_an_end_token_ends_where_the_text_is_complete(tiny_folder: Any) -> None:
    model = load_model(str(tiny_folder("llama")), device="cpu")
    model.end_token_ids = frozenset()
    run = Generation(model, PROMPT, SamplingSettings(constraint="choices:a\nb 🦊", greedy=True))
    run.generate()
    assert run.finished == "constraint fulfilled" and run.written.strip() in ("a", "b 🦊")


def test_going_back_and_branching_give_the_tokens_that_a_fresh_parser_allows(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, SETTINGS, top_n=model.vocabulary_size)

    def check() -> None:
        if run.finished is None:
            after = np.array([step.token_id for step in run.path], dtype=np.int64)
            mask = compiled(model, SETTINGS.constraint).after(after).mask(model.vocabulary_size)
            seen = run.next_distribution()
            assert {int(i) for i in seen.token_ids[seen.probabilities[-1] > 0]} <= set(np.flatnonzero(mask).tolist())
            assert seen.stage_kept[-1] == mask.sum()

    places = np.random.default_rng(0)
    for attempt in range(25):
        check()
        if run.finished is None:
            run.step(attempt=attempt % 3)
        check()
        if run.path and (run.finished or attempt % 4 == 3):
            run.go_to(int(places.integers(-1, len(run.path))))


def test_a_token_by_hand_that_does_not_fit_stops_the_constraint_with_one_sentence(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, SETTINGS)
    run.force(model.token_of("s"))
    with pytest.raises(BadSetting, match="The token s does not fit the constraint"):
        run.step()
    run.go_to(-1)
    assert run.step()
    run.force(run.path[0].token_id) if run.path[0].stage_kept[-1] == 0 else None


def test_a_constraint_that_is_changed_begins_with_the_next_token(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, SamplingSettings(seed=1, logit_bias=dict.fromkeys(model.end_token_ids)))
    run.generate(4)
    before = run.written
    run.settings = SamplingSettings(constraint="choices:yes\nno", seed=1)
    run.generate(9)
    assert run.written[len(before) :].strip() in ("yes", "no")


def test_the_record_says_what_was_excluded_forced_and_wanted(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, SETTINGS, top_n=model.vocabulary_size)
    for step in run.stream(30):
        done = constrained(step)
        assert done is not None and done.allowed == step.stage_kept[-1]
        dead = step.probabilities[0][step.probabilities[-1] == 0].sum()
        assert done.excluded == pytest.approx(dead, abs=1e-6) and not done.at_least
        assert (done.wanted is None) == (step.candidates[0].sampling_probability > 0)
        assert done.allowed != 1 or step.sampling_probability == 1.0
    few = Generation(model, PROMPT, SETTINGS, top_n=1).next_distribution()
    done = constrained(few)
    assert done is not None and (not done.at_least or done.excluded == few.candidates[0].model_probability)
    assert constrained(Generation(model, PROMPT).next_distribution()) is None


def test_a_recording_keeps_the_constraint_and_its_stage(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, SETTINGS)
    run.generate(5)
    again = Recording.loads(Recording.of(run).dumps())
    assert again.settings == SETTINGS and again.path[0].stage_names == run.path[0].stage_names
    assert constrained(again.path[0]) is not None
    assert "constraint" in repr(again.settings)
