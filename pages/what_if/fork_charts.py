"""What Two branches draws below the texts: how far apart, how likely, and all branches as a tree."""

from __future__ import annotations

import altair as alt
import streamlit as st

from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, percent_axis, shares_up, small_axis, text_places, tips, two_sides
from pages.ui.charts.tree_rows import branch_name, rows_of_run
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements
from pages.ui.views import chart
from pages.ui.views.chart import branch_tree
from pages.what_if import fork_playback


def draw(now: fork_playback.ForkPlayback) -> None:
    """Draw the three charts of both branches."""
    if sentence := fork_playback.verdict(now.fork):
        st.markdown(sentence)
    kinds = (("dice", fork_playback.beginning(now, 0)), ("other", fork_playback.beginning(now, 1)))
    left, middle, right = st.columns(3, gap="large")
    with left:
        distance = _(
            "Where both texts have two or more equal tokens in a row, the probabilities of the next token are compared, after the "
            "first of them and after each further one. 0: equal; 1: nothing in common. Computed over the whole vocabulary (base 2); a "
            "pale bar where only the likeliest tokens are known. Grey marks: tokens without a counterpart."
        )
        elements.section(_("How far apart?"), _("JS distance where both just said the same"), help=distance)
        alt_text = _(
            "Dots from 0 to 1, one for each place after equal tokens in both branches: the distance of the next-token probabilities."
        )
        chart.draw(
            branch_distance,
            fork_playback.drift_table(now.fork),
            key="what_if_drift",
            alt_text=alt_text,
            title=_("How far apart?"),
        )
    dots = _("Dots from 0 to 100 percent, one per token and branch: the model's probability of the token.")
    sums = _("Two falling lines: the sum of the natural logarithms of all tokens' probabilities, one line per branch.")
    tokens, together = _("How likely was each token?"), _("All its tokens together")
    for home, drawing, key, title, term, alt_text in (
        (middle, token_probabilities, "what_if_likely", tokens, _("model's probability"), dots),
        (right, joint_probability, "what_if_joint", together, _("log-probability"), sums),
    ):
        with home:
            elements.section(title, term)
            chart.draw(drawing, fork_playback.likely_table(now.fork), key=key, alt_text=alt_text, title=title, legend=kinds)
    legend(*kinds)


def tree() -> None:
    """Draw all branches of the run; a click moves the current path there."""
    elements.section(_("Everything tried so far"), _("the run as a tree"))
    run = current.run()
    rows = rows_of_run(run)
    if not rows:
        st.caption(_("Nothing is written yet. Press Step both."))
        return
    st.caption(_("The wider a line, the higher the model's probability. Click a branch to make it the current path on every page."))
    action = branch_tree(rows, key="what_if_tree", title=_("Everything tried so far"))
    if action is not None:
        fork_playback.do_tree_action(action)
        st.rerun()
    ends = {branch.node_id: branch_name(run, branch, 41) for branch in run.branches()}
    if len(ends) > 2:
        compare(ends)


def compare(ends: dict[int, str]) -> None:
    """Draw the choice of two branches to compare. ends: the title of each branch by its last node."""
    about = _("From the place where they part.")
    with st.container(key="detail_what_if"), st.popover(_("Compare two branches"), icon=":material/compare_arrows:", help=about):
        nodes, title = list(ends), ends.__getitem__
        first = st.selectbox(_("One"), nodes, format_func=title, key="what_if_one", index=len(nodes) - 2)
        second = st.selectbox(_("The other"), nodes, format_func=title, key="what_if_other", index=len(nodes) - 1)
        st.button(_("Compare"), on_click=fork_playback.compare_branches, args=(first, second), key="what_if_between")


@chart_spec(8)
def branch_distance(colours: Palette) -> alt.TopLevelMixin:
    """Distances from 0 to 1 by token, neighbours joined; a mark at the bottom for tokens without a counterpart.

    Columns: place, low, high, middle (all three empty without a counterpart), words, label, stretch (number of its line), where.
    """
    axis = percent_axis(colours, minExtent=38, maxExtent=38)
    scale = alt.Scale(domain=[0, 1], clamp=True)
    up = alt.Y("middle:Q", axis=axis, scale=scale)
    cards = tips(("where", _("place")), ("words", _("tokens")), ("label", _("distance")))
    base = CHART.encode(x=text_places(colours))
    measured = base.transform_filter("isValid(datum.middle)")
    low = alt.Y("low:Q", axis=axis, scale=scale)
    interval = measured.mark_rule(color=colours.doubt, opacity=0.25, strokeWidth=7).encode(y=low, y2="high:Q")
    line = measured.mark_line(color=colours.doubt, strokeWidth=2.5).encode(y=up, detail="stretch:N")
    dots = measured.mark_circle(size=46, color=colours.doubt, opacity=1).encode(y=up, tooltip=cards)
    alone = (
        base.transform_filter("!isValid(datum.middle)")
        .mark_tick(orient="vertical", size=7, thickness=2, color=colours.removed)
        .encode(y=alt.datum(0, scale=scale), tooltip=cards)
    )
    return alt.layer(interval, line, dots, alone).properties(height=130)


@chart_spec(8)
def token_probabilities(colours: Palette) -> alt.TopLevelMixin:
    """Probabilities from 0 to 100 %, one dot per token and branch. Columns: place, side ("one", "other"), share, text, label."""
    dots = CHART.mark_circle(size=60, opacity=0.85).encode(
        x=text_places(colours),
        y=shares_up(colours),
        color=two_sides(colours),
        tooltip=tips(("place", _("token")), ("text", _("text")), ("label", _("model"))),
    )
    return dots.properties(height=130)


@chart_spec(8)
def joint_probability(colours: Palette) -> alt.TopLevelMixin:
    """Two lines: the joint log-probability so far. Columns: place, side, log, together."""
    lines = CHART.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=26, filled=True)).encode(
        x=text_places(colours),
        y=alt.Y("log:Q", axis=small_axis(colours, ticks=3), scale=alt.Scale(domainMax=0, nice=False)),
        color=two_sides(colours),
        tooltip=tips(("place", _("token")), ("together", _("joint"))),
    )
    return lines.properties(height=130)
