"""The rows of the bars of a step: how many are listed, the line of the rest, and what is written beside each bar."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

import pyarrow as pa

from core.record import step_rows as record_rows
from core.record.step import Candidate, Step, TokenDistribution
from core.record.step_rows import StepRow, StepRows, constrained
from core.reports.live_view.texts import STEP
from core.sampling.observation import RED
from pages.ui.charts.step_tables import arrow_table, columns
from pages.ui.i18n import numbers, phrases
from pages.ui.i18n.translation import _

FEWEST, MOST, USUAL = record_rows.FEWEST, 50, 8
FOLDED = -2  # key of the line for folded candidates
LONG = 0.75  # probability from which a bar leaves no space for a note
DISTRIBUTION = columns(
    "space label number note kind piece id_text rank_text model_text dice_text logit_text removed_by",
    values="model dice logit",
    counts="row step token_id rank",
)
_NO_TEXTS = {column.name: "" for column in DISTRIBUTION if column.type == pa.string()}


def distribution_rows(distribution: TokenDistribution | Step, count: int = USUAL, folded: bool = True) -> pa.Table:
    """Return `count` candidates, the model's likeliest, and one row for all other tokens, with the columns of `DISTRIBUTION`.

    Under a constraint, the tokens that it allows come first, then the model's likeliest among the excluded ones.

    All numbers are probabilities after the settings, so that they add up to 100 %. The card of a row holds the model's probability.
    There are always count + 1 rows: a chosen token with a higher rank takes the last place. folded: unlikely excluded candidates at the
    end share one line, and empty rows take their places.
    """
    rows = [{**row, **_card(row)} for row in bars(distribution, count, folded)]
    rows += map(_empty, range(len(rows), count + 1))
    return arrow_table(({**row, "step": distribution.index} for row in rows), DISTRIBUTION)


def bars(distribution: TokenDistribution | Step, count: int = USUAL, folded: bool = True) -> list[dict[str, object]]:
    """Return the rows of `distribution_rows` as dicts, without the texts of their cards. Empty rows are left out at the end.

    id: of the token, None for a token that has none and for the rest.
    """
    drawn = record_rows.step_rows(distribution, count, "folded" if folded else "shown")
    constraint = constrained(distribution)
    forced = constraint is not None and constraint.allowed == 1
    marked = "watermark" in distribution.stage_names
    rows = [_row(index, row, forced, marked) for index, row in enumerate(drawn.listed)]
    excluded = distribution.stage_kept[0] - distribution.stage_kept[-1] - sum(bool(row.excluded_by) for row in drawn.listed)
    others = {**_empty(len(rows)), **_others(drawn, excluded), "token_id": FOLDED if folded else -1}
    return rows + ([others] if drawn.folded else [*map(_empty, range(len(rows), count)), {**others, "row": count}])


def _others(drawn: StepRows, excluded: int) -> dict[str, object]:
    """Return the row of all tokens without a row. excluded: how many of them are excluded."""
    rest, folds = drawn.rest, drawn.folded > 0
    model, final = rest.lengths
    gone = final == 0 and model > 0
    share = numbers.chance(rest.final)
    return {
        "label": _(STEP["others"] if folds and gone else STEP["rest"]),
        "model": model,
        "dice": final,
        "number": share,
        "note": " · ".join([_(STEP["excluded"])] * gone + [_(STEP["open"])] * folds),
        "kind": rest.kind,
        "piece": _(STEP["many_excluded"]).format(count=numbers.whole(excluded)) if gone else _(STEP["rest"]),
        "model_text": numbers.chance(rest.model),
        "dice_text": share,
    }


def _row(index: int, row: StepRow, forced: bool, marked: bool) -> dict[str, object]:
    """Return the row of a candidate. forced: the constraint allows one token alone. marked: its fact is what the watermark says of it."""
    candidate = cast("Candidate", row.candidate)
    removed, label = bool(row.excluded_by), row.label
    model, final = row.lengths
    number = share = numbers.chance(row.final)
    reason = phrases.stages(row.excluded_by) or "–"
    notes = [_(STEP["excluded_by"]).format(stage=reason)] if removed else []
    if marked and candidate.fact not in ("", RED):
        notes.insert(0, f"● {_(candidate.fact)}")
    if not candidate.rank:
        notes.append(_("not measured"))
    elif candidate.rank != index + 1:
        notes.append(_(STEP["rank"]).format(rank=numbers.whole(candidate.rank)))
    if max(model, final) > LONG:  # no space for a note beside the bar; the card has the rest
        number, notes = _(STEP["excluded"]) if removed else _("forced") if forced else number, []
    return {
        "row": index,
        "token_id": row.key,
        "space": "␣" if label != row.piece else "",
        "label": label,
        "model": model,
        "dice": final,
        "number": number,
        "note": " · ".join(notes),
        "kind": "chosen" if row.chosen else row.kind,
        "piece": row.piece,
        "id": candidate.token_id,
        "model_text": f"{numbers.chance(row.model)} · {_(candidate.fact)}" if candidate.fact else numbers.chance(row.model),
        "dice_text": share,
        "rank": candidate.rank or None,
        "logit": candidate.logit if math.isfinite(candidate.logit) else None,
        "removed_by": reason,
    }


def _card(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of a candidate's card; of no other row."""
    if not row["removed_by"]:
        return {}
    return {
        "id_text": "–" if row["id"] is None else str(row["id"]),
        "rank_text": "–" if row["rank"] is None else numbers.whole(row["rank"]),
        "logit_text": "–" if row["logit"] is None else numbers.decimal(row["logit"], 2),
    }


def _empty(index: int) -> dict[str, object]:
    return {**_NO_TEXTS, "row": index, "token_id": -1, "id": None, "rank": None, "logit": None, "model": 0.0, "dice": 0.0, "kind": "open"}
