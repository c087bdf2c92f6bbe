"""The menu of a chart that copies it or saves it as PNG, SVG or CSV, light or dark: what is in the file, and its name.

The saved table has real names, numbers as numbers, and no columns that only place a mark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.palette import Palette
from core.record.csv_text import csv_text
from core.reports import fonts
from core.reports.chart_picture import SCALE, Caption, Drawing, picture
from core.reports.files import file_name
from core.reports.svg import png
from pages.ui.charts import css_colours
from pages.ui.components.copy_button.copy_button import copy_button
from pages.ui.i18n.translation import N_, _, said
from pages.ui.session import provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.offered_files import save_button
from pages.ui.session.provenance import Provenance

LAYOUT = frozenset(
    "row slot serial space number note zero bottom depth foot shown tip end picked order stretch over cut fit wait_label left_label "
    "right_label label doubt log place_text arithmetic together".split()
)  # where a mark stands, how it looks, and texts that repeat a number
NEGATIVE = str.maketrans("\u2212", "-")

THEMES = {"light": N_("Light"), "dark": N_("Dark")}
MOST_NAMED = 12  # characters without a font that are listed
NAMES = {
    "model": "model_probability",
    "dice": "probability_after_settings",
    "share": "probability",
    "piece": "token",
    "removed_by": "excluded_by",
    "up": "surprise_of_the_first",
    "down": "surprise_of_the_second",
    "top": "tokens",
}
TOKENS = ("piece", "token", "text", "words", "answer")  # columns beside which a label, which may be cut, says nothing new


@dataclass(frozen=True, slots=True)
class Saved:
    """What the menu saves. draw: returns the drawing in the colours of a theme. legend: (name of a colour, meaning) pairs.

    table: the numbers, for the CSV. made_by: None for the result that is being drawn, or the visitor's run.
    """

    title: str
    draw: Callable[[Palette], Drawing]
    table: pd.DataFrame | pa.Table
    note: str = ""
    legend: tuple[tuple[str, str], ...] = ()
    made_by: Provenance | None = None


def menu(key: str, make: Callable[[], Saved]) -> None:
    """Draw the menu in the upper right corner of the container around the chart. `make` is called once it is opened."""
    with st.popover(_("Save this chart"), icon=":material/download:", type="tertiary", key=f"save_{key}", on_change="rerun") as popover:
        if popover.open:
            with drawing_boundary():
                _content(key, make())


def choose_theme(key: str) -> str:
    """Draw the choice of the picture's colours, and return the theme."""
    now, title = css_colours.theme(), said(THEMES).__getitem__
    return st.segmented_control(_("Colours"), list(THEMES), default=now, format_func=title, key=key, required=True) or now


def _content(key: str, saved: Saved) -> None:
    theme = choose_theme(f"save_theme_{key}")
    made_by = saved.made_by or provenance.shown()
    caption = Caption(saved.title, saved.note, _shades(saved.legend, theme), made_by.summary())
    svg = picture(saved.draw, caption, theme)
    png = _png(svg)
    name = partial(file_name, saved.title, made_by.model, " ".join((made_by.prompt or "").split()[:6]), theme)
    with st.container(horizontal=True, gap="small"):
        for kind, content in (("png", png), ("svg", svg), ("csv", partial(_csv, saved.table))):
            save_button(kind.upper(), content, name(kind=kind), key=f"save_{kind}_{key}")
    copy_button(_("Copy picture"), saved.title, key=f"save_copy_{key}", png=png)
    said_missing(fonts.missing([saved.title, caption.line, *_texts(saved.table)]))


def _shades(legend: tuple[tuple[str, str], ...], theme: str) -> tuple[tuple[str, str], ...]:
    """Return the legend in the colours of a theme."""
    return tuple((getattr(css_colours.of(theme), colour), meaning) for colour, meaning in legend)


@lru_cache(16)
def _png(svg: str) -> bytes:
    """Return the PNG. Cached, because the page is drawn again while the menu is open."""
    return png(svg, SCALE)


def _csv(table: pd.DataFrame | pa.Table) -> str:
    """Return the table as CSV. It is called outside of a session."""
    return csv_text(saved(table.to_pandas() if isinstance(table, pa.Table) else table))


def _texts(table: pd.DataFrame | pa.Table) -> list[str]:
    """Return the short texts of a table, which the chart may show."""
    frame = table.to_pandas() if isinstance(table, pa.Table) else table
    cells = (cell for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name]) for cell in frame[name])
    return [cell for cell in cells if isinstance(cell, str) and len(cell) < 200]


def said_missing(letters: list[str]) -> None:
    """Say that these characters have no font on this machine, if there are any."""
    if letters:
        shown = " ".join(letters[:MOST_NAMED]) + (" …" if len(letters) > MOST_NAMED else "")
        st.caption(
            _("This machine has no font for {letters}. Pictures show boxes instead; SVG, CSV and pages keep the characters.").format(
                letters=shown
            )
        )


def rows_of(table: pd.DataFrame | pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a table as plain values."""
    return list(table.to_pylist() if isinstance(table, pa.Table) else table.to_dict("records"))


def saved(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of a chart for a file.

    Columns for layout are dropped, with every text that repeats a number. Empty places for later steps are dropped too.

    >>> saved(pd.DataFrame({"row": [0], "piece": ["␣fox"], "label": ["fox"], "model": [0.25], "model_text": ["25 %"]})).to_dict("records")
    [{'token': '␣fox', 'model_probability': 0.25}]
    """
    names = list(table.columns)
    if "bottom" in names and "computed" in names:  # two bars for each step, with the same counts
        table = table[table["part"] == "computed"].drop(columns=["part", "top"])
    for name in ("step_text", "piece"):
        if name in names:
            table = table[table[name].notna() & (table[name] != "")]
    if "layer" in names and "name" in names:  # the number of the layer as a text
        table = table.drop(columns="name")
    exported = [name for name in table.columns if not name.endswith("_text") and (name not in LAYOUT or _only_label(name, names))]
    renamed = (
        table[exported]
        .convert_dtypes()
        .rename(columns={name: NAMES[name] for name in exported if name in NAMES and NAMES[name] not in exported})
    )
    texts = [name for name in renamed.columns if not pd.api.types.is_numeric_dtype(renamed[name])]
    return renamed.assign(
        **{name: renamed[name].map(lambda cell: cell.translate(NEGATIVE) if isinstance(cell, str) else cell) for name in texts}
    )


def _only_label(name: str, names: list[str]) -> bool:
    """Return whether this is the label of the rows and no other column names them."""
    return name == "label" and not any(token in names for token in TOKENS)
