"""Quantization: the same model at fewer bits a weight, beside itself: odds, texts, divergence, bytes; and which part hurts most."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.labs.quantization import BITS, GROUP, PartDamage, Rounded, damage, own_text, quantize
from core.labs.rounded_cache import RoundedCache, rounded_cache
from pages.parts.charts import charts, serving_charts
from pages.parts.layout import frame, palette, prompt_field, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import bits_words, numbers
from pages.parts.text import serving_words as words
from pages.parts.text.plain import plain

frame.page()
NAME, PARTS, NOTEPAD = "quantization", "quantization_parts", "quantization_notepad"


def now() -> provenance.Provenance:
    """What a comparison would be made with."""
    return provenance.now({words.BY_SCALE: scale or "", words.BY_HEAD: words.ROUND_HEAD if head else ""}, settings=False)


def now_parts() -> provenance.Provenance:
    """The same for one part at a time."""
    return provenance.now({words.BY_BITS: f"{chosen or 4} {words.BITS.lower()}", words.BY_SCALE: scale or ""}, settings=False)


@current.error_boundary
def begin() -> None:
    """Round to each number of bits in turn."""
    current.at(NAME)
    model, prompt, size, whole = current.model(), current.prompt(), group, head
    experiment.start(NAME, lambda: quantize(model, prompt, own_text(model, prompt), BITS, size, whole), now(), (prompt, size))


@current.error_boundary
def begin_parts() -> None:
    """Round one part alone at a time."""
    current.at(PARTS)
    model, prompt, count, size = current.model(), current.prompt(), chosen or 4, group
    experiment.start(PARTS, lambda: damage(model, own_text(model, prompt), count, size), now_parts(), count)


def nats(value: float) -> str:
    """A divergence with two figures; below a hundred thousandth there is nothing to see."""
    return "< 0.00001" if value < 1e-5 else f"{value:.2g}" if value >= 0.0001 else f"{value:.5f}"


def beside(one: Rounded, prompt: str) -> None:
    """The odds after the prompt, and what both write."""
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.BARS, words.BARS_TERM.format(bits=one.bits))
        colours = palette.of(charts.theme())
        frame.legend((colours.model, words.FULL), (colours.dice, f"{one.bits} {words.BITS.lower()}"))
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
        charts.draw(serving_charts.two_bars, pd.DataFrame(rows), key="quantization_bars", alt_text=words.BARS, rows=len(rows))
    with right:
        frame.section(words.WRITES, words.WRITES_TERM)
        st.caption(words.FULL)
        st.markdown(f":gray[{plain(prompt[-80:])}] {plain(one.full_written)}")
        st.caption(f"{one.bits} {words.BITS.lower()}")
        st.markdown(f":gray[{plain(prompt[-80:])}] {plain(one.written)}")
        parted = one.first_difference
        st.caption(words.SAME_WORDS if parted is None else words.OTHER_WORDS.format(place=parted + 1))


def along(found: list[Rounded]) -> None:
    """All numbers of bits, along the same text."""
    frame.section(words.ALONG, words.ALONG_TERM)
    first, last = found[0], min(found, key=lambda one: one.bytes)
    told = [
        f"| {one.bits} | {numbers.size(one.bytes)} | {nats(one.mean_kl)} | {numbers.percent(one.top1_kept)} | {one.perplexity:,.2f} "
        f"| {numbers.duration(one.seconds)} |"
        for one in found
    ]
    full = f"| {words.FULL.lower()} | {numbers.size(first.full_bytes)} | 0 | 100 % | {first.full_perplexity:,.2f} "
    full += f"| {numbers.duration(first.full_seconds)} |"
    st.markdown("\n".join([words.ALONG_HEAD, "|---:|---:|---:|---:|---:|---:|", full, *told]))
    st.caption(
        words.ALONG_WHY.format(
            share=numbers.percent(first.rounded_share),
            dtype=current.model().dtype,
            bytes=numbers.size(last.bytes),
            full=numbers.size(last.full_bytes),
            times=f"{last.full_bytes / last.bytes:.1f}",
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
            st.caption(words.BITS_FIRST)


def strip() -> None:
    """Every part alone, as a strip of heat."""
    with results.shown(PARTS, now_parts(), begin_parts) as run:
        found: list[PartDamage] = list(run.seen)
        if found:
            st.caption(words.PARTS_TERM.format(bits=run.about))
            rows = [
                {
                    "layer": words.HEAD_NAME if one.layer < 0 else str(one.layer + 1),
                    "part": one.name,
                    "damage": one.mean_kl,
                    "tip": f"{one.mean_kl:.2g} nats",
                }
                for one in found
            ]
            layers = len({one.layer for one in found})
            charts.draw(serving_charts.part_heat, pd.DataFrame(rows), key="quantization_heat", alt_text=words.PARTS, layers=layers)
            st.caption(words.PARTS_CAPTION)


@current.error_boundary
def begin_notepad() -> None:
    """Read the same text with a smaller notepad."""
    current.at(NOTEPAD)
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
                st.caption(bits_words.NOTEPAD_FIRST)
            return
        first = found[0]
        lines = [bits_words.NOTEPAD_HEAD, "|---:|---:|---:|---:|---:|"]
        lines.append(f"| {words.FULL.lower()} | {numbers.size(first.full_bytes)} | 0 | 100 % | {first.full_perplexity:,.2f} |")
        for one in found:
            told = f"{nats(one.kl)} | {numbers.percent(one.kept)} | {one.perplexity:,.2f}"
            lines.append(f"| {one.bits} | {numbers.size(one.bytes)} | {told} |")
        st.markdown("\n".join(lines))
        st.caption(bits_words.NOTEPAD_WHY.format(count=first.tokens))


frame.header(words.BITS_TITLE, words.BITS_TERM, words.BITS_LEAD)
with frame.error_boundary():
    prompt_field.own_text()
    with st.container(horizontal=True, vertical_alignment="bottom", key="quantization_controls"):
        chosen = st.segmented_control(words.BITS, BITS, default=4, key="quantization_bits", required=True, **STAYS)
        scale = st.segmented_control(
            words.SCALE,
            (words.PER_ROW, words.PER_GROUP),
            default=words.PER_GROUP,
            key="quantization_scale",
            help=words.SCALE_HELP,
            required=True,
            **STAYS,
        )
        group = GROUP if scale == words.PER_GROUP else None
        head = st.toggle(words.ROUND_HEAD, key="quantization_head", help=words.ROUND_HEAD_HELP, **STAYS)
        state = experiment.of(NAME)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="quantization_stop")
        else:
            label = words.BITS_AGAIN if state.seen else words.BITS_START
            if st.button(label, type="primary", icon=":material/compress:", key="quantization_start"):
                begin()
                st.rerun()
    results.live(course, NAME, key="quantization_course")
    frame.section(words.PARTS)
    st.button(words.PARTS_START, on_click=begin_parts, icon=":material/grid_on:", key="quantization_parts")
    results.live(strip, PARTS, key="quantization_strip")
    frame.section(bits_words.NOTEPAD, bits_words.NOTEPAD_TERM)
    st.button(bits_words.NOTEPAD_START, on_click=begin_notepad, icon=":material/note_stack:", key="quantization_notepad")
    results.live(notepad, NOTEPAD, key="quantization_notepad_course")
