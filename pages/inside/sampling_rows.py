"""Rows of the sampling stages: every stage before and after, with its arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from core.record.step import Stage, Step, TokenDistribution
from core.record.step_rows import EVERYTHING_ELSE
from core.record.tables import stages_table
from core.sampling.settings import STAGES
from pages.ui.charts.layer_charts import label
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

STAGE_ROWS = 7  # tokens per stage


def stage_rows(distribution: TokenDistribution | Step) -> list[tuple[Stage, str, pd.DataFrame]]:
    """Return for every stage: the stage, one sentence about it, and the rows of its chart.

    Columns: row, label, before, after, kind ("open", "taken", "removed", "rest"), number, piece, arithmetic.
    """
    table = stages_table(distribution)
    chosen = distribution.key if isinstance(distribution, Step) else -2
    listed = [int(i) for i in distribution.token_ids[:STAGE_ROWS]]
    if chosen >= 0 and chosen not in listed:
        listed[-1] = chosen
    result = []
    earlier: Stage | None = None
    for stage in distribution.stages:
        before = earlier.candidates if earlier else stage.candidates
        tokens = table[table.stage == stage.name].set_index("token_id").piece
        rows = [
            {"row": row, **_token(stage, before, token_id, str(tokens[token_id]), _logit(distribution, token_id), token_id == chosen)}
            for row, token_id in enumerate(listed)
        ]
        rows.append({"row": len(listed), **_rest(stage, before, listed)})
        result.append((stage, _sentence(stage, earlier), pd.DataFrame(rows)))
        earlier = stage
    return result


def _token(stage: Stage, before: dict[int, float], token_id: int, token: str, logit: float, chosen: bool) -> dict[str, object]:
    """Return the row of a token."""
    was, now = before[token_id], stage.candidates[token_id]
    return {
        "label": label(token),
        "before": was,
        "after": now,
        "kind": "taken" if chosen else "removed" if now == 0 else "open",
        "number": numbers.percent(now) if now > 0 else _("excluded") if was > 0 else "–",
        "piece": token,
        "arithmetic": _arithmetic(stage, was, now, _growth(before, stage.candidates), logit),
    }


def _rest(stage: Stage, before: dict[int, float], listed: list[int]) -> dict[str, object]:
    """Return the row of all tokens that are not listed."""
    was, now = (max(0.0, 1 - sum(shares[i] for i in listed)) for shares in (before, stage.candidates))
    was, now = (share if share > 1e-6 else 0.0 for share in (was, now))
    number = numbers.percent(now)
    return {
        "label": EVERYTHING_ELSE,
        "before": was,
        "after": now,
        "kind": "rest",
        "number": number,
        "piece": EVERYTHING_ELSE,
        "arithmetic": "",
    }


def _logit(distribution: TokenDistribution, token_id: int) -> float:
    return float(distribution.logits[int(np.flatnonzero(distribution.token_ids == token_id)[0])])


def _growth(before: dict[int, float], after: dict[int, float]) -> float:
    """Return the factor by which a stage scales the tokens that it keeps."""
    best = max(after, key=lambda i: after[i])
    if after[best] == 0:  # only unlisted tokens are left
        return 1 / max(1 - sum(before.values()), 1e-9)
    return after[best] / before[best] if before[best] > 0 else 1.0


def _arithmetic(stage: Stage, was: float, now: float, grown: float, logit: float) -> str:
    """Return in one line how the stage computes the probability after from the one before."""
    if stage.name == "model":
        if not math.isfinite(logit):
            return numbers.percent(now)
        return _("e^{logit} ÷ the sum of e^logit over all tokens = {share}").format(
            logit=numbers.decimal(logit, 2), share=numbers.percent(now)
        )
    if now == 0:
        return _("{share} → excluded").format(share=numbers.percent(was)) if was > 0 else _("excluded before")
    was_text, now_text = numbers.percent(was), numbers.percent(now)
    if stage.name == "temperature" and stage.setting:
        log, scaled = math.log(was), math.log(was) / stage.setting
        return _("ln {was} = {log}; ÷ {temperature} = {scaled}; e^{scaled} ÷ the sum of these = {now}").format(
            was=was_text,
            log=numbers.decimal(log, 2),
            temperature=numbers.short(stage.setting),
            scaled=numbers.decimal(scaled, 2),
            now=now_text,
        )
    if stage.name == "repetition penalty":
        return _("{was} → {now}: the logits of tokens already used are divided by {penalty} (multiplied, below zero)").format(
            was=was_text, now=now_text, penalty=numbers.short(stage.setting or 1.0)
        )
    if not _excludes_only(stage):
        return _("{was} → {now}: the logits of some tokens change, then the softmax is computed again").format(was=was_text, now=now_text)
    return _("{was} ÷ {kept} (the kept tokens add up to {share}) = {now}").format(
        was=was_text, kept=numbers.decimal(1 / grown, 3), share=numbers.percent(1 / grown), now=now_text
    )


def _excludes_only(stage: Stage) -> bool:
    """Return whether the stage changes no logit of the tokens that it keeps."""
    return stage.name in STAGES and STAGES[stage.name].excludes_only


def _sentence(stage: Stage, earlier: Stage | None) -> str:
    """Return one sentence about what a stage did."""
    entropy = numbers.bits(stage.entropy)
    if earlier is None:
        return f"{numbers.tokens(stage.kept)} · {entropy}"
    removed = earlier.kept - stage.kept
    if removed > 0 and (_excludes_only(stage) or stage.name == "greedy"):
        grown = _growth(earlier.candidates, stage.candidates)
        return _("{left} of {all} tokens left · {share} of the probability excluded · {entropy}").format(
            left=numbers.whole(stage.kept), all=numbers.whole(earlier.kept), share=numbers.percent(max(0.0, 1 - 1 / grown)), entropy=entropy
        )
    if _excludes_only(stage):
        return _("excluded nothing here · {entropy}").format(entropy=entropy)
    moved = sum(abs(stage.candidates[i] - earlier.candidates[i]) for i in earlier.candidates) + abs(stage.rest - earlier.rest)
    return _("{share} of the probability moved · {entropy}").format(share=numbers.percent(moved / 2), entropy=entropy)
