"""Dice strip: the cumulative distribution from 0 to 1, one segment per token that is not excluded, and the roll as a marker."""

from __future__ import annotations

from typing import Any

from core.record.step import Step, TokenDistribution
from core.record.step_rows import DiceSegment, bundled_segments
from core.reports import step_in_browser
from pages.ui.components.register import component
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _

_DICE = component("dice", styles=step_in_browser.STYLE)


def dice_strip(distribution: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Draw the strip, and the roll once there is one. still: without animation."""
    _DICE(key=key, data=strip_data(distribution, still))


def strip_data(distribution: TokenDistribution | Step, still: bool = False) -> dict[str, Any]:
    """Return the strip as the browser gets it."""
    step = distribution if isinstance(distribution, Step) else None
    return {
        "segments": [_row(segment) for segment in bundled_segments(distribution, _("many unlikely tokens"))],
        "roll": step.roll if step else None,
        "roll_text": "" if step is None or step.roll is None else numbers.roll(step.roll),
        "throw": f"{step.index}:{step.key}:{step.roll}" if step else "",
        "caption": caption(distribution),
        "alt": _("A strip from 0 to 1 with one segment for each token that is not excluded. The marker shows the roll."),
        "still": still,
    }


def _row(segment: DiceSegment) -> tuple[int, str, float, float, bool, str]:
    share = numbers.chance(segment.end - segment.start)
    return segment.key, segment.label, round(segment.start, 7), round(segment.end, 7), segment.chosen, share


def caption(distribution: TokenDistribution | Step) -> str:
    """Return one sentence about how the token is or was chosen."""
    if not isinstance(distribution, Step):
        return (
            _without_dice(distribution)
            if distribution.settings.greedy
            else _("wide segments are easier to hit; one number between 0 and 1 decides")
        )
    if distribution.chosen_by == "forced":
        return _("you chose “{piece}”, without dice").format(piece=distribution.piece)
    if distribution.chosen_by == "server":
        return _("the server chose “{piece}”, with its own dice").format(piece=distribution.piece)
    if distribution.roll is None:
        moved = phrases.stages(distribution.moved_by)
        if moved:
            return _("greedy chose “{piece}”, the likeliest token after {stages}").format(piece=distribution.piece, stages=moved)
        return _("greedy chose the likeliest token, “{piece}”").format(piece=distribution.piece)
    return _("the dice fell on {roll}: “{piece}” had {share} of the strip").format(
        roll=numbers.roll(distribution.roll), piece=distribution.piece, share=numbers.chance(distribution.sampling_probability)
    )


def _without_dice(distribution: TokenDistribution) -> str:
    moved = phrases.stages(distribution.moved_by)
    if moved:
        return _("greedy: the likeliest token after {stages} is chosen, without dice").format(stages=moved)
    return _("greedy: the likeliest token is chosen, without dice")
