"""Charts of “Teach it” and their rows: the loss, the predictions before and after, and their history as a heat map."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import altair as alt
import pandas as pd

from core.experiments.teach import Probe
from core.finetuning.finetune import TrainingStep
from core.record.step import Candidate, TokenDistribution
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

LEAST = 0.0001  # lower probabilities are written "< 0.01 %"


CANDIDATES = 8
ROW = 30


def shares(distribution: TokenDistribution) -> dict[int, float]:
    """Return the probabilities of the listed tokens by token id."""
    return dict(zip(distribution.token_ids.tolist(), distribution.probabilities[0].tolist(), strict=True))


def known_looks(looks: Sequence[Probe]) -> list[Probe]:
    """Return the same looks with the predictions for a text that the model knew before."""
    return [replace(probe, distribution=probe.known) for probe in looks if probe.known is not None]


def watched(looks: Sequence[Probe], most: int = CANDIDATES) -> list[Candidate]:
    """Return the likeliest tokens of the first and the last look, sorted by their highest probability."""
    if not looks:
        return []
    ever: dict[int, Candidate] = {}
    for probe in (looks[-1], looks[0]):
        for candidate in probe.distribution.candidates[: most if probe is looks[-1] and len(looks) == 1 else -(-most // 2)]:
            ever.setdefault(candidate.token_id, candidate)
    listed = [shares(probe.distribution) for probe in looks]
    ever_most = {token: max(probabilities.get(token, 0.0) for probabilities in listed) for token in ever}
    return sorted(ever.values(), key=lambda candidate: -ever_most[candidate.token_id])[:most]


def before_and_after_rows(looks: Sequence[Probe], shown: Probe | None, most: int = CANDIDATES) -> pd.DataFrame:
    """Return rows of `before_and_after`."""
    columns = ["row", "label", "before", "now", "number", "tip"]
    if shown is None:
        return pd.DataFrame(columns=columns)
    then, now = shares(looks[0].distribution), shares(shown.distribution)
    least = min(now.values())  # tokens that are not listed are less likely
    rows = []
    for row, candidate in enumerate(watched(looks, most)):
        before, after = (probabilities.get(candidate.token_id, 0.0) for probabilities in (then, now))
        tip = _("{piece}: {before} before, {after} after {steps} steps").format(
            piece=candidate.piece, before=numbers.percent(before), after=numbers.percent(after), steps=shown.index
        )
        number = numbers.percent(after) if candidate.token_id in now and after >= LEAST else f"< {numbers.percent(max(least, LEAST))}"
        rows.append((row, candidate.piece, before, after, number, tip))
    return pd.DataFrame(rows, columns=columns)


def memory_verdict(before: Probe, now: Probe) -> str:
    """Return one sentence about whether the earlier likeliest token still is the likeliest."""
    then = before.distribution.candidates[0]
    listed = shares(now.distribution)
    first = now.distribution.candidates[0]
    least, left = min(listed.values()), listed.get(then.token_id, 0.0)
    values = {
        "token": _plain(then.piece),
        "before": numbers.percent(then.model_probability),
        "now": numbers.percent(left) if left >= LEAST else f"< {numbers.percent(max(least, LEAST))}",
    }
    if first.token_id != then.token_id:
        return _(
            "The model has forgotten it: **{token}** went from {before} to {now}. The likeliest token is now **{instead}**, {instead_now}."
        ).format(instead=_plain(first.piece), instead_now=numbers.percent(first.model_probability), **values)
    return (
        _("The model still knows it: **{token}**, {now} (before {before}).")
        if first.model_probability > 0.7 * then.model_probability
        else _("The model is forgetting it: **{token}** went from {before} to {now}.")
    ).format(**values)


def _plain(token: str) -> str:
    """Return a token for a Markdown sentence, without its leading space and with its signs escaped."""
    return re.sub(r"([^\w\s]|_)", r"\\\1", token.removeprefix("␣")) or "␣"


def history_rows(looks: Sequence[Probe], shown: Probe | None, clicks: int) -> pd.DataFrame:
    """Return rows of `history`."""
    rows = []
    listed = [shares(probe.distribution) for probe in looks]
    for row, candidate in enumerate(watched(looks)):
        for probe, probabilities in zip(looks, listed, strict=True):
            share = probabilities.get(candidate.token_id, 0.0)
            tip = _("{piece}: {share} after {steps} steps").format(piece=candidate.piece, share=numbers.percent(share), steps=probe.index)
            rows.append((probe.index, row, candidate.piece, share, tip, shown is not None and probe.index == shown.index, clicks))
    return pd.DataFrame(rows, columns=["index", "row", "label", "share", "tip", "picked", "serial"])


def loss_rows(steps: Sequence[TrainingStep]) -> pd.DataFrame:
    """Return rows of `loss`."""
    rows: list[tuple[int, float, str, str]] = []
    for step in steps:
        rows.append((step.index, step.loss, "new", _("{count} nats per token of the new text").format(count=numbers.decimal(step.loss, 3))))
        if step.rehearsal_loss is not None:
            rows.append(
                (
                    step.index,
                    step.rehearsal_loss,
                    "old",
                    _("{count} nats per token of the old text").format(count=numbers.decimal(step.rehearsal_loss, 3)),
                )
            )
    return pd.DataFrame(rows, columns=["index", "value", "of", "tip"])


@chart_spec(16)
def before_and_after(colours: Palette, rows: int = CANDIDATES) -> alt.TopLevelMixin:
    """A row per token: pale = before fine-tuning, solid = at the chosen step, from 0 to 100 %.

    Columns: row, label, before, now, number, tip.
    """
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1))
    scale = alt.Scale(domain=[0, 1], clamp=True, nice=False, rangeMin=120, rangeMax=alt.ExprRef("width - 64"))
    axis = grey_axis(colours, title=None, values=[0, 0.5, 1], labelExpr="format(datum.value * 100, '~r') + ' %'", orient="top")

    def bar(field: str, color: str, size: float) -> alt.Chart:
        return CHART.mark_bar(color=color, cornerRadius=3, height={"band": size}).encode(
            y=y, x=alt.X(f"{field}:Q", scale=scale, axis=axis), x2=alt.value(120), tooltip=tips(("tip", _("token")))
        )

    base = CHART.encode(y=y)
    names = base.mark_text(align="right", fontSize=14, color=colours.text, limit=112, tooltip=None).encode(text="label:N", x=alt.value(112))
    shares = base.mark_text(align="left", fontSize=13, color=colours.text, dx=6, tooltip=None).encode(
        text="number:N", x=alt.value(alt.ExprRef("width - 60"))
    )
    layers = alt.layer(bar("before", colours.model, 1.0), bar("now", colours.dice, 0.55), names, shares)
    return layers.properties(height=rows * ROW + 24)


@chart_spec(16)
def history(colours: Palette) -> alt.TopLevelMixin:
    """Steps x tokens, tinted by probability; a click picks the step. Columns: index, row, label, share, tip."""
    pick = alt.selection_point(name="pick", fields=["index", "serial"], on="click", toggle=False, clear=False)
    fields = (
        CHART.mark_rect(color=colours.dice, cornerRadius=2, cursor="pointer")
        .encode(
            x=alt.X(
                "index:O",
                axis=grey_axis(colours, title=_("after this many steps"), labelAngle=0, labelOverlap=True),
                scale=alt.Scale(paddingInner=0.06),
            ),
            y=alt.Y(
                "label:N",
                sort=alt.EncodingSortField("row", order="ascending"),
                axis=grey_axis(colours, title=None, minExtent=96, maxExtent=96, labelLimit=92, labelFontSize=13),
                scale=alt.Scale(paddingInner=0.1),
            ),
            opacity=alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.05, 1])),
            stroke=alt.condition("datum.picked", alt.value(colours.text), alt.value("transparent")),
            tooltip=tips(("tip", _("at this step"))),
        )
        .add_params(pick)
    )
    return alt.layer(fields).properties(height=CANDIDATES * 24 + 30)
