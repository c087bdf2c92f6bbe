"""Two models that learn from each other: the distribution that the large one is to learn."""

from __future__ import annotations

import pytest
import torch

from core.training import together
from core.training.together import target_distribution

WAS, SMALL = [0.3, 0.25, 0.25, 0.2], [0.06, 0.2, 0.3, 0.44]
FOND = [0.45, 0.25, 0.2, 0.1]  # of its favourite


def asked_of(was: list[float], small: list[float], ids: list[int], sure: float = 0.4, mask: torch.Tensor | None = None) -> list[float]:
    """What the large one is to think at the last of these positions, as probabilities."""
    before, pupil = (torch.log(torch.tensor(told)).expand(1, len(ids), -1) + 3 for told in (was, small))
    mask = torch.ones(1, 1, len(ids), len(ids), dtype=torch.bool).tril() if mask is None else mask
    return target_distribution(before, pupil, torch.tensor([ids]), mask, torch.full((1, len(ids)), sure))[0, -1].exp().tolist()


def mixed(was: list[float], small: list[float]) -> list[float]:
    weighted = [one ** (1 - together.STUDENT_WEIGHT) * other**together.STUDENT_WEIGHT for one, other in zip(was, small, strict=True)]
    return [weight / sum(weighted) for weight in weighted]


def test_where_the_large_one_is_unsure_of_prose_it_is_drawn_towards_the_small_one() -> None:
    assert asked_of(WAS, SMALL, [3, 1]) == pytest.approx(mixed(WAS, SMALL))
    assert asked_of(WAS, SMALL, [3, 1], sure=0.0) == pytest.approx(WAS), "in lessons it stays as it was"
    assert asked_of(FOND, SMALL, [3, 1]) == pytest.approx(FOND), "and where it has a favourite"
    assert asked_of(FOND, SMALL, [3, 1], sure=0.7) == pytest.approx(mixed(FOND, SMALL)), "which must be beyond doubt in patchwork"


@pytest.mark.parametrize(
    ("ids", "small", "left_alone"),
    [
        ([0, 1], SMALL, True),  # its favourite stands there, and is far less likely to the small one
        ([1, 0], SMALL, True),
        ([3, 1], SMALL, False),  # it stands nowhere
        ([0, 1], [0.2, 0.2, 0.2, 0.4], False),  # the small one sees it, too
        ([0, 1], [0.1, 0.2, 0.3, 0.4], False),  # not so well, as commas and articles, which stand everywhere
    ],
)
def test_what_only_the_large_one_looks_up_is_left_to_it(ids: list[int], small: list[float], left_alone: bool) -> None:
    wanted = asked_of(WAS, small, ids)
    assert wanted == pytest.approx(WAS if left_alone else mixed(WAS, small))
