"""The parts of the live view on Watch, each with the menu that saves its drawing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from core.record.step import Step
from core.reports.live_view import texts
from pages.ui.charts import run_charts, step_tables
from pages.ui.charts.parts import Spec
from pages.ui.components.live.live import live
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, selection
from pages.ui.session.share_link import LONGEST_PROMPT
from pages.ui.views import chart
from pages.ui.views.distribution_legend import entries
from pages.ui.views.save_chart import Saved
from pages.watch.view_options import DisplayOptions

KEYS = {"text": "strip", "bars": "odds", "dice": "dice", "moment": "moment"}  # of the parts whose names in the page are others


def part(name: str, **options: object) -> None:
    """Draw a part of the live view."""
    live(name, current.live_key(), key=KEYS.get(name, f"live_{name}"), on_asked=selection.word_asked, **options)


def text(tint: str, as_chat: bool, signs: bool) -> None:
    """Draw the text so far, with what became of the last press. signs: with a sign for each space."""
    with chart.saved_as("strip", lambda: chart.saved_text(current.run().prompt_tokens, current.run().path, tint)):
        part("text", tint=tint, as_chat=as_chat, signs=signs)


def bars(display: DisplayOptions, signs: bool) -> None:
    """Draw the next-token distribution."""

    def saved() -> Saved:
        distribution = current.shown()
        alt_text = _("Bars: the model's probability (pale) and the probability after the settings (solid) of each token, 0 to 100 percent.")
        title = _("What came next?") if isinstance(distribution, Step) else _("What comes next?")
        return chart.saved_bars(distribution, display.rows, entries(), display.folded, display.logarithmic, alt_text=alt_text, title=title)

    with chart.saved_as("odds", saved):
        part("bars", logarithmic=display.logarithmic, legend=entries(), signs=signs)


def dice() -> None:
    """Draw the dice of the step."""
    with chart.saved_as("dice", lambda: chart.saved_dice(current.shown())):
        part("dice")


def cache() -> None:
    """Draw the gauge of the KV cache and its growth."""
    with chart.saved_as("notepad_chart", partial(_saved, run_charts.notepad, "cache_alt", lambda: _("The notepad"))):
        part("cache")


def times() -> None:
    """Draw the time of each step."""
    with chart.saved_as("pace_chart", partial(_saved, run_charts.step_time, "times_alt", lambda: _("How long did it take?"))):
        part("times")


def surprise() -> None:
    """Draw entropy and surprise of each step."""
    with chart.saved_as("surprise_chart", partial(_saved, run_charts.surprise, "surprise_alt", lambda: _("How sure was it?"))):
        part("surprise")


def _saved(drawing: Callable[..., Spec], alt_text: str, title: Callable[[], str]) -> Saved:
    """Return a small chart of the run for its menu."""
    path = current.run().path
    rows = step_tables.notepad_rows(path) if drawing is run_charts.notepad else step_tables.step_slots(path)
    return chart.saved_chart(drawing, rows, alt_text=said(texts.COSTS)[alt_text], title=title())


def prompt() -> None:
    """Draw the field of the prompt and the examples."""
    examples = [(_(name), example) for name, example in EXAMPLES.prompts.items()]
    part("prompt", examples=examples, limit=LONGEST_PROMPT)


def player() -> None:
    """Draw the player."""
    part("player", speeds=[(speed, numbers.speed(speed) if speed else _(texts.FASTEST)) for speed in texts.SPEEDS])
