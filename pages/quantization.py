"""Quantization: the same model at fewer bits a weight, beside itself: odds, texts, divergence, bytes; and which part hurts most."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.experiments.quantization import BITS, GROUP, PartDamage, Rounded, damage, own_text, quantize
from core.experiments.rounded_cache import RoundedCache, rounded_cache
from core.language import N_, _, figures, written
from pages.ui.charts import charts, palette, serving_charts
from pages.ui.charts.legend import legend
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame, prompt_field

frame.page()
BY_GROUP = N_("32 numbers")
NAME, PARTS, NOTEPAD = "quantization", "quantization_parts", "quantization_notepad"


def now() -> provenance.Provenance:
    """What a comparison would be made with."""
    return provenance.now({N_("the scale"): scale or "", N_("the head"): N_("The last layer too") if head else ""}, settings=False)


def now_parts() -> provenance.Provenance:
    """The same for one part at a time."""
    return provenance.now({N_("the bits"): N_("{count} bits").format(count=chosen or 4), N_("the scale"): scale or ""}, settings=False)


@current.error_boundary
def begin() -> None:
    """Round to each number of bits in turn."""
    current.anchor_notices(NAME)
    model, prompt, size, whole = current.model(), current.prompt(), group, head
    experiment.start(NAME, lambda: quantize(model, prompt, own_text(model, prompt), BITS, size, whole), now(), (prompt, size))


@current.error_boundary
def begin_parts() -> None:
    """Round one part alone at a time."""
    current.anchor_notices(PARTS)
    model, prompt, count, size = current.model(), current.prompt(), chosen or 4, group
    experiment.start(PARTS, lambda: damage(model, own_text(model, prompt), count, size), now_parts(), count)


def nats(value: float) -> str:
    """A divergence with two figures; below a hundred thousandth there is nothing to see."""
    return figures("< 0.00001") if value < 1e-5 else written(value, ".2g") if value >= 0.0001 else numbers.decimal(value, 5)


def beside(one: Rounded, prompt: str) -> None:
    """The odds after the prompt, and what both write."""
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("After the prompt"), _("full precision and {bits} bits").format(bits=one.bits))
        colours = palette.of(charts.theme())
        legend((colours.model, _("Full precision")), (colours.dice, _("{count} bits").format(count=one.bits)))
        rows = [
            {
                "place": place,
                "piece": piece,
                "full": full,
                "rounded": rounded,
                "end": max(full, rounded),
                "label": f"{numbers.percent(full)} · {numbers.percent(rounded)}",
            }
            for place, (piece, full, rounded) in enumerate(zip(one.pieces, one.full_odds, one.odds, strict=True))
        ]
        charts.draw(serving_charts.two_bars, pd.DataFrame(rows), key="quantization_bars", alt_text=_("After the prompt"), rows=len(rows))
    with right:
        elements.section(_("What it writes"), _("always the favourite"))
        st.caption(_("Full precision"))
        st.markdown(f":gray[{plain(prompt[-80:])}] {plain(one.full_written)}")
        st.caption(_("{count} bits").format(count=one.bits))
        st.markdown(f":gray[{plain(prompt[-80:])}] {plain(one.written)}")
        parted = one.first_difference
        st.caption(_("The same words, all of them.") if parted is None else _("They part at token {place}.").format(place=parted + 1))


def along(found: list[Rounded]) -> None:
    """All numbers of bits, along the same text."""
    elements.section(_("Along the text that the full model writes"), _("divergence, favourites, perplexity, bytes"))
    first, last = found[0], min(found, key=lambda one: one.bytes)
    told = [
        f"| {one.bits} | {numbers.size(one.bytes)} | {nats(one.mean_kl)} | {numbers.percent(one.top1_kept)} "
        f"| {numbers.decimal(one.perplexity, 2)} | {numbers.duration(one.seconds)} |"
        for one in found
    ]
    full = f"| {_('full precision')} | {numbers.size(first.full_bytes)} | 0 | 100 % | {numbers.decimal(first.full_perplexity, 2)} "
    full += f"| {numbers.duration(first.full_seconds)} |"
    st.markdown(
        "\n".join(
            [
                _("| bits a weight | size | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity | time to read it |"),
                "|---:|---:|---:|---:|---:|---:|",
                full,
                *told,
            ]
        )
    )
    st.caption(
        _(
            "{share} of the weights are rounded. Bytes are **computed** (codes and scales), everything "
            "else is **measured**. Memory shrinks, time does not: here the rounded numbers are written "
            "back as {dtype} and multiplied as before. A kernel made for them would fetch {bytes} "
            "instead of {full} for each word, so at best be {times} times as fast where fetching is all "
            "the work: **computed**, not measured."
        ).format(
            share=numbers.percent(first.rounded_share),
            dtype=current.model().dtype,
            bytes=numbers.size(last.bytes),
            full=numbers.size(last.full_bytes),
            times=numbers.decimal(last.full_bytes / last.bytes, 1),
        )
    )


def course() -> None:
    """All that moves."""
    with results.shown(NAME, now(), begin) as run:
        found: list[Rounded] = list(run.seen)
        if found:
            wanted = chosen if chosen in [one.bits for one in found] else found[-1].bits
            beside(next(one for one in found if one.bits == wanted), run.about[0])
            along(found)
        elif not run.running and not run.error:
            st.caption(_("Press the button: the model reads and writes the same text at 16, 8, 6, 4, 3 and 2 bits."))


def strip() -> None:
    """Every part alone, as a strip of heat."""
    with results.shown(PARTS, now_parts(), begin_parts) as run:
        found: list[PartDamage] = list(run.seen)
        if found:
            st.caption(_("one part at {bits} bits, all others in full").format(bits=run.about))
            rows = [
                {
                    "layer": _("head") if one.layer < 0 else str(one.layer + 1),
                    "part": one.name,
                    "damage": one.mean_kl,
                    "tip": _("{count} nats").format(count=written(one.mean_kl, ".2g")),
                }
                for one in found
            ]
            layers = len({one.layer for one in found})
            charts.draw(
                serving_charts.part_heat, pd.DataFrame(rows), key="quantization_heat", alt_text=_("Which part hurts most?"), layers=layers
            )
            st.caption(_("Mean divergence over the same text, nats; the stronger the colour, the worse."))


@current.error_boundary
def begin_notepad() -> None:
    """Read the same text with a smaller notepad."""
    current.anchor_notices(NOTEPAD)
    model, prompt = current.model(), current.prompt()
    experiment.start(NOTEPAD, lambda: rounded_cache(model, own_text(model, prompt)), now_notepad())


def now_notepad() -> provenance.Provenance:
    """What a smaller notepad would be tried with."""
    return provenance.now(settings=False)


def notepad() -> None:
    """Keys and values in fewer bits, along the text that the full model writes."""
    with results.shown(NOTEPAD, now_notepad(), begin_notepad) as run:
        found: list[RoundedCache] = list(run.seen)
        if not found:
            if not run.running and not run.error:
                st.caption(_("Press the button: the weights stay as they are, and keys and values are kept at 8 and at 4 bits."))
            return
        first = found[0]
        lines = [
            _("| bits a number | note\u00adpad | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity |"),
            "|---:|---:|---:|---:|---:|",
        ]
        perplexity = numbers.decimal(first.full_perplexity, 2)
        lines.append(f"| {_('full precision')} | {numbers.size(first.full_bytes)} | 0 | 100 % | {perplexity} |")
        for one in found:
            told = f"{nats(one.kl)} | {numbers.percent(one.kept)} | {numbers.decimal(one.perplexity, 2)}"
            lines.append(f"| {one.bits} | {numbers.size(one.bytes)} | {told} |")
        st.markdown("\n".join(lines))
        st.caption(
            _(
                "Along {count} tokens that the full model writes. Each key and value is rounded once, in "
                "groups of 32 with a scale and a lowest value of their own, and every piece looks at rounded "
                "ones only. Bytes of the rounded tensors are **measured**, the full ones **computed**."
            ).format(count=first.tokens)
        )


frame.header(
    _("The same thought in fewer bits"),
    _("quantization"),
    _(
        "Weights are numbers, and numbers can be written shorter. The same model, its weights "
        "rounded to fewer and fewer bits, on the same words: what changes in its odds, in its text, "
        "and in its size."
    ),
)
with elements.error_boundary():
    prompt_field.own_text()
    with st.container(horizontal=True, vertical_alignment="bottom", key="quantization_controls"):
        chosen = st.segmented_control(_("Bits"), BITS, default=4, key="quantization_bits", required=True, **PERSISTENT)
        scale = st.segmented_control(
            _("One scale for"),
            (N_("a row"), BY_GROUP),
            default=BY_GROUP,
            format_func=_,
            key="quantization_scale",
            help=_(
                "The weights of a row, or of 32 numbers of it, share a 16-bit scale; each becomes the "
                "nearest of evenly spaced steps (round to nearest)."
            ),
            required=True,
            **PERSISTENT,
        )
        group = GROUP if scale == BY_GROUP else None
        head = st.toggle(
            _("The last layer too"),
            key="quantization_head",
            help=_(
                "The head, which turns the last vector into odds; often kept as it is. Where it shares its "
                "table with the embeddings, both are rounded."
            ),
            **PERSISTENT,
        )
        state = experiment.of(NAME)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="quantization_stop")
        else:
            label = _("Once more") if state.seen else _("Round them")
            if st.button(label, type="primary", icon=":material/compress:", key="quantization_start"):
                begin()
                st.rerun()
    results.live(course, NAME, key="quantization_course")
    elements.section(_("Which part hurts most?"))
    st.button(_("Round one part at a time"), on_click=begin_parts, icon=":material/grid_on:", key="quantization_parts")
    results.live(strip, PARTS, key="quantization_strip")
    elements.section(_("And the notepad?"), _("KV cache at 8 and 4 bits"))
    st.button(_("Write the notepad smaller"), on_click=begin_notepad, icon=":material/note_stack:", key="quantization_notepad")
    results.live(notepad, NOTEPAD, key="quantization_notepad_course")
