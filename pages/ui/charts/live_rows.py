"""What the parts of the live view are sent of a text and of a step: rows of tokens, bars, and the strip of the dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unicodedata import bidirectional

from core.record.step import Step, TokenDistribution
from core.record.step_rows import DiceSegment, bundled_segments, constrained, tint_depth
from core.reports.live_view.texts import STEP
from core.tokens.token_text import Token
from pages.ui.charts import distribution_rows
from pages.ui.charts.step_tables import shown
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _

LOOKED_AT = 600  # tokens of a prompt that say its writing direction
BAR = (
    *("token_id", "space", "label", "piece", "model", "dice", "number", "note", "kind"),
    *("id", "rank", "logit", "model_text", "dice_text", "removed_by"),
)


def text(prompt: Sequence[Token], path: Sequence[Step]) -> dict[str, Any]:
    """Return a text: the rows of its prompt and of its written tokens, and its writing direction."""
    return {
        "prompt": [prompt_token(token) for token in prompt],
        "tokens": [written_token(step) for step in path],
        "direction": direction_of(prompt),
    }


def prompt_token(token: Token, template: bool = False) -> tuple[Any, ...]:
    """Return a token of the prompt as a row: text, key, whether it is the template's of a conversation."""
    return shown(token.text, token.piece, token.raw), token.key, template


def written_token(step: Step, node: int = 0) -> tuple[Any, ...]:
    """Return a written token as a row: text, key, node, both tints, whether it was forced, both probabilities, rank, excluded wish."""
    chosen, constraint = step.chosen, constrained(step)
    wanted = constraint.wanted if constraint is not None else None
    return (
        shown(step.text, chosen.piece, step.raw),
        step.key,
        node,
        round(tint_depth(step, "likely"), 3),
        round(tint_depth(step, "unsure"), 3),
        step.chosen_by == "forced",
        numbers.chance(chosen.model_probability),
        numbers.chance(chosen.sampling_probability),
        chosen.rank,
        f"{wanted.piece} {numbers.chance(wanted.model_probability)}" if wanted is not None else "",
    )


def direction_of(prompt: Sequence[Token]) -> str:
    """Return the writing direction of a text by the beginning of its prompt."""
    return direction("".join([token.text for token in prompt[:LOOKED_AT]]))


def direction(text: str) -> str:
    """Return the writing direction of a text, "ltr" or "rtl": that of its first letter.

    >>> direction("Once"), direction("12 مرحبا"), direction("?")
    ('ltr', 'rtl', 'ltr')
    """
    first_kind = next((kind for letter in text if (kind := bidirectional(letter)) in ("L", "R", "AL")), "L")
    return "ltr" if first_kind == "L" else "rtl"


def bars(distribution: TokenDistribution | Step, count: int, folded: bool) -> list[dict[str, object]]:
    """Return the bars of a step. The parameters are those of `distribution_rows.bars`."""
    return [{name: row[name] for name in BAR} for row in distribution_rows.bars(distribution, count, folded) if row["label"]]


def strip(distribution: TokenDistribution | Step) -> dict[str, Any]:
    """Return the strip of the dice, with the roll once there is one."""
    step = distribution if isinstance(distribution, Step) else None
    return {
        "segments": [_row(segment) for segment in bundled_segments(distribution, _(STEP["unlikely"]))],
        "roll": step.roll if step else None,
        "roll_text": "" if step is None or step.roll is None else numbers.roll(step.roll),
        "throw": f"{step.index}:{step.key}:{step.roll}" if step else "",
        "caption": caption(distribution),
        "alt": _(STEP["strip"]),
    }


def _row(segment: DiceSegment) -> tuple[int, str, float, float, bool, str]:
    share = numbers.chance(segment.end - segment.start)
    return segment.key, segment.label, round(segment.start, 7), round(segment.end, 7), segment.chosen, share


def caption(distribution: TokenDistribution | Step) -> str:
    """Return one sentence about how the token is or was chosen."""
    if not isinstance(distribution, Step):
        return _without_dice(distribution) if distribution.settings.greedy else _(STEP["wide"])
    if distribution.is_forced:
        return _(STEP[distribution.chosen_by]).format(piece=distribution.piece)
    if distribution.chosen_by == "server":
        return _("the server chose “{piece}”, with its own dice").format(piece=distribution.piece)
    if distribution.roll is None:
        moved = phrases.stages(distribution.moved_by)
        if moved:
            return _(STEP["moved"]).format(piece=distribution.piece, stages=moved)
        return _(STEP["greedy"]).format(piece=distribution.piece)
    return _(STEP["sampled"]).format(
        roll=numbers.roll(distribution.roll), piece=distribution.piece, share=numbers.chance(distribution.sampling_probability)
    )


def _without_dice(distribution: TokenDistribution) -> str:
    moved = phrases.stages(distribution.moved_by)
    if moved:
        return _(STEP["will_be_moved"]).format(stages=moved)
    return _(STEP["will_be_greedy"])
