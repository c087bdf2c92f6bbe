"""Sentences for those who hear the page, or steer it by keyboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.record.step import Step
from pages.parts.text import numbers

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
SIGNS = {"␣": "space", "↵": "new line", "⇥": "tab"}
YOURS = "you chose it"
BRANCH = "The {place} way: {step}"
BAR = "{token}, {model} for the model, {dice} for the dice"
BAR_REMOVED = "{token}, {model} for the model, cut by {stage}"
BAR_TAKEN = "{bar}, taken"
BARS_LABEL = "What could come next: arrows walk, Enter takes"
MOMENTS_LABEL = "Moments of the training: arrows walk, Enter shows one"
KEYS_TITLE = "Keys of this page"
CLOSE = "Close"
# the keys, what they do, and the buttons of which one must be on the page; without any they work on every page
KEYS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("→", "one step on", ("step", "inside_step", "what_if_step", "candidates_beam_step")),
    ("←", "one step back", ("back", "inside_back")),
    ("Space", "play or pause; on a button reached with Tab it presses that button", ("play", "pause", "what_if_play", "what_if_pause")),
    ("S", "onto the stage", ("to_stage", "stage_way")),
    ("Tab", "on to the next control or group; Shift + Tab back", ()),
    ("← → ↑ ↓", "inside a group: along the words, the bars, the explained words, a slider", ()),
    ("Home, End", "to the first and the last of a group", ()),
    ("Enter", "take the bar, open the word, press the button", ()),
    ("Escape", "close what is open", ()),
    ("?", "this list", ()),
)


def spoken(share: float) -> str:
    """A share of 1 as it is said.

    >>> spoken(0.12)
    '12 percent'
    """
    return _percent(numbers.percent(share))


def _percent(written: str) -> str:
    return written.replace("\u00a0", " ").replace("%", "percent").replace("<", "less than").replace(">", "more than")


def token(piece: str) -> str:
    """A token as it is said: its leading space is left out, signs have names.

    >>> token("␣fox"), token("↵"), token("␣")
    ('fox', 'new line', 'space')
    """
    bare = piece.removeprefix("␣") or piece
    return " ".join(SIGNS.get(bare, bare).split()) if bare in SIGNS else bare.replace("␣", " ").replace("↵", " new line ").strip()


def ordinal(rank: int) -> str:
    """A place as it is said.

    >>> ordinal(3), ordinal(11), ordinal(22), ordinal(103)
    ('third', '11th', '22nd', '103rd')
    """
    if rank <= len(ORDINALS):
        return ORDINALS[rank - 1]
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending}"


def step(made: Step) -> str:
    """A step in one sentence: "fox, 12 percent, third choice"."""
    parts = [token(made.piece), spoken(made.sampling_probability), f"{ordinal(made.rank)} choice"]
    return ", ".join(parts + ([YOURS] if made.chosen_by == "forced" else [])) + "."


def branches(pair: Sequence[Step | None]) -> str:
    """The newest step of both ways on in one sentence each."""
    return " ".join(BRANCH.format(place=ORDINALS[side], step=step(made)) for side, made in enumerate(pair) if made is not None)


def bar(row: Mapping[str, Any]) -> str:
    """A bar in one sentence, from its row of `step_rows.distribution_rows`."""
    told = {"token": token(row["piece"]), "model": _percent(row["model_text"]), "dice": _percent(row["dice_text"])}
    removed = row["kind"] == "removed"
    said = BAR_REMOVED.format(stage=row["removed_by"], **told) if removed else BAR.format(**told)
    return BAR_TAKEN.format(bar=said) if row["kind"] == "chosen" else said
