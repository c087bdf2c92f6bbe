"""Generated text tinted by probability, in one quiet paragraph, with a mark where it leaves another text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.language import _
from core.record.step import Step
from pages.ui.charts import charts, palette
from pages.ui.i18n import numbers

HERE = Path(__file__).parent

_WRITTEN = st.components.v2.component(
    "written_text",
    html='<p class="written"></p>',
    css=(HERE / "tinted_text.css").read_text("utf-8"),
    js=(HERE / "tinted_text.js").read_text("utf-8"),
)


def tinted_text(
    path: Sequence[Step], *, key: str, mark: int | None = None, label: str = "", small: bool = False, other: bool = False
) -> None:
    """Show what was written. mark: index of the first step that differs from a text beside it. other: in the second branch's colour."""
    _WRITTEN(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "words": [
                (
                    step.text or ("" if step.token_id in getattr(step.vocabulary, "end_token_ids", ()) else step.piece),
                    round(step.model_probability, 3),
                    _("{share} for the model, rank {rank}").format(
                        share=numbers.percent(step.model_probability), rank=numbers.whole(step.rank)
                    ),
                )
                for step in path
            ],
            "mark": -1 if mark is None else mark,
            "told": _("here it parts"),
            "label": label,
            "small": small,
            "other": other,
        },
    )
