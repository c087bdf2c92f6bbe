"""How sure the model was of each word of a text, and of each value in its JSON: a table with the least sure first, and a file."""

from __future__ import annotations

import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from core.inspection import scoring
from core.inspection.scored_parts import ScoredPart
from core.record.csv_text import csv_text
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import elements
from pages.ui.session.error_boundary import drawing_boundary

SHOWN, LONGEST = 12, 40  # rows; characters of a word or a value


def sure_parts(read: Callable[[], scoring.ScoredText], key: str) -> None:
    """Draw the closed part of a page with the words and, if the text has JSON, its values. read: called when it is open."""
    title = _("How sure of each word or field?")
    with st.expander(title, icon=":material/format_list_numbered:", key=f"{key}_sure", on_change="rerun") as opened, drawing_boundary():
        if not opened.open:  # a long text takes a while
            return
        score = read()
        of = {"fields": scoring.fields(score), "words": scoring.words(score)}
        names = {"fields": _("JSON fields"), "words": _("Words")}
        kind = "words"
        if of["fields"]:
            kind = elements.choice(_("Parts"), list(names), "fields", f"{key}_sure_of", format_func=names.__getitem__)
        parts = of[kind]
        if not parts:
            st.caption(_("No word of this text was measured."))
            return
        heads = (names[kind], _("probability"), _("lowest token"), _("likeliest other token in its place"))
        st.caption(_("The least sure first."))
        elements.table(heads, map(_row, parts[:SHOWN]))
        if len(parts) > SHOWN:
            st.caption(
                _("The {shown} least sure of {count}; the file has all of them.").format(shown=SHOWN, count=numbers.whole(len(parts)))
            )
        elements.table_button(lambda: csv_text(pd.DataFrame(parts)), f"{kind}.csv", f"{key}_sure_csv")
        if kind == "fields":
            st.caption(_("A value in quotes counts with its closing quotation mark: without it, “Ann” could still become “Anna”."))
        st.caption(
            _(
                "The probability is the product of its tokens' probabilities. It says how likely the model was to write this, not how true "
                "it is. In its place, other tokens can begin the same word."
            )
        )


def _row(part: ScoredPart) -> tuple[str, str, str, str]:
    """Return the cells of a part: what is not whole is said."""
    text = plain(part.text if len(part.text) <= LONGEST else f"{part.text[: LONGEST - 1]}…")
    notes = [_("begins within a token")] * part.begins_inside + [_("ends within a token")] * part.ends_inside + [_("cut")] * part.cut
    named = f"{plain(part.name)}: **{text}**" if part.name else f"**{text}**"
    others = "–" if math.isnan(part.others) else f"{numbers.percent(part.others)} {plain(part.other)}"
    first = named + (f" :gray[({', '.join(notes)})]" if notes else "")
    return first, numbers.percent(part.probability), f"{plain(part.lowest_token)} {numbers.percent(part.lowest_probability)}", others
