"""A run ends with the token that completes a stop text, also across tokens, or after a number of tokens, and says which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.errors import RunFinished

GREEDY = SamplingSettings(greedy=True)


def written(model: Any, text: str, **how: Any) -> list[str | None]:
    """Why the run has ended after each forced token of this text."""
    run, ends = Generation(model, "Once", GREEDY, **how), []
    for token in model.tokenize(text):
        run.force(token.token_id)
        ends.append(run.finished)
        if run.finished:
            break
    return ends


def test_a_stop_text_is_found_across_tokens_and_inside_one(tiny: Callable[[str], Any]) -> None:
    model = tiny("gpt2")
    pieces = [token.text for token in model.tokenize("xqzj dragon 🦊!")]
    assert len([piece for piece in pieces if piece]) > 4
    for text in ("qzj", "xq", "j", "🦊", "🦊!", "zj d"):
        ends = written(model, "xqzj dragon 🦊! and more", stop=[text])
        assert (ends[-1], set(ends[:-1])) == ("stop text", {None}), text
        run = Generation(model, "Once", GREEDY, stop=[text])
        for token in model.tokenize("xqzj dragon 🦊!")[: len(ends)]:
            run.force(token.token_id)
        assert text in run.text
    assert set(written(model, "xqzj dragon", stop=["jd", "Once"])) == {None}  # the prompt does not count


def test_a_largest_number_of_tokens_ends_the_run_and_going_back_continues(tiny: Callable[[str], Any]) -> None:
    run = Generation(tiny("gpt2"), "Once", GREEDY, most_new_tokens=3)
    run.generate(10)
    assert (len(run.path), run.finished) == (3, "enough tokens")
    with pytest.raises(RunFinished):
        run.step()
    run.go_to(1)
    assert run.finished is None
