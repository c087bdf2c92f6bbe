"""KV cache gauge: how full the notepad is, in tokens of the context and bytes held."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.record.step import Step, TokenDistribution
from pages.parts.charts import charts
from pages.parts.layout import palette
from pages.parts.text import numbers, words

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.generation.replay import RecordedModel

HERE = Path(__file__).parent

_GAUGE = st.components.v2.component(
    "notepad_gauge",
    html='<div class="gauge"><div class="row"><span class="held"></span><span class="used"></span></div>'
    '<div class="bar"><div class="full"></div></div><div class="card" hidden></div></div>',
    css=(HERE / "cache_gauge.css").read_text("utf-8"),
    js=(HERE / "cache_gauge.js").read_text("utf-8"),
)


def gauge(distribution: TokenDistribution | Step, model: LanguageModel | RecordedModel, *, key: str) -> None:
    """Bytes in use and tokens held after the forward pass of this step; on hover the formula beside the measured bytes."""
    _GAUGE(key=key, data={"colours": palette.as_data(palette.of(charts.theme())), **told(distribution, model)})


def told(distribution: TokenDistribution | Step, model: LanguageModel | RecordedModel) -> dict[str, Any]:
    """What it says: `held` (bytes in use), `used` (tokens, and what the arrays take), `share` of the context, `lines` of the card."""
    tokens, done = distribution.position, distribution.forward
    served = distribution.top_logprobs_count > 0
    counts = {"tokens": f"{tokens:,}", "each": f"{model.cache_bytes_per_token:,}", "whole": f"{done.cache_bytes:,}"}
    by_formula = done.cache_bytes == tokens * model.cache_bytes_per_token
    lines = [(words.HELD_ASSUMED if served else words.HELD_COMPUTED if by_formula else words.HELD_COUNTED).format(**counts)]
    if done.held_bytes is not None:
        lines.append(words.HELD_MEASURED.format(whole=f"{done.held_bytes:,}"))
    used = words.USED_ASSUMED if served else words.USED if done.held_bytes is None else words.USED_HOLDING
    return {
        "held": numbers.size(done.cache_bytes),
        "used": used.format(tokens=f"{tokens:,}", limit=f"{model.context_length:,}", held=numbers.size(done.held_bytes or 0)),
        "share": tokens / model.context_length,
        "lines": [*lines, words.HELD_WHY],
    }
