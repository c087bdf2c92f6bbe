"""Read a text with the model's eyes: how likely every token of a given text was, and what could have stood there instead."""

from __future__ import annotations

import csv
import math

import streamlit as st

from core import ScoredText
from core.engine.model import LanguageModel
from pages.parts.charts import charts, inside_charts, inside_rows, scoring_rows
from pages.parts.components.scored_text.scored_text import reading_strip
from pages.parts.layout import frame, palette, results
from pages.parts.session import current
from pages.parts.session.provenance import Provenance
from pages.parts.text import inside_words, numbers

frame.page()

LONGEST = 200_000  # characters in the field
PROGRESS_FROM = 2_000  # characters; what is shorter is there before a bar could be drawn
PLACES = 4  # in the lists of the most surprising and the most certain


def field(label: str, key: str, start: str, height: int = 108) -> str:
    """A text to be read."""
    return st.text_area(
        label,
        value=start,
        key=key,
        height=height,
        max_chars=LONGEST,
        placeholder=inside_words.READ_HELP,
        label_visibility="collapsed",
        persist_state="session",
    )


def scored(model: LanguageModel, text: str) -> ScoredText:
    """The text read, with a bar for those that take a while."""
    if len(text) < PROGRESS_FROM:
        return scoring_rows.read(model, text)
    bar = st.progress(0.0)

    def tell(done: int, total: int) -> None:
        bar.progress(done / max(1, total), inside_words.READING.format(done=f"{done:,}", total=f"{total:,}"))

    result = scoring_rows.read(model, text, tell)
    bar.empty()
    return result


def sums(read: ScoredText) -> None:
    """Perplexity, loss, bits per byte, each beside what no model at all would reach; tokens."""
    blind = read.model.vocabulary_size
    with st.container(horizontal=True, gap="medium"):
        for label, value, beside, told in (
            (
                inside_words.PERPLEXITY,
                numbers.count(round(read.perplexity, 1)) if read.perplexity >= 100 else f"{read.perplexity:.1f}",
                inside_words.BLIND.format(number=f"{blind:,}"),
                inside_words.PERPLEXITY_HELP.format(count=f"{read.scored_count:,}", size=f"{blind:,}"),
            ),
            (inside_words.NLL, f"{read.nll:.2f}", inside_words.BLIND.format(number=f"{math.log(blind):.2f}"), inside_words.NLL_HELP),
            (
                inside_words.BITS,
                f"{read.bits_per_byte:.2f}",
                inside_words.UNPACKED,
                inside_words.BITS_HELP.format(
                    bits=f"{read.total_bits:,.0f}", bytes=f"{read.scored_bytes:,}", character=f"{read.bits_per_character:.2f}"
                ),
            ),
        ):
            st.metric(label, value, delta=beside, delta_color="off", delta_arrow="off", help=told, width="content")
    if read.perplexity > blind:
        st.caption(inside_words.WORSE_THAN_BLIND)
    st.caption(inside_words.COUNTED.format(count=f"{len(read.written):,}", scored=f"{read.scored_count:,}"), help=inside_words.COUNTED_HELP)


def legend(tint: str) -> None:
    """What the colours say."""
    colour = palette.as_data(palette.of(charts.theme()))[scoring_rows.INK]
    depths = scoring_rows.RANKS if tint == "rank" else (scoring_rows.PALEST, palette.DARKEST)
    told = inside_words.TINT_ENDS[tint]
    frame.legend(*((f"color-mix(in srgb, {colour} {depth:.0%}, transparent)", end) for depth, end in zip(depths, told, strict=True)))


def places(read: ScoredText) -> None:
    """The most surprising and the most certain places."""
    frame.section(inside_words.STRANGE)
    st.markdown("  \n".join(scoring_rows.place_lines(read.most_surprising(PLACES))))
    frame.section(inside_words.SURE)
    st.markdown("  \n".join(scoring_rows.place_lines(read.most_certain(PLACES))))


def text_itself(read: ScoredText, tint: str, key: str) -> None:
    """The words and the curve."""
    if read.note:
        st.caption(read.note)
    if len(read.written) > read.window:
        st.caption(inside_words.STRIDES.format(window=f"{read.window:,}", stride=f"{read.stride:,}"))
    count, part = scoring_rows.parts(read), 0
    if count > 1:
        part = st.select_slider(
            inside_words.PART,
            range(count),
            key=f"read_part_{key}",
            format_func=lambda i: inside_words.PART_NAME.format(
                first=f"{i * scoring_rows.ON_ONE_PAGE + 1:,}", last=f"{min((i + 1) * scoring_rows.ON_ONE_PAGE, len(read.written)):,}"
            ),
        )
    reading_strip(scoring_rows.words(read, tint, part), key=f"read_strip_{key}", alt_text=inside_words.STRIP_ALT)
    frame.section(inside_words.CURVE, inside_words.CURVE_TERM)
    curve = scoring_rows.curve_rows(read)
    charts.draw(inside_charts.curve, curve, key=f"read_curve_{key}", alt_text=inside_words.CURVE_ALT)
    if curve.cut.any():
        st.caption(inside_words.CURVE_CUT.format(most=inside_charts.MOST_BITS, highest=numbers.bits(float(curve.surprise.max()))))


def in_numbers(read: ScoredText, key: str) -> None:
    """The sums, the places, the file."""
    sums(read)
    places(read)
    st.download_button(
        inside_words.CSV,
        lambda: read.table().to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC),
        file_name="reading.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        key=f"read_csv_{key}",
    )


def shown(model: LanguageModel, text: str, tint: str, key: str, wide: bool) -> None:
    """One reading; wide: the numbers beside the words, not below."""
    with frame.error_boundary():
        read = scored(model, text)
        if not read.scored_count:
            frame.show_notice(inside_words.TOO_SHORT)
            return
        results.made(f"read_{key}", Provenance(model.name, text), [])
        left, right = st.columns([0.64, 0.36], gap="large") if wide else (st.container(), st.container())
        with left:
            text_itself(read, tint, key)
        with right:
            in_numbers(read, key)


def tints() -> str:
    """What the colours are to say, and what they say."""
    with st.container(horizontal=True, vertical_alignment="center"):
        tint = st.segmented_control(
            "Tint",
            list(inside_words.TINTS),
            default="rank",
            key="read_tint",
            format_func=inside_words.TINTS.__getitem__,
            help=inside_words.TINT_HELP,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
        legend(tint or "rank")
    return tint or "rank"


frame.header(inside_words.READ_TITLE, inside_words.READ_TERM, inside_words.READ_LEAD)
with frame.error_boundary():
    model, examples = current.model(), inside_words.READ_EXAMPLES
    first, second = list(examples.values())[:2]
    with st.container(horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            "Compare",
            list(inside_words.READ_MODES),
            default="one",
            key="read_mode",
            format_func=inside_words.READ_MODES.__getitem__,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
        for name, text in {**examples, inside_words.READ_OWN: current.run().text}.items():
            st.button(
                name,
                on_click=current.fill,
                args=("read_text", text),
                help=inside_rows.plain(text[:300]),
                key=f"read_example_{name}",
                type="tertiary",
            )
    if mode == "texts":
        left, right = st.columns(2, gap="large")
        with left:
            one = field(inside_words.READ_LABEL, "read_text", first)
        with right:
            other = field(inside_words.READ_SECOND, "read_second", second)
        tint = tints()
        left, right = st.columns(2, gap="large")
        with left:
            shown(model, one, tint, "one", wide=False)
        with right:
            shown(model, other, tint, "other", wide=False)
    elif mode == "models":
        text = field(inside_words.READ_LABEL, "read_text", first)
        tint = tints()
        others = [name for name in current.model_names() if name != model.name]
        left, right = st.columns(2, gap="large")
        if not others:
            frame.show_notice(inside_words.READ_ONE_MODEL)
        else:
            with right:
                name = st.selectbox(inside_words.READ_OTHER, others, key="read_other", label_visibility="collapsed")
                shown(current.model_named(name), text, tint, "other", wide=False)
        with left:
            st.selectbox("This model", [model.name], disabled=True, key="read_this", label_visibility="collapsed")
            shown(model, text, tint, "one", wide=False)
    else:
        text = field(inside_words.READ_LABEL, "read_text", first)
        shown(model, text, tints(), "one", wide=True)
