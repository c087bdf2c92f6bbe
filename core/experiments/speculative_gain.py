"""The gain of speculative sampling: measured from the record of a run, and computed by formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.experiments.speculative import REJECTED, PlainStep, SpeculativeRound


@dataclass(frozen=True, slots=True)
class Gain:
    """The figures of a run. acceptance_rate: accepted / judged, without dropped tokens. tokens_per_pass: tokens written per pass of the
    target. expected_per_pass: (1 - a^(K+1)) / (1 - a) for acceptance rate a, computed as if every guess had the same probability.
    speed_up: seconds per token, plain / speculative, both measured without the first pass (the prompt); None before both have two steps.
    """

    passes: int
    written: int
    drafted: int
    accepted: int
    judged: int
    acceptance_rate: float
    tokens_per_pass: float
    expected_per_pass: float
    draft_seconds: float
    verify_seconds: float
    speed_up: float | None


def gain(seen: Sequence[SpeculativeRound | PlainStep], guesses: int) -> Gain:
    """Return the figures so far."""
    rounds = [round_ for round_ in seen if isinstance(round_, SpeculativeRound)]
    plain = [step for step in seen if isinstance(step, PlainStep)]
    accepted = sum(round_.accepted for round_ in rounds)
    drafted = sum(len(round_.drafted) for round_ in rounds)
    judged = accepted + sum(guess.verdict == REJECTED for round_ in rounds for guess in round_.drafted)
    rate = accepted / judged if judged else float("nan")
    written = sum(round_.written for round_ in rounds)
    speed_up = None
    if len(rounds) > 1 and len(plain) > 1:
        mine = sum(round_.seconds for round_ in rounds[1:]) / sum(round_.written for round_ in rounds[1:])
        speed_up = sum(step.seconds for step in plain[1:]) / (len(plain) - 1) / mine
    return Gain(
        passes=len(rounds),
        written=written,
        drafted=drafted,
        accepted=accepted,
        judged=judged,
        acceptance_rate=rate,
        tokens_per_pass=written / len(rounds) if rounds else float("nan"),
        expected_per_pass=expected_tokens(rate, guesses) if judged else float("nan"),
        draft_seconds=sum(round_.draft_seconds for round_ in rounds),
        verify_seconds=sum(round_.verify_seconds for round_ in rounds),
        speed_up=speed_up,
    )


def expected_tokens(acceptance_rate: float, guesses: int) -> float:
    """Return the tokens per pass of the target if every guess has this acceptance rate: 1 + a + a^2 + ... + a^K (Leviathan et al. 2023).

    >>> expected_tokens(0.5, 2), expected_tokens(1.0, 4), expected_tokens(0.0, 4)
    (1.75, 5.0, 1.0)
    """
    return float(sum(acceptance_rate**power for power in range(guesses + 1)))
