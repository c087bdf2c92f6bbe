"""Sentences for screen readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.record.step import Step
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, current, written

ORDINALS = (
    N_("first"),
    N_("second"),
    N_("third"),
    N_("fourth"),
    N_("fifth"),
    N_("sixth"),
    N_("seventh"),
    N_("eighth"),
    N_("ninth"),
    N_("tenth"),
)
SIGNS = {"␣": N_("space"), "↵": N_("new line"), "⇥": N_("tab")}


def spoken_percent(share: float) -> str:
    """Return a probability in words.

    >>> spoken_percent(0.12)
    '12 percent'
    """
    return _percent(numbers.percent(share))


def _percent(written: str) -> str:
    return written.replace("\u00a0", " ").replace("%", _("percent")).replace("<", _("less than")).replace(">", _("more than"))


def token(displayed: str) -> str:
    """Return a token in words: without its leading space, with names for signs.

    >>> token("␣fox"), token("↵"), token("␣")
    ('fox', 'new line', 'space')
    """
    bare = displayed.removeprefix("␣") or displayed
    if bare in SIGNS:
        return _(SIGNS[bare])
    return bare.replace("␣", " ").replace("↵", f" {_(SIGNS['↵'])} ").strip()


def ordinal(rank: int) -> str:
    """Return an ordinal number.

    >>> ordinal(3), ordinal(11), ordinal(22), ordinal(103)
    ('third', '11th', '22nd', '103rd')
    """
    if rank <= len(ORDINALS):
        return _(ORDINALS[rank - 1])
    if current() != "en":
        return _("{rank}th").format(rank=written(rank))
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{written(rank)}{ending}"


def step(done: Step) -> str:
    """Return a step in one sentence: "fox, 12 percent, third choice"."""
    if not done.rank:
        return _("{token}, not measured.").format(token=token(done.piece))
    values = {"token": token(done.piece), "chance": spoken_percent(done.sampling_probability), "place": ordinal(done.rank)}
    if done.chosen_by == "server":
        return _("{token}, {chance}, {place} choice, the server chose it.").format(**values)
    if done.chosen_by == "forced":
        return _("{token}, {chance}, {place} choice, you chose it.").format(**values)
    return _("{token}, {chance}, {place} choice.").format(**values)


def branches(pair: Sequence[Step | None]) -> str:
    """Return the newest step of both branches, one sentence each."""
    return " ".join(
        _("The {place} branch: {step}").format(place=_(ORDINALS[side]), step=step(newest))
        for side, newest in enumerate(pair)
        if newest is not None
    )


def bar(row: Mapping[str, Any]) -> str:
    """Return a bar in one sentence, from its row of `step_rows.distribution_rows`."""
    values = {"token": token(row["piece"]), "model": _percent(row["model_text"]), "dice": _percent(row["dice_text"])}
    if row["kind"] == "removed":
        return _("{token}, {model} for the model, excluded by {stage}").format(stage=row["removed_by"], **values)
    if row["kind"] == "chosen":
        return _("{token}, {model} for the model, {dice} for the dice, chosen").format(**values)
    return _("{token}, {model} for the model, {dice} for the dice").format(**values)
