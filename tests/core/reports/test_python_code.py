"""The Python code of a run makes the same run."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import core
from core import Generation, SamplingSettings
from core.reports.settings_text import code


def test_the_code_makes_the_same_run(tiny: Any, monkeypatch: Any) -> None:
    model = tiny("llama")
    settings = SamplingSettings(temperature=1.4, presence_penalty=0.4, logit_bias={5: None, 9: 1.0}, order="llama.cpp", seed=4)
    run = Generation(model, 'The "sea"\n', settings)
    run.step()
    run.step(attempt=2)
    run.settings = SamplingSettings(mirostat_tau=4.0)
    run.step()
    run.force(17)
    run.step()
    made: dict[str, Any] = {}
    monkeypatch.setattr(core, "load_model", lambda name: model)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code(run), made)
    again = made["run"]
    assert [(s.token_id, s.settings, s.attempt, s.chosen_by) for s in again.path] == [
        (s.token_id, s.settings, s.attempt, s.chosen_by) for s in run.path
    ]
