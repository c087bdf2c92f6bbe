"""The bundled model growing up: what it expected after the same beginnings at some moments of its training, and what it wrote."""

from __future__ import annotations

import math

import streamlit as st

from core import list_models
from core.engine.model import LanguageModel
from core.models.card import TRAINING_DATA, card_section
from core.models.growth import Growth, growth_of
from pages.parts.charts import charts, inside_charts, inside_rows
from pages.parts.layout import frame, palette, results
from pages.parts.session import current
from pages.parts.session.provenance import Provenance
from pages.parts.text import inside_words, numbers

frame.page()


def known() -> tuple[str, Growth] | None:
    """The model whose record is shown: the visitor's own, or the first that came with the app and has one."""
    for name in [current.model_name(), *(entry.name for entry in list_models())]:
        record = growth_of(name)
        if record:
            return name, record
    return None


@st.fragment
def guesses(record: Growth, model: LanguageModel, name: str) -> None:
    """One prompt, all moments."""
    with frame.error_boundary():
        asked = st.selectbox(
            inside_words.GROWING_ASKED,
            range(len(record.prompts)),
            format_func=lambda number: f"{' '.join(record.prompts[number].split())} …",
            index=1 if len(record.prompts) > 1 else 0,
            key="growing_prompt",
        )
        results.made("growing_guesses", Provenance(name, record.prompts[asked or 0]), [])
        charts.draw(
            inside_charts.lens,
            inside_rows.growth_rows(record.moments, asked or 0, model.piece),
            key="growing_lens",
            alt_text=inside_words.GROWING_ALT,
            layers=len(record.moments),
            guesses=inside_rows.GUESSES,
            more=inside_words.GROWING_TIPS,
        )
        st.caption(inside_words.GROWING_HOW)


@st.fragment
def wrote(record: Growth, model: LanguageModel, name: str) -> None:
    """One moment: what it wrote then."""
    with frame.error_boundary():
        number = st.select_slider(
            inside_words.GROWING_AGE,
            range(len(record.moments)),
            format_func=lambda at: inside_rows.read_so_far(record.moments[at].tokens),
            key="growing_age",
        )
        moment = record.moments[number]
        age = inside_rows.read_so_far(moment.tokens)
        results.made("growing_wrote", Provenance(name, chosen=((inside_words.GROWING_AGE, inside_words.GROWING_THEN.format(age=age)),)), [])
        with st.container(border=True, key="growing_sample"):
            st.markdown(inside_rows.plain(" ".join(moment.sample.split())))
        if moment.loss is not None:
            st.caption(
                inside_words.GROWING_SURPRISE.format(bits=numbers.bits(moment.loss / math.log(2))),
                help=inside_words.GROWING_SURPRISE_HELP.format(
                    size=f"{model.vocabulary_size:,}", chance=numbers.bits(math.log2(model.vocabulary_size))
                ),
            )


def falling(record: Growth, model: LanguageModel) -> None:
    """How wrong it was on average, moment by moment."""
    rows = inside_rows.loss_rows(record.moments)
    if rows.empty:
        return
    frame.section(inside_words.LOSS, inside_words.LOSS_TERM)
    colours = palette.of(charts.theme())
    held_out = bool((rows.kind == "held out").any())
    if held_out:
        frame.legend((colours.dice, inside_words.LOSS_LESSONS), (colours.other, inside_words.LOSS_HELD_OUT))
    charts.draw(inside_charts.loss, rows, key="growing_loss", alt_text=inside_words.LOSS_ALT)
    told = inside_words.LOSS_SAYS.format(blind=f"{math.log(model.vocabulary_size):.2f}", size=f"{model.vocabulary_size:,}")
    st.caption(told if held_out else f"{told} {inside_words.LOSS_NOT_HELD_OUT}")


def read_what(name: str) -> None:
    """Where its text came from, in the words of its own card."""
    said = card_section(name, TRAINING_DATA)
    if said:
        frame.section(inside_words.SOURCES, inside_words.SOURCES_TERM)
        with st.container(key="growing_sources"):
            st.caption(said)


with frame.error_boundary():
    found = known()
    if found is None:
        frame.header(inside_words.GROWING, inside_words.GROWING_TERM)
        frame.show_notice(inside_words.GROWING_NONE)
    else:
        name, record = found
        newest = record.moments[-1]
        lead = inside_words.GROWING_LEAD.format(
            name=name,
            read=numbers.count(newest.tokens),
            updates=f"{newest.step:,}",
            each=f"{round(record.guesses_per_update, -2):,}",
            count=len(record.moments),
        )
        frame.header(inside_words.GROWING, inside_words.GROWING_TERM, lead)
        if name != current.model_name():
            st.caption(inside_words.GROWING_OTHER.format(name=inside_rows.plain(current.model_name()), known=name))
        model = current.model_named(name)
        left, right = st.columns(inside_charts.LENS_AND_REST, gap="large")
        with left:
            frame.section(inside_words.GROWING_GUESSES, inside_words.GROWING_GUESSES_TERM)
            guesses(record, model, name)
        with right:
            frame.section(inside_words.GROWING_WROTE, inside_words.GROWING_WROTE_TERM)
            wrote(record, model, name)
        left, right = st.columns(inside_charts.LENS_AND_REST, gap="large")
        with left:
            falling(record, model)
        with right:
            read_what(name)
