"""Rows of “Teach it”: looks at a model on its way, as tables for `teach_charts`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from core.experiments.newborn import Growth
from core.experiments.teach import Look
from core.finetuning.finetune import TrainingStep
from core.language import _
from core.record.step import Candidate, TokenDistribution
from pages.ui.charts.teach_charts import CANDIDATES
from pages.ui.i18n import numbers

LEAST = 0.0001  # what is less likely reads "< 0.01 %"


def shares(distribution: TokenDistribution) -> dict[int, float]:
    """The probabilities of what is listed, by token id."""
    return dict(zip(distribution.token_ids.tolist(), distribution.probabilities[0].tolist(), strict=True))


def kept(looks: Sequence[Look]) -> list[Look]:
    """The same looks, at what it expects after the beginning of something that it knew before."""
    return [replace(look, distribution=look.known) for look in looks if look.known is not None]


def watched(looks: Sequence[Look], most: int = CANDIDATES) -> list[Candidate]:
    """The tokens worth a row: the favourites of the first look and of the last, the likeliest ever first."""
    if not looks:
        return []
    ever: dict[int, Candidate] = {}
    for look in (looks[-1], looks[0]):
        for candidate in look.distribution.candidates[: most if look is looks[-1] and len(looks) == 1 else -(-most // 2)]:
            ever.setdefault(candidate.token_id, candidate)
    listed = [shares(look.distribution) for look in looks]
    ever_most = {token: max(found.get(token, 0.0) for found in listed) for token in ever}
    return sorted(ever.values(), key=lambda candidate: -ever_most[candidate.token_id])[:most]


def bars(looks: Sequence[Look], shown: Look | None, most: int = CANDIDATES) -> pd.DataFrame:
    """Rows for `teach_charts.before_and_now`."""
    columns = ["row", "label", "before", "now", "number", "tip"]
    if shown is None:
        return pd.DataFrame(columns=columns)
    then, now = shares(looks[0].distribution), shares(shown.distribution)
    least = min(now.values())  # what is not listed is less likely than that
    rows = []
    for row, candidate in enumerate(watched(looks, most)):
        before, after = (found.get(candidate.token_id, 0.0) for found in (then, now))
        tip = _("{piece}: {before} before, {after} after {steps} steps").format(
            piece=candidate.piece, before=numbers.percent(before), after=numbers.percent(after), steps=shown.index
        )
        number = numbers.percent(after) if candidate.token_id in now and after >= LEAST else f"< {numbers.percent(max(least, LEAST))}"
        rows.append((row, candidate.piece, before, after, number, tip))
    return pd.DataFrame(rows, columns=columns)


def memory(before: Look, now: Look) -> str:
    """Whether what was its favourite before still is, in one sentence."""
    then = before.distribution.candidates[0]
    listed = shares(now.distribution)
    first = now.distribution.candidates[0]
    least, left = min(listed.values()), listed.get(then.token_id, 0.0)
    told = {
        "token": _plain(then.piece),
        "before": numbers.percent(then.model_probability),
        "now": numbers.percent(left) if left >= LEAST else f"< {numbers.percent(max(least, LEAST))}",
    }
    if first.token_id != then.token_id:
        return _("It has forgotten it: **{token}** has gone from {before} to {now}, and now it says **{instead}**, {instead_now}.").format(
            instead=_plain(first.piece), instead_now=numbers.percent(first.model_probability), **told
        )
    return (
        _("It still knows: **{token}**, {now} (before {before}).")
        if first.model_probability > 0.7 * then.model_probability
        else _("It is losing it: **{token}** has gone from {before} to {now}.")
    ).format(**told)


def _plain(piece: str) -> str:
    """A token inside a Markdown sentence, its leading space left out; what Markdown would read as a sign is escaped."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", piece.removeprefix("␣")) or "␣"


def way(looks: Sequence[Look], shown: Look | None, clicks: int) -> pd.DataFrame:
    """Rows for `teach_charts.way`."""
    rows = []
    listed = [shares(look.distribution) for look in looks]
    for row, candidate in enumerate(watched(looks)):
        for look, found in zip(looks, listed, strict=True):
            share = found.get(candidate.token_id, 0.0)
            tip = _("{piece}: {share} after {steps} steps").format(piece=candidate.piece, share=numbers.percent(share), steps=look.index)
            rows.append((look.index, row, candidate.piece, share, tip, shown is not None and look.index == shown.index, clicks))
    return pd.DataFrame(rows, columns=["index", "row", "label", "share", "tip", "picked", "serial"])


def losses(steps: Sequence[TrainingStep]) -> pd.DataFrame:
    """Rows for `teach_charts.loss`."""
    rows: list[tuple[int, float, str, str]] = []
    for step in steps:
        rows.append((step.index, step.loss, "new", _("{count} nats a token of the new text").format(count=numbers.decimal(step.loss, 3))))
        if step.rehearsal_loss is not None:
            rows.append(
                (
                    step.index,
                    step.rehearsal_loss,
                    "old",
                    _("{count} nats a token of what it knew").format(count=numbers.decimal(step.rehearsal_loss, 3)),
                )
            )
    return pd.DataFrame(rows, columns=["index", "value", "of", "tip"])


def growth(steps: Sequence[Growth]) -> pd.DataFrame:
    """Rows for `teach_charts.loss`, in bits a byte, thinned to what a chart can show."""
    thin = max(1, len(steps) // 200)
    kept = [step for place, step in enumerate(steps) if place % thin == 0 or step is steps[-1]]
    rows = [(step.index, step.bits, "new", _("{count} bits a byte").format(count=numbers.decimal(step.bits, 2))) for step in kept]
    return pd.DataFrame(rows, columns=["index", "value", "of", "tip"])
