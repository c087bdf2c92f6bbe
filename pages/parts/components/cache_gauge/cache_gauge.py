"""KV cache gauge: how full the notepad is, in tokens of the context and bytes held."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

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
    """Bytes held and tokens used after the forward pass of this step; on hover the formula beside the measured bytes."""
    tokens = distribution.position
    computed = tokens * model.cache_bytes_per_token
    _GAUGE(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "held": numbers.size(distribution.forward.cache_bytes),
            "used": words.USED.format(tokens=f"{tokens:,}", limit=f"{model.context_length:,}"),
            "share": tokens / model.context_length,
            "lines": [
                words.HELD_COMPUTED.format(tokens=f"{tokens:,}", each=f"{model.cache_bytes_per_token:,}", whole=f"{computed:,}"),
                words.HELD_MEASURED.format(whole=f"{distribution.forward.cache_bytes:,}"),
                words.HELD_WHY,
            ],
        },
    )
