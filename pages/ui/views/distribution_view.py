"""The next-token distribution as bars: a click, or Enter on a bar, takes that token."""

from __future__ import annotations

import streamlit as st

from core.record.step import Step, TokenDistribution
from core.sources.capabilities import Can
from pages.ui.charts import distribution_chart, distribution_rows
from pages.ui.components.bar_keyboard import bar_keyboard
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, player_actions, selection
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.state import current_session
from pages.ui.views import chart

FRAGMENTS = ("stage", "cost")  # of Watch, redrawn after a token was taken


def distribution(seen: TokenDistribution | Step, rows: int, logarithmic: bool, folded: bool) -> None:
    """Draw the bars. rows: candidates listed. folded: excluded tokens share one line."""
    table = distribution_rows.distribution_rows(seen, rows, current.clicks(), folded)
    chart.draw(
        distribution_chart.distribution,
        table,
        key="odds",
        title=_("What came next?") if isinstance(seen, Step) else _("What comes next?"),
        legend=entries(),
        settings=seen.settings,
        alt_text=_("Bars: the model's probability (pale) and the probability after the settings (solid) of each token, 0 to 100 percent."),
        described=False,
        on_select=bar_pressed,
        rows=rows + 1,
        logarithmic=logarithmic,
    )
    bar_keyboard.bar_keyboard(
        [(row["token_id"], numbers.bar(row)) for row in table.to_pylist() if row["piece"]],
        key="odds_keys",
        marks=".st-key-odds svg .row_marks path, .st-key-odds svg .row path",
        label=_("Next-token probabilities: arrow keys move, Enter takes a token"),
        on_take=bar_taken,
    )


def entries() -> list[tuple[str, str]]:
    """Return the legend of the bars: (colour, meaning) pairs."""
    run = current_session().run
    if run is not None and Can.FACTS not in run.can:  # both bars show the one probability in the file
        return [("dice", _("probability in the file")), ("chosen", _("chosen token"))]
    kinds = (_("model's probability"), _("probability after your settings"), _("chosen token"))
    return list(zip(("model", "dice", "chosen"), kinds, strict=True))


@action_boundary
def show_excluded(shown: bool) -> None:
    """Show or fold the excluded candidates on Watch."""
    st.session_state["cut_shown"] = shown


@action_boundary
def bar_clicked() -> None:
    """Choose the token whose bar was clicked."""
    entry = selection.picked("odds")
    token_id, index = entry.get("token_id"), entry.get("step")
    if not isinstance(token_id, int) or token_id < 0:
        return
    if index != current.shown().index:
        notify(_("That bar belongs to another step. Click it again."))
        return
    player_actions.force(token_id)


def bar_taken() -> None:
    """Take the token that was chosen by keyboard, or unfold the excluded tokens."""
    token_id = bar_keyboard.taken("odds_keys")
    if token_id == distribution_rows.FOLDED:
        elements.run_and_rerun(show_excluded, (), True)
    elif token_id is not None and token_id >= 0:
        elements.run_and_rerun(player_actions.force, FRAGMENTS, token_id)


def bar_pressed() -> None:
    """Take the token whose bar was clicked, or unfold the excluded tokens."""
    if selection.picked("odds").get("token_id") == distribution_rows.FOLDED:
        elements.run_and_rerun(show_excluded, (), True)
    else:
        elements.run_and_rerun(bar_clicked, FRAGMENTS)
