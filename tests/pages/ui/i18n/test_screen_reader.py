"""What is said to those who hear the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings
from pages.ui.charts.live_rows import direction
from pages.ui.i18n import numbers


@pytest.mark.parametrize(("rank", "said"), [(1, "first"), (3, "third"), (11, "11th"), (21, "21st"), (112, "112th"), (1002, "1,002nd")])
def test_places_are_said_as_people_say_them(rank: int, said: str) -> None:
    assert numbers.ordinal(rank) == said


def test_a_step_is_one_sentence(tiny: Callable[[str], Any]) -> None:
    run = Generation(tiny("llama"), "The sea", SamplingSettings(seed=1, top_k=3), top_n=20)
    made = run.step()
    assert numbers.step(made).endswith("choice.") and "percent" in numbers.step(made) and "␣" not in numbers.step(made)
    run.go_to(-1)
    run.force(made.candidates[4].token_id)
    assert numbers.step(run.path[-1]).endswith("you chose it.")


@pytest.mark.parametrize(
    ("text", "way"), [("Once", "ltr"), ("مرحبا", "rtl"), ("שלום world", "rtl"), ("12, مرحبا", "rtl"), ("", "ltr"), ("🦊 123", "ltr")]
)
def test_a_text_keeps_the_direction_of_its_script(text: str, way: str) -> None:
    assert direction(text) == way
