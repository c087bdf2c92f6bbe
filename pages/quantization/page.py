"""Quantization: the same model with fewer bits per weight: probabilities, text, divergence, bytes; and the damage of each part."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from core.experiments.quantization.rounded_weights import BITS, Rounded, damage, quantize
from core.experiments.shared.network_copy import GROUP
from core.experiments.shared.own_text import along_own_text
from pages.quantization import SCALES, parts_view, versions_view
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame, prompt_field

frame.page()
NAME, PARTS = "quantization", "quantization_parts"


def after_the_prompt(rounding: Rounded, prompt: str) -> None:
    """Draw the probabilities after the prompt, and what both models write."""
    before = f":gray[{plain(prompt[-80:])}]"
    full = (_("Full precision"), rounding.full_probabilities, f"{before} {plain(rounding.full_written)}")
    rounded = (_("{count} bits").format(count=rounding.bits), rounding.probabilities, f"{before} {plain(rounding.written)}")
    term = _("full precision and {bits} bits").format(bits=rounding.bits)
    versions_view.after_the_prompt(term, rounding.pieces, (full, rounded), rounding.first_difference, key="quantization_bars")


def along_the_text(roundings: list[Rounded]) -> None:
    """Draw all numbers of bits, measured along the same text."""
    elements.section(_("Along the text that the full model writes"), _("divergence, likeliest tokens, perplexity, bytes"))
    first, last = roundings[0], min(roundings, key=lambda rounding: rounding.bytes)
    head = (
        _("bits per weight"),
        _("size"),
        _("diver\u00adgence (KL, nats)"),
        _("same likeliest token"),
        _("perplex\u00adity"),
        _("time to read it"),
    )
    full = (numbers.size(first.full_bytes), "0", numbers.percent(1.0), numbers.decimal(first.full_perplexity, 2))
    rows = [(_("full precision"), *full, numbers.duration(first.full_seconds))]
    for rounding in roundings:
        measured = (numbers.nats(rounding.mean_kl), numbers.percent(rounding.top1_kept), numbers.decimal(rounding.perplexity, 2))
        rows.append((str(rounding.bits), numbers.size(rounding.bytes), *measured, numbers.duration(rounding.seconds)))
    elements.table(head, rows)
    st.caption(
        _(
            "{share} of the weights are rounded. Bytes are **computed** (codes, scales and zero points), everything else is **measured**. "
            "The time does not shrink, because the rounded weights are stored as {dtype} here. A kernel for {bytes} instead of {full} "
            "could be at most {times} times as fast (**computed**), if reading the weights takes all the time."
        ).format(
            share=numbers.percent(first.rounded_share),
            dtype=current.model().dtype,
            bytes=numbers.size(last.bytes),
            full=numbers.size(last.full_bytes),
            times=numbers.decimal(last.full_bytes / last.bytes, 1),
        )
    )


frame.header(
    _("The same model in fewer bits"),
    _("quantization"),
    _("Weights are numbers, and numbers can be stored with fewer bits. What changes in the probabilities, in the text and in the size?"),
)
with drawing_boundary():
    prompt_field.own_text()
    with st.container(horizontal=True, vertical_alignment="bottom", key="quantization_controls"):
        bits = elements.choice(_("Bits"), BITS, 4, "quantization_bits")
        shared = _(
            "The weights of a row, or 32 weights of it, share a 16-bit scale and a zero point. "
            "Each weight becomes the nearest of evenly spaced values: four with 2 bits."
        )
        scale = elements.choice(
            _("One scale for"), list(SCALES), "group", "quantization_scale", format_func=said(SCALES).__getitem__, help=shared
        )
        last = _("The head turns the last vector into probabilities. If it shares its table with the embeddings, both are rounded.")
        head = st.toggle(_("Quantize the output head too"), key="quantization_head", help=last, **PERSISTENT)
        group = GROUP if scale == "group" else None
        now = provenance.now(scale=scale, head=head or None, settings=False)

        def quantized() -> Iterator[Any]:
            model, prompt = current.model(), current.prompt()
            return along_own_text(lambda _model, text: quantize(model, prompt, text, BITS, group, head), model, prompt)

        begin = results.starter(NAME, now, quantized, lambda: (current.prompt(), group))
        results.start_button(NAME, _("Quantize"), begin, type="primary", icon=":material/compress:")

    def draw(run: Experiment) -> None:
        along_the_text(list(run.observations))
        with st.container(key="detail_quantization"):
            after_the_prompt(next((rounding for rounding in run.observations if rounding.bits == bits), run.observations[-1]), run.about[0])

    results.part(NAME, now, begin, draw, _("Press the button: the model reads and writes the same text with 16, 8, 6, 4, 3 and 2 bits."))
    elements.section(_("Which part changes the probabilities most?"))
    now = provenance.now(bits=bits, scale=scale, settings=False)
    begin = results.starter(PARTS, now, lambda: along_own_text(damage, current.model(), current.prompt(), bits, group), bits)
    results.start_button(PARTS, _("Quantize one part at a time"), begin, icon=":material/grid_on:")
    results.part(PARTS, now, begin, parts_view.draw)
    versions_view.versions()
