"""What speculative decoding draws: the text with its drafted tokens, the gain in figures, and one pass in detail."""

from __future__ import annotations

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.speculative import BONUS, Gain, PlainStep, SpeculativeRound, expected_tokens, gain
from pages.speculative.speculative_text import draft_tokens, speculative_text, verdicts
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import elements
from pages.ui.views import chart

MOST = 12  # drafted tokens per pass
EVEN = (0.95, 1.05)  # times the speed of plain decoding; in between it is called equal


def draw(run: Experiment) -> None:
    """Draw the text, the figures, one pass and the plain text."""
    rounds = [step for step in run.observations if isinstance(step, SpeculativeRound)]
    prompt, ahead = run.about
    with st.container(key="speculative_seen"):
        legend(*verdicts())
        text_place, opened = st.container(), None
        if rounds:
            measured_gain = gain(list(run.observations), ahead)
            figures(measured_gain)
            if not run.running and measured_gain.speed_up is not None:
                verdict(measured_gain.speed_up)
    if rounds:
        left, right = st.columns([0.58, 0.42], gap="large")
        with left:
            opened = looked_at(rounds, run.running)
            one_pass(rounds[opened])
        with right:
            if measured_gain.judged:
                curve(measured_gain, ahead)
        elements.section(_("Plain decoding, with the same dice"), _("one pass, one token"))
        text = "".join(step.text for step in run.observations if isinstance(step, PlainStep))
        st.caption(plain(text) or "…")
    with text_place:
        speculative_text(prompt, rounds, key="speculative_text", opened=opened)


def figures(measured_gain: Gain) -> None:
    """Draw the gain as figures, each with its formula."""
    all_drafted = numbers.percent(measured_gain.accepted / measured_gain.drafted if measured_gain.drafted else None)
    times = f"{numbers.duration(measured_gain.draft_seconds)} · {numbers.duration(measured_gain.verify_seconds)}"
    saved = _("{count} of {total}").format(count=measured_gain.written - measured_gain.passes, total=measured_gain.written)
    rate = _("Accepted / (accepted + rejected). Tokens after a rejected one are not counted. Of all drafted tokens: {all}.")
    rows = (
        (_("Passes saved"), saved, _("New tokens minus passes of the large model.")),
        (_("Tokens per pass"), numbers.decimal(measured_gain.tokens_per_pass, 2), _("New tokens divided by passes of the large model.")),
        (_("Acceptance rate"), numbers.percent(measured_gain.acceptance_rate), rate.format(all=all_drafted)),
        (_("Drafting · verifying"), times, _("Seconds in the small and in the large model, sampling included; measured.")),
        (
            _("Against plain"),
            "–" if measured_gain.speed_up is None else f"× {numbers.decimal(measured_gain.speed_up, 2)}",
            _("Seconds per token of plain decoding divided by those with drafts, measured in turns, without the prompt's pass."),
        ),
    )
    with st.container(horizontal=True, key="speculative_figures"):
        for label, value, formula in rows:
            st.metric(label, value, help=formula)


def verdict(speed_up: float) -> None:
    """Draw whether the drafts saved time."""
    sentence = (
        _(":red[**Slower here:** {factor} times the speed of plain decoding.] Drafting and verifying took longer than the saved passes.")
        if speed_up < EVEN[0]
        else _("Faster here: **{factor} times** the tokens per second of plain decoding.")
        if speed_up > EVEN[1]
        else _("Equal here: {factor} times the speed of plain decoding.")
    )
    st.markdown(sentence.format(factor=numbers.decimal(speed_up, 2)))
    st.caption(_("Drafts save time where a pass mostly reads weights, where many drafts are accepted, and where the draft model is cheap."))


def looked_at(rounds: list[SpeculativeRound], running: bool) -> int:
    """Draw the choice of a pass and return its index: the newest while it runs, afterwards the last with drafted tokens."""
    count = len(rounds)
    elements.section(
        _("One pass of the large model"),
        _("p, q and the roll"),
        help=_(
            "Pale: the small model's probability q of its token. Solid: the large model's probability p. The mark is the roll times q. "
            "A token is accepted if the mark is inside the solid bar: with probability p / q, and always if p is larger."
        ),
    )
    if running or count < 2:
        return count - 1
    usual = next((number for number in range(count, 0, -1) if rounds[number - 1].drafted), count)
    return int(st.slider(_("Pass"), 1, count, usual, key=f"speculative_pick_{count}")) - 1


def one_pass(draft_round: SpeculativeRound) -> None:
    """Draw every drafted token of a pass with both probabilities and its roll, and what the large model added."""
    draft_tokens(draft_round, key="speculative_guesses")
    if draft_round.token_id < 0:
        st.caption(_("The text ends here."))
        return
    sentence = (
        _("Nothing was drafted here. The large model wrote **{token}** itself.")
        if not draft_round.drafted
        else _(
            "All were accepted, so the large model adds **{token}** from its probabilities for the next place, which the same pass gave."
        )
        if draft_round.kind == BONUS
        else _("In place of the rejected token: **{token}**, drawn from max(0, p − q).")
    )
    st.markdown(sentence.format(token=plain(draft_round.text) or "␣"))


def curve(measured_gain: Gain, ahead: int) -> None:
    """Draw what more or fewer drafted tokens would gain at the measured acceptance rate."""
    title = _("Tokens per pass, by drafted tokens")
    elements.section(title, _("computed for the acceptance rate measured here; the dot is measured"))
    measured, rate = numbers.decimal(measured_gain.tokens_per_pass, 2), measured_gain.acceptance_rate
    rows = [
        {
            "guesses": count,
            "expected": expected_tokens(rate, count),
            "measured": measured_gain.tokens_per_pass if count == ahead else None,
            "label": measured if count == ahead else "",
        }
        for count in range(MOST + 1)
    ]
    chart.draw(speculation_curve, pd.DataFrame(rows), key="speculative_curve", alt_text=title)
    formula = _(
        "Line: 1 + a + a² + … + aᴷ with a = {rate}, **computed** as if every token had the same acceptance rate. Dot: **measured**."
    )
    st.caption(formula.format(rate=numbers.percent(rate)))


@chart_spec(8)
def speculation_curve(colours: Palette) -> alt.TopLevelMixin:
    """Tokens per pass by draft length: computed line, measured dot. Columns: guesses, expected, measured (one), label."""
    across = alt.X("guesses:Q", scale=alt.Scale(nice=False), axis=grey_axis(colours, _("draft tokens (K)"), tickMinStep=1, format="d"))
    axis = grey_axis(colours, tickCount=4, minExtent=40, maxExtent=40)
    up = alt.Y("expected:Q", scale=alt.Scale(domainMin=0), axis=axis)
    base = CHART.encode(x=across)
    line = base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=up)
    measured = base.transform_filter("isValid(datum.measured)")
    dot = measured.mark_point(filled=True, size=80, opacity=1, color=colours.dice).encode(y=alt.Y("measured:Q", axis=axis))
    name = measured.mark_text(align="left", dx=9, fontSize=13, fontWeight=600, color=colours.text).encode(y="measured:Q", text="label:N")
    return alt.layer(line, dot, name).properties(height=190)
