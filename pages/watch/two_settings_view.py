"""The step that Watch shows under two settings side by side: two columns of bars on one scale, and the same dice on both strips."""

from __future__ import annotations

import streamlit as st

from core.generation.generation import Generation
from core.generation.step_again import TwoSettings, two_settings
from core.record.step import Step, TokenDistribution
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, quoted
from pages.ui.session import current, own_presets
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.views import chart
from pages.ui.views.distribution_legend import entries

SIDES = {"A": own_presets.SIDEBAR, "B": "order:llama.cpp"}


def two_settings_view(run: Generation, distribution: TokenDistribution | Step, rows: int, logarithmic: bool) -> None:
    """Draw the switch, and both sides if it is on; not while it plays, because the text is then what matters."""
    about = _("The same step under two settings, with one pass of the model and the same roll of the dice.")
    on = st.toggle(_("Two settings side by side"), help=about, key="two_settings", **PERSISTENT)
    if not on or current.playing():
        return
    with drawing_boundary():
        if not isinstance(run, Generation) or (run.finished and not isinstance(distribution, Step)):
            st.caption(_("A recording has no other settings than its own. Start a live run to compare two."))
            return
        homes = st.columns(2, gap="medium")
        choices = own_presets.choices()
        keys = []
        for side, home in zip(SIDES, homes, strict=True):
            usual = list(choices).index(SIDES[side])
            widget_options = {"key": f"two_settings_{side}", **PERSISTENT}
            keys.append(home.selectbox(side, list(choices), usual, format_func=lambda key: plain(choices.get(key, key)), **widget_options))
        both = two_settings(run, distribution, *map(own_presets.chosen_settings, keys))
        for side, home, step in zip(SIDES, homes, (both.first, both.second), strict=True):
            with home:
                _side(side, step, rows, logarithmic)
        st.caption(plain(difference(both)))


def _side(side: str, step: Step, rows: int, logarithmic: bool) -> None:
    """Draw one column: the bars, what is excluded, and the dice."""
    alt_text = _("Bars: the model's probability (pale) and the probability after settings {side} (solid), 0 to 100 percent.")
    chart.bars(
        step,
        rows,
        entries(),
        key=f"two_settings_bars_{side}",
        logarithmic=logarithmic,
        alt_text=alt_text.format(side=side),
        title=_("Settings {side}").format(side=side),
    )
    st.caption(excluded(step))
    chart.dice(step, key=f"two_settings_dice_{side}", still=True)


def excluded(step: Step) -> str:
    """Return how many tokens each stage excludes, and how many are left."""
    counts = step.stage_kept
    parts = [
        _("{stage} excludes {count}").format(stage=_(name), count=numbers.whole(before - after))
        for name, before, after in zip(step.stage_names[1:], counts, counts[1:], strict=False)
        if after < before
    ]
    left = _("{count} can be chosen").format(count=numbers.tokens(counts[-1]))
    return " · ".join([*parts, left])


def difference(both: TwoSettings) -> str:
    """Return how far the two distributions are apart, and what the same roll selects from each."""
    sentences = [
        _("Between A and B {share} of the probability moves; the Jensen-Shannon divergence is {bits} bits.").format(
            share=numbers.percent(both.moved), bits=numbers.decimal(both.divergence, 3)
        )
    ]
    first_piece, second_piece = quoted(both.first.piece), quoted(both.second.piece)
    sentences.append(
        _("Both choose {piece}.").format(piece=first_piece)
        if both.first.key == both.second.key
        else _("A chooses {one}, B chooses {other}.").format(one=first_piece, other=second_piece)
    )
    if not both.exact:
        sentences.append(_("The server lists only its likeliest tokens, so these numbers are estimates."))
    return " ".join(sentences)
