"""Comparisons of what a page draws with what was observed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest

from core.experiments.shared.result_file import RecordedExperiment
from tests.browser.drawn import Drawn, plainly


def same(drawn: Iterable[float], observed: Iterable[float]) -> None:
    """Assert that the drawn numbers are the observed ones, in any order."""
    assert sorted(drawn) == pytest.approx(sorted(observed), rel=1e-4)


def among(drawn: Iterable[float], observed: Iterable[float]) -> None:
    """Assert that every drawn number was observed."""
    known = list(observed)
    strange = [value for value in drawn if not any(math.isclose(value, one, rel_tol=1e-4, abs_tol=1e-12) for one in known)]
    assert not strange


def of_type(kept: RecordedExperiment, name: str) -> list[Any]:
    """Return the observations of the class with this name."""
    return [seen for seen in kept.observations if type(seen).__name__ == name]


def written(steps: Iterable[Any]) -> str:
    """Return the letters and digits that these steps wrote."""
    return plainly("".join(step.text for step in steps))


def bars(drawn: Drawn, distribution: Any, field: str = "model", count: int = 5) -> None:
    """Assert that the likeliest tokens are drawn as bars with the model's probabilities."""
    likeliest = {one.piece: one.model_probability for one in distribution.candidates[:count]}
    shown = drawn.pairs("rect", "piece", field)
    assert {piece: shown.get(piece) for piece in likeliest} == pytest.approx(likeliest, rel=1e-3)


def live_bars(drawn: Drawn, distribution: Any, count: int = 5) -> None:
    """Assert that the likeliest tokens are bars of the live view with the model's probabilities."""
    likeliest = {one.piece: one.model_probability for one in distribution.candidates[:count]}
    shown = drawn.shares("model")
    assert {piece: shown.get(piece) for piece in likeliest} == pytest.approx(likeliest, rel=1e-3)


def words(drawn: Drawn, text: str, selector: str = ".token") -> None:
    """Assert that the tokens of a strip end with this text."""
    shown = plainly("".join(drawn.texts(selector)))
    assert text and shown.endswith(plainly(text)), (shown, text)
