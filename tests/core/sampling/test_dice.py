"""The dice are fair, repeatable, and pick the token whose range holds the roll."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings
from core.sampling.dice import roll
from core.sampling.observe_stages import observe
from tests.core.plain import chi_square, chi_square_limit
from tests.core.sampling.chains import text_of

PROMPT = "The sea looked back, the sea"
SHAPES = [
    SamplingSettings(),
    SamplingSettings(temperature=0.5),
    SamplingSettings(temperature=2.5, top_k=40),
    SamplingSettings(top_p=0.6, repetition_penalty=1.3),
    SamplingSettings(typical_p=0.4),
]


def test_a_roll_depends_on_seed_step_and_attempt_alone() -> None:
    keys = list(itertools.product([0, 1, 7, 2**53 - 1], [0, 1, 2, 999], [0, 1, 50]))
    first = [roll(*key) for key in keys]
    np.random.seed(3)
    torch.manual_seed(3)
    assert [roll(*key) for key in reversed(keys)] == first[::-1]
    assert len(set(first)) == len(keys)
    assert all(0 <= value < 1 for value in first)


def test_a_roll_stays_what_it_was_when_links_were_shared() -> None:
    """A link holds a seed; the text it names must not change with a new version."""
    assert [round(roll(0, index), 12) for index in range(3)] == [0.014067035666, 0.607365992413, 0.880635352110]


def test_large_seeds_share_their_dice_with_nobody() -> None:
    """A seed of two words once threw another seed's next step."""
    for low, high, step in itertools.product([0, 5, 77], [1, 2, 2**20], [0, 1, 9]):
        alike = [(low, high, step), (low, step, high), (high, low, step), (low, step, 0), (low, 0, step), (low, high, 0), (low, 0, high)]
        assert roll(low + (high << 32), step) not in {roll(*key) for key in alike}
    keys = list(itertools.product([3, 3 + 2**32, 3 + 2**33, 2**52 + 3, 2**53 - 1], range(40), range(5)))
    assert len({roll(*key) for key in keys}) == len(keys)


@pytest.mark.parametrize("vary", ["seed", "step", "attempt"])
def test_rolls_are_even_and_neighbours_do_not_resemble_each_other(vary: str) -> None:
    place = ["seed", "step", "attempt"].index(vary)
    rolls = np.array([roll(*(number if i == place else 11 for i in range(3))) for number in range(8000)])
    cells = np.histogram(rolls, bins=50, range=(0, 1))[0]
    value, degrees = chi_square(cells, np.full(50, 1 / 50))
    assert value < chi_square_limit(degrees)
    pairs = np.histogram2d(rolls[:-1], rolls[1:], bins=10, range=((0, 1), (0, 1)))[0].ravel()
    value, degrees = chi_square(pairs, np.full(100, 1 / 100))
    assert value < chi_square_limit(degrees)


def test_the_roll_picks_by_cumulative_probability_largest_first(tiny: Any) -> None:
    model = tiny("llama")
    for settings in SHAPES:
        run = Generation(model, PROMPT, settings, top_n=model.vocabulary_size)
        for _ in range(4):
            step = run.step()
            alive = sorted((c for c in step.candidates if c.removed_by is None), key=lambda c: (-c.sampling_probability, c.token_id))
            ends = np.cumsum([c.sampling_probability for c in alive])
            assert step.roll is not None
            assert step.chosen.dice_start is not None
            picked = alive[int(np.searchsorted(ends, step.roll, side="right"))]
            assert step.roll == roll(settings.seed, step.index)
            assert step.token_id == picked.token_id
            assert step.chosen.dice_start <= step.roll < step.chosen.dice_start + step.chosen.sampling_probability + 1e-9
            assert [c.dice_start for c in alive] == pytest.approx([0.0, *ends[:-1]], abs=1e-6)
            assert all(c.dice_start is None for c in step.candidates if c.removed_by)
            if run.finished:
                break


@pytest.mark.parametrize("value", [0.0, 0.5, 1.0 - 2**-53])
def test_the_ends_of_the_strip_belong_to_the_first_and_the_last(value: float) -> None:
    logits = torch.tensor([1.0, 3.0, 2.0, 0.0])
    seen = observe(logits, SamplingSettings(), text_of([0]), 4, roll=value)
    assert seen.chosen == {0.0: 1, 0.5: 1, 1.0 - 2**-53: 3}[value]


def test_a_hand_worked_example() -> None:
    """Odds 8 : 4 : 2 : 1 : 1. Temperature 0.5 squares them; top-k 3 keeps 64 : 16 : 4; a roll of 0.8 lands on the second."""
    logits = torch.log(torch.tensor([1.0, 8.0, 2.0, 4.0, 1.0]))
    seen = observe(logits, SamplingSettings(temperature=0.5, top_k=3), text_of([0]), 5, roll=0.8)
    assert seen.token_ids.tolist() == [1, 3, 2, 0, 4]
    np.testing.assert_allclose(seen.probabilities[0], np.array([8, 4, 2, 1, 1]) / 16, atol=1e-6)
    np.testing.assert_allclose(seen.probabilities[1], np.array([64, 16, 4, 1, 1]) / 86, atol=1e-6)
    np.testing.assert_allclose(seen.probabilities[2], np.array([64, 16, 4, 0, 0]) / 84, atol=1e-6)
    assert seen.chosen == 3
    assert seen.stage_entropies[0] == pytest.approx(1.875, abs=1e-5)
    assert seen.stage_kept == (5, 5, 3)


def test_a_large_vocabulary_is_drawn_from_like_a_small_one() -> None:
    """Above a thousand survivors the dice may sort only as far as the roll reaches; the picks must not change."""
    logits = torch.from_numpy(np.random.default_rng(0).normal(0, 2, 5000).astype(np.float32))
    shares = torch.softmax(logits.double(), 0).numpy()
    order = np.argsort(-shares, kind="stable")
    ends = np.cumsum(shares[order])
    for value in [0.0, 1e-9, *np.linspace(0.001, 0.999, 300), 1 - 1e-9]:
        seen = observe(logits, SamplingSettings(), text_of([0]), 3, roll=float(value))
        place = int(np.searchsorted(ends, value, side="right"))
        near = order[max(0, place - 1) : place + 2]
        assert seen.chosen in near
        if min(abs(ends[place] - value), abs(value - (ends[place - 1] if place else -1))) > 1e-6:
            assert seen.chosen == order[place]
