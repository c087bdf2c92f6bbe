"""Experiments that sample tokens keep to a constraint, and write what a plain run with the same seed writes."""

from __future__ import annotations

import re
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.batching.batch_server import ServerSettings
from core.experiments.batching import compared_policies
from core.experiments.candidates import best_of_n
from core.experiments.pupil import cascade
from core.experiments.shared.planned_requests import planned_requests

FORM = " (one|two){2,4} 🦊"
SETTINGS = SamplingSettings(constraint=f"regex:{FORM}", seed=2)
PROMPT = "one two three"


@pytest.fixture(scope="module")
def model(tiny: Any) -> Any:
    return tiny("large")


def plain(model: Any, settings: SamplingSettings, length: int = 30) -> str:
    run = Generation(model, PROMPT, settings)
    run.generate(length)
    return run.written


def test_candidates(model: Any) -> None:
    *_rest, last = best_of_n.write_together(model, PROMPT, SETTINGS, 4, 30)
    texts = ["".join(step.text for step in one.path) for one in last.tries]
    assert len(set(texts)) > 1 and all(re.fullmatch(FORM, text) for text in texts)
    assert texts[0] == plain(model, SETTINGS)


def test_a_batch_of_requests(model: Any) -> None:
    who = planned_requests(model, [PROMPT], 3, 30, 30, settings=SETTINGS)
    finished = [one for served in compared_policies.serve(model, who, [ServerSettings()]) for one in served.iteration.finished]
    assert len(finished) == 3
    texts = [model.text_of(list(one.token_ids)) for one in sorted(finished, key=lambda one: one.request_id)]
    assert texts == [plain(model, request.settings) for request in who]
    assert all(re.fullmatch(FORM, text) for text in texts)


def test_two_models_by_turns(model: Any, tiny: Any) -> None:
    seen = list(cascade.cascade(tiny("small"), model, PROMPT, SETTINGS, (2.0,), 30))
    text = "".join(one.text for one in seen if isinstance(one, cascade.CascadeToken))
    assert re.fullmatch(FORM, text)
