"""KV cache gauge: how full the notepad is, in tokens of the context and bytes held."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.language import _
from core.record.step import Step, TokenDistribution
from pages.ui.charts import charts, palette
from pages.ui.i18n import numbers

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
    counts = {"tokens": numbers.whole(tokens), "each": numbers.whole(model.cache_bytes_per_token), "whole": numbers.whole(done.cache_bytes)}
    by_formula = done.cache_bytes == tokens * model.cache_bytes_per_token
    lines = [
        (
            _(
                "Assumed: {tokens} tokens × {each} bytes each = {whole} bytes. The server does not say how "
                "finely it writes its notes; with a smaller cache type it needs less."
            )
            if served
            else _("In use, computed: {tokens} tokens × {each} bytes each = {whole} bytes")
            if by_formula
            else _("In use: {whole} bytes, counted from the tensors")
        ).format(**counts)
    ]
    if done.held_bytes is not None:
        lines.append(
            _("Held, measured: {whole} bytes in the arrays, which have room for tokens to come").format(
                whole=numbers.whole(done.held_bytes)
            )
        )
    used = (
        _("{tokens} of {limit} tokens · assumed")
        if served
        else _("{tokens} of {limit} tokens")
        if done.held_bytes is None
        else _("{tokens} of {limit} tokens · {held} held")
    )
    return {
        "held": numbers.size(done.cache_bytes),
        "used": used.format(
            tokens=numbers.whole(tokens), limit=numbers.whole(model.context_length), held=numbers.size(done.held_bytes or 0)
        ),
        "share": tokens / model.context_length,
        "lines": [*lines, _("Every layer notes a key and a value for every token, so that only the newest one has to be worked out.")],
    }
