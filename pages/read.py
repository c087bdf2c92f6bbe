"""Read a text with the model's eyes: how likely every token of a given text was, and what could have stood there instead."""

from __future__ import annotations

import math

import streamlit as st

from core import ScoredText
from core.engine.model import LanguageModel
from core.language import N_, _
from core.record.tables import csv_text
from pages.ui.charts import charts, inside_charts, inside_rows, palette, scoring_rows
from pages.ui.charts.legend import legend
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.experiments import results
from pages.ui.i18n import example_texts, numbers
from pages.ui.session import current, elements
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame

frame.page()

MODES = {
    "one": _("One text"),
    "texts": _("Two texts"),
    "models": _("Two models"),
}
TINTS = {
    "rank": _("Its place"),
    "probability": _("How likely"),
    "entropy": _("How unsure"),
}
TINT_ENDS = {
    "rank": (
        _("its favourite"),
        _("in its top 10"),
        _("in its top 100"),
        _("further down"),
    ),
    "probability": (
        _("likely"),
        _("unlikely"),
    ),
    "entropy": (
        _("sure before it"),
        _("unsure before it"),
    ),
}

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
        placeholder=_("Paste or write a text, then press Ctrl + Enter."),
        label_visibility="collapsed",
        persist_state="session",
    )


def scored(model: LanguageModel, text: str) -> ScoredText:
    """The text read, with a bar for those that take a while."""
    if len(text) < PROGRESS_FROM:
        return scoring_rows.scored(model, text)
    bar = st.progress(0.0)

    def tell(done: int, total: int) -> None:
        bar.progress(
            done / max(1, total), _("Reading: {done} of {total} pieces").format(done=numbers.whole(done), total=numbers.whole(total))
        )

    result = scoring_rows.scored(model, text, tell)
    bar.empty()
    return result


def sums(read: ScoredText) -> None:
    """Perplexity, loss, bits per byte, each beside what no model at all would reach; tokens."""
    blind = read.model.vocabulary_size
    with st.container(horizontal=True, gap="medium"):
        for label, value, beside, told in (
            (
                _("Perplexity"),
                numbers.perplexity(read.perplexity),
                _("blind guessing: {number}").format(number=numbers.whole(blind)),
                _(
                    "exp(−(ln p₁ + … + ln pₙ) / n) over the {count} scored pieces: the number of equal choices "
                    "that would leave it as unsure. Whoever knows nothing chooses among all {size} pieces. "
                    "Perplexities compare only between models that cut the text into the same pieces."
                ).format(count=numbers.whole(read.scored_count), size=numbers.whole(blind)),
            ),
            (
                _("Loss, nats"),
                numbers.decimal(read.nll, 2),
                _("blind guessing: {number}").format(number=numbers.decimal(math.log(blind), 2)),
                _(
                    "Negative log-likelihood: the mean of −ln p over the scored pieces, which training makes "
                    "small. Perplexity is e to this power."
                ),
            ),
            (
                _("Bits per byte"),
                numbers.decimal(read.bits_per_byte, 2),
                _("unpacked: 8"),
                _(
                    "{bits} bits of surprise in all, divided by {bytes} bytes: what the text would take up if "
                    "this model packed it ({character} bits per character). This compares fairly between any two "
                    "models."
                ).format(
                    bits=numbers.whole(read.total_bits),
                    bytes=numbers.whole(read.scored_bytes),
                    character=numbers.decimal(read.bits_per_character, 2),
                ),
            ),
        ):
            st.metric(label, value, delta=beside, delta_color="off", delta_arrow="off", help=told, width="content")
    if read.perplexity > blind:
        st.caption(_("Worse than blind guessing: it was sure of other things, and wrong."))
    st.caption(
        _("{count} pieces, {scored} of them scored").format(
            count=numbers.whole(len(read.written)), scored=numbers.whole(read.scored_count)
        ),
        help=_("The first piece has nothing before it, so there was nothing to guess it from."),
    )


def tint_legend(tint: str) -> None:
    """What the colours say."""
    colour = palette.as_data(palette.of(charts.theme()))[scoring_rows.INK]
    depths = scoring_rows.RANKS if tint == "rank" else (scoring_rows.PALEST, palette.DARKEST)
    told = TINT_ENDS[tint]
    legend(*((f"color-mix(in srgb, {colour} {depth:.0%}, transparent)", end) for depth, end in zip(depths, told, strict=True)))


def places(read: ScoredText) -> None:
    """The most surprising and the most certain places."""
    elements.section(_("Most surprising"))
    st.markdown("  \n".join(scoring_rows.place_lines(read.most_surprising(PLACES))))
    elements.section(_("Most certain"))
    st.markdown("  \n".join(scoring_rows.place_lines(read.most_certain(PLACES))))


def text_itself(read: ScoredText, tint: str, key: str) -> None:
    """The words and the curve."""
    if read.note:
        st.caption(_(read.note))
    if len(read.written) > read.window:
        st.caption(
            _("Longer than the {window} pieces this model can hold: read in windows that move on by {stride}.").format(
                window=numbers.whole(read.window), stride=numbers.whole(read.stride)
            )
        )
    count, part = scoring_rows.page_count(read), 0
    if count > 1:
        part = st.select_slider(
            _("Part of the text"),
            range(count),
            key=f"read_part_{key}",
            format_func=lambda i: _("pieces {first} to {last}").format(
                first=numbers.whole(i * scoring_rows.ON_ONE_PAGE + 1),
                last=numbers.whole(min((i + 1) * scoring_rows.ON_ONE_PAGE, len(read.written))),
            ),
        )
    scored_text(
        scoring_rows.scored_words(read, tint, part),
        key=f"read_strip_{key}",
        alt_text=_("The text, token by token, tinted by what the model expected."),
    )
    elements.section(_("Where was it surprised?"), _("surprise along the text, bits"))
    curve = scoring_rows.curve_rows(read)
    charts.draw(inside_charts.curve, curve, key=f"read_curve_{key}", alt_text=_("Surprise of every token along the text in bits."))
    if curve.cut.any():
        st.caption(
            _("↑ Bars are cut at {most} bits; the highest stands for {highest}.").format(
                most=inside_charts.MOST_BITS, highest=numbers.bits(float(curve.surprise.max()))
            )
        )


def in_numbers(read: ScoredText, key: str) -> None:
    """The sums, the places, the file."""
    sums(read)
    places(read)
    st.download_button(
        _("Save as CSV"),
        lambda: csv_text(read.table()),
        file_name="reading.csv",
        mime="text/csv",
        icon=":material/download:",
        type="tertiary",
        key=f"read_csv_{key}",
    )


def shown(model: LanguageModel, text: str, tint: str, key: str, wide: bool) -> None:
    """One reading; wide: the numbers beside the words, not below."""
    with elements.error_boundary():
        read = scored(model, text)
        if not read.scored_count:
            elements.show_notice(_("One piece alone cannot be scored: there is nothing before it to guess from. Write a little more."))
            return
        results.provenance_line(f"read_{key}", Provenance(model.name, text), [])
        left, right = st.columns([0.64, 0.36], gap="large") if wide else (st.container(), st.container())
        with left:
            text_itself(read, tint, key)
        with right:
            in_numbers(read, key)


def tints() -> str:
    """What the colours are to say, and what they say."""
    with st.container(horizontal=True, vertical_alignment="center"):
        tint = st.segmented_control(
            _("Tint"),
            list(TINTS),
            default="rank",
            key="read_tint",
            format_func=TINTS.__getitem__,
            help=_(
                "What the colour says: the place of each piece in the model's order, its probability, or how "
                "unsure the model was before it. Darker always means: less expected."
            ),
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
        tint_legend(tint or "rank")
    return tint or "rank"


frame.header(
    _("Read a text with the model's eyes"),
    _("forced scoring"),
    _("The model writes nothing here. At every piece of a given text it says what it expected, and how surprised it is."),
)
with elements.error_boundary():
    model, examples = current.model(), example_texts.TO_READ
    first, second = list(examples.values())[:2]
    with st.container(horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            _("Compare"),
            list(MODES),
            default="one",
            key="read_mode",
            format_func=MODES.__getitem__,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
        for name, text in {**examples, N_("What it wrote"): current.run().text}.items():
            st.button(
                _(name),
                on_click=current.fill,
                args=("read_text", text),
                help=inside_rows.plain(text[:300]),
                key=f"read_example_{name}",
                type="tertiary",
            )
    if mode == "texts":
        left, right = st.columns(2, gap="large")
        with left:
            one = field(_("The text to be read"), "read_text", first)
        with right:
            other = field(_("The text beside it"), "read_second", second)
        tint = tints()
        left, right = st.columns(2, gap="large")
        with left:
            shown(model, one, tint, "one", wide=False)
        with right:
            shown(model, other, tint, "other", wide=False)
    elif mode == "models":
        text = field(_("The text to be read"), "read_text", first)
        tint = tints()
        others = [name for name in current.model_names() if name != model.name]
        left, right = st.columns(2, gap="large")
        if not others:
            elements.show_notice(_("There is only one model here. Add another one under Models, or compare two texts."))
        else:
            with right:
                name = st.selectbox(_("The other model"), others, key="read_other", label_visibility="collapsed")
                shown(current.model_named(name), text, tint, "other", wide=False)
        with left:
            st.selectbox(_("This model"), [model.name], disabled=True, key="read_this", label_visibility="collapsed")
            shown(model, text, tint, "one", wide=False)
    else:
        text = field(_("The text to be read"), "read_text", first)
        shown(model, text, tints(), "one", wide=True)
