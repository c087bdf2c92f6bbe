"""What the gauge of the KV cache says after a forward pass: bytes in use, tokens, the share of the context, and the formula."""

from __future__ import annotations

from dataclasses import dataclass

from core.record.step import Step, TokenDistribution
from core.reports.live_view.texts import STEP
from core.sources.source import Source
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _


@dataclass(frozen=True, slots=True)
class Gauge:
    """The gauge in words. used: bytes in use; filled: tokens, and bytes of the arrays; share: of the context; details: the formula."""

    used: str
    filled: str
    share: float
    details: tuple[str, ...]


def reading(distribution: TokenDistribution | Step, model: Source) -> Gauge:
    """Return what the gauge shows."""
    tokens, forward = distribution.position, distribution.forward
    if not forward.counted or not model.context_length:
        why = _("A saved answer does not say which tokens the server kept, and not every server reports it.")
        return Gauge(
            used=_("not reported by the server") if distribution.forward.has_facts else _("not in this file"),
            filled="",
            share=0.0,
            details=(why,),
        )
    served = distribution.top_logprobs_count > 0
    counts = {
        "tokens": numbers.whole(tokens),
        "each": numbers.whole(model.cache_bytes_per_token),
        "whole": numbers.whole(forward.cache_bytes),
    }
    if served:
        used = _(
            "Assumed: {tokens} tokens × {each} bytes each = {whole} bytes. The server does not report the precision of its cache. "
            "A cache of lower precision needs less."
        )
        filled = _("{tokens} of {limit} tokens · assumed")
    else:
        by_formula = forward.cache_bytes == tokens * model.cache_bytes_per_token
        used = _(STEP["in_use"]) if by_formula else _("In use: {whole} bytes, counted from the tensors")
        filled = _(STEP["of_tokens"]) if forward.held_bytes is None else _("{tokens} of {limit} tokens · {held} held")
    details = [used.format(**counts)]
    if forward.held_bytes is not None:
        held = _("Held, measured: {whole} bytes in the arrays, which have room for later tokens")
        details.append(held.format(whole=numbers.whole(forward.held_bytes)))
    return Gauge(
        used=numbers.size(forward.cache_bytes),
        filled=filled.format(
            tokens=numbers.whole(tokens), limit=numbers.whole(model.context_length), held=numbers.size(forward.held_bytes or 0)
        ),
        share=tokens / model.context_length,
        details=(*details, _(STEP["notepad"])),
    )
