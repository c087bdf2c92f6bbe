"""What Read a text draws: the tinted text, the surprise along it, perplexity and its neighbours, and a CSV file."""

from __future__ import annotations

import math

import streamlit as st

from core import ScoredText
from core.record.csv_text import csv_text
from pages.read import scoring_rows, surprise_chart
from pages.ui.components.scored_text.scored_text import scored_text
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import elements
from pages.ui.views import chart

PLACES = 4  # in the lists of the most surprising and the most certain tokens


def text_and_curve(score: ScoredText, tint: str, key: str) -> None:
    """Draw the tinted text and the surprise along it."""
    count, length = scoring_rows.page_count(score), len(score.written)
    if score.note:
        st.caption(_(score.note))
    if length > score.window:
        windows = _("Longer than the model's context of {window} tokens, so it was read in windows that advance by {stride} tokens.")
        st.caption(windows.format(window=numbers.whole(score.window), stride=numbers.whole(score.stride)))
    part = 0
    if count > 1:
        page, title = scoring_rows.ON_ONE_PAGE, _("tokens {first} to {last}")

        def part_title(index: int) -> str:
            return title.format(first=numbers.whole(index * page + 1), last=numbers.whole(min((index + 1) * page, length)))

        part = st.select_slider(_("Part of the text"), range(count), key=f"read_part_{key}", format_func=part_title)
    alt_text = _("The text, token by token, tinted by what the model expected.")
    scored_text(scoring_rows.scored_words(score, tint, part), key=f"read_strip_{key}", alt_text=alt_text)
    elements.section(_("Which tokens were unlikely?"), _("surprise along the text, bits"))
    curve = scoring_rows.curve_rows(score)
    chart.draw(
        surprise_chart.curve,
        curve,
        key=f"read_curve_{key}",
        alt_text=_("Surprise of every token along the text in bits."),
        title=_("Which tokens were unlikely?"),
    )
    if curve.cut.any():
        cut = _("↑ Bars are cut at {most} bits; the highest value is {highest}.")
        st.caption(cut.format(most=surprise_chart.MOST_BITS, highest=numbers.bits(float(curve.surprise.max()))))


def in_numbers(score: ScoredText, key: str) -> None:
    """Draw perplexity, loss and bits per byte, the most and least surprising places, and the file."""
    sums(score)
    elements.section(_("Most surprising"))
    st.markdown("  \n".join(scoring_rows.place_lines(score.most_surprising(PLACES))))
    elements.section(_("Most certain"))
    st.markdown("  \n".join(scoring_rows.place_lines(score.most_certain(PLACES))))
    elements.table_button(lambda: csv_text(score.table()), "reading.csv", f"read_csv_{key}")


def sums(score: ScoredText) -> None:
    """Draw perplexity, loss and bits per byte, each beside the value of equal probabilities."""
    blind, equal = score.model.vocabulary_size, _("if all tokens were equally likely: {number}")
    perplexity = numbers.count(round(score.perplexity, 1)) if score.perplexity >= 100 else numbers.decimal(score.perplexity, 1)
    mean = _("exp(−(ln p₁ + … + ln pₙ) / n) over the {count} scored tokens. Comparable only between models with the same tokens.")
    packed = _("{bits} bits of surprise divided by {bytes} bytes ({character} bits per character). Comparable between all models.")
    rows = (
        (
            _("Perplexity"),
            perplexity,
            equal.format(number=numbers.whole(blind)) if blind else None,
            mean.format(count=numbers.whole(score.scored_count)),
        ),
        (
            _("Loss, nats"),
            numbers.decimal(score.nll, 2),
            equal.format(number=numbers.decimal(math.log(blind), 2)) if blind else None,
            _("The mean of −ln p over the scored tokens, which training minimises. Perplexity is e to this power."),
        ),
        (
            _("Bits per byte"),
            numbers.decimal(score.bits_per_byte, 2),
            _("without compression: 8"),
            packed.format(
                bits=numbers.whole(score.total_bits),
                bytes=numbers.whole(score.scored_bytes),
                character=numbers.decimal(score.bits_per_character, 2),
            ),
        ),
    )
    with st.container(horizontal=True, gap="medium"):
        for label, value, beside, formula in rows:
            st.metric(label, value, delta=beside, delta_color="off", delta_arrow="off", help=formula, width="content")
    if blind and score.perplexity > blind:
        st.caption(_("Worse than equal probabilities: the model was sure of other tokens."))
    first = _("The first token is not scored if no token comes before it.")
    counted = _("{count} tokens, {scored} of them scored").format(
        count=numbers.whole(len(score.written)), scored=numbers.whole(score.scored_count)
    )
    st.caption(counted, help=first)
