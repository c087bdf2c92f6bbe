"""What stands below the bars: what a constraint did to the step, and what the steps cost (KV cache, time, surprise, receipt)."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import Generation
from core.record.step import Step, TokenDistribution
from core.record.step_rows import Constrained, constrained
from pages.ui.charts import run_charts, step_tables
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, quoted
from pages.ui.session import elements
from pages.ui.views import cache_text, chart, receipt


def constraint_line(seen: TokenDistribution) -> None:
    """Draw the line; nothing without a constraint."""
    done = constrained(seen)
    if done is not None:
        st.caption(plain(sentence(done)))


def sentence(done: Constrained) -> str:
    """Return what the constraint does not allow, what the model wanted, and whether one token alone is left."""
    share = numbers.chance(done.excluded)
    sentences = [
        _("The constraint excludes at least {share} of the probability.").format(share=share)
        if done.at_least
        else _("The constraint excludes {share} of the probability.").format(share=share)
    ]
    if done.wanted is not None:
        token, model = quoted(done.wanted.piece), numbers.chance(done.wanted.model_probability)
        sentences.append(_("The model's likeliest token, {piece} ({share}), is not allowed.").format(piece=token, share=model))
    if done.allowed == 1:
        sentences.append(_("One token alone is allowed, so it is forced."))
    return " ".join(sentences)


@dataclass(frozen=True, slots=True)
class Places:
    """The places of the charts, where every step redraws them."""

    cache: DeltaGenerator
    times: DeltaGenerator
    surprise: DeltaGenerator
    receipt: DeltaGenerator | None


def places(receipt: bool) -> Places:
    """Draw the headings, and return the places below them. receipt: whether the receipt has a place."""
    elements.section(_("The notepad"), _("KV cache"))
    cache = st.container(gap="xsmall", key="notepad")
    forward = _("The bar of a step is the measured time of its forward pass. The first pass reads the whole prompt.")
    elements.section(_("How long did it take?"), _("ms per step"), help=forward)
    times = st.container(key="pace")
    bits = _(
        "Line: the model's entropy before each token (0 bits is certain, 1 bit a fair coin, 3 bits eight equal choices). "
        "Dots: the surprise of the chosen token."
    )
    elements.section(_("How sure was it?"), _("entropy and surprise, bits"), help=bits)
    surprise = st.container(key="surprise")
    return Places(cache, times, surprise, st.container(gap="xsmall", key="bill") if receipt else None)


def draw(where: Places, run: Generation, seen: TokenDistribution | Step) -> None:
    """Draw the charts of this run."""
    path = run.path
    steps = step_tables.step_rows(path)
    with where.cache:
        cache_text.gauge(seen, run.model, key="gauge")
        alt_text = _("One bar per token: positions reused from the cache and positions newly computed.")
        chart.draw(run_charts.notepad, step_tables.notepad_rows(path), key="notepad_chart", title=_("The notepad"), alt_text=alt_text)
    with where.times:
        chart.draw(run_charts.step_time, steps, key="pace_chart", title=_("How long did it take?"), alt_text=_("Milliseconds per token."))
    with where.surprise:
        alt_text = _("Line: the entropy before each token, in bits. Dots: the surprise of the chosen token.")
        chart.draw(run_charts.surprise, steps, key="surprise_chart", title=_("How sure was it?"), alt_text=alt_text)
    if where.receipt is not None:
        with where.receipt:
            receipt.slip(path, run.model)
