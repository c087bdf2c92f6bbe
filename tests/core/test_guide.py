"""The figures of the guide for operators are those of the formulas."""

from __future__ import annotations

from pathlib import Path

from core.costs.published import MODELS


def test_the_arithmetic_of_the_guide_is_that_of_the_shape() -> None:
    """core/remote/README.md, "Serving a large model"."""
    shape = MODELS["llama-3.1-70b"].shape
    guide = (Path(__file__).parents[2] / "core" / "remote" / "README.md").read_text("utf-8")
    for cards in (2, 4, 8):
        weights, cache = shape.parameter_count * 2 / cards, shape.cache_numbers_per_token * 2 / cards
        tokens = (80e9 * 0.92 - weights - 4e9) / cache
        room = f"{tokens // 1000:,.0f},000" if tokens > 0 else "none: no room left"
        said = next(line for line in guide.splitlines() if f"{cache:,.0f} bytes |" in line)
        assert f"{weights / 1e9:.1f} GB" in said
        assert said.split("|")[5].strip() in (room, f"{round(tokens, -3):,.0f}")
        assert int(said.split("|")[6]) == max(0, int(tokens // 8000))
