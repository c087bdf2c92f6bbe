"""What if: one word is changed, and both ways go on with the same dice, side by side; below, everything that was tried, as a tree."""

from __future__ import annotations

import streamlit as st

from core.language import _
from core.record.step import Step
from pages.ui.charts import charts, palette, what_if_charts
from pages.ui.charts.legend import legend
from pages.ui.charts.tree_rows import branch_name, rows_of_run
from pages.ui.components.branch_tree.branch_tree import branch_tree
from pages.ui.components.browser import browser
from pages.ui.experiments import fork_playback, results
from pages.ui.i18n import example_texts, numbers, screen_reader
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current, elements, provenance, state
from pages.ui.session.page_visibility import every
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views.fork_view import fork_view

frame.page()
CHOICES = 8


def controls(playing: bool) -> float:
    """The foot of the page: both go on by one word, or by themselves."""
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button(_("From the fork"), on_click=fork_playback.restart, icon=":material/skip_previous:", type="tertiary", key="what_if_again")
        st.button(
            _("Step both"),
            on_click=fork_playback.step,
            icon=":material/arrow_forward:",
            shortcut="Right",
            type="primary",
            key="what_if_step",
        )
        if playing:
            st.button(_("Pause"), on_click=fork_playback.pause, icon=":material/pause:", shortcut="Space", key="what_if_pause")
        else:
            st.button(_("Play"), on_click=fork_playback.play, icon=":material/play_arrow:", shortcut="Space", key="what_if_play")
        speed = st.select_slider(
            _("Speed"),
            fork_playback.SPEEDS,
            value=5.0,
            key="what_if_speed",
            format_func=numbers.speed,
            label_visibility="collapsed",
            persist_state="session",
            width=160,
        )
    return float(speed)


def ready() -> None:
    """Forks that need no explanation."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_if_ready"):
        st.caption(_("Try one"), width="content")
        for number, (title, *_rest) in enumerate(example_texts.FORKS):
            st.button(_(title), on_click=fork_playback.ready_made, args=(number,), key=f"what_if_fork_{number}")
        with st.popover(
            _("Your own text"),
            icon=":material/edit:",
            help=_("Fork the text you are writing on Watch, at the word you opened there or at its beginning."),
        ):
            own_text(check=False)


def numbers_of(now: fork_playback.ForkPlayback) -> None:
    """How far apart, how likely: in words first."""
    colours = palette.of(charts.theme())
    if said := fork_playback.verdict(now.fork):
        st.markdown(said)
    left, middle, right = st.columns(3, gap="large")
    likely = fork_playback.likely_table(now.fork)
    with left:
        elements.section(
            _("How far apart?"),
            _("JS distance where both just said the same"),
            help=_(
                "Both texts are laid side by side by what they say, not by how many words they have. Where "
                "both have just said the same two words or more, the odds for the next one are compared. 0: "
                "the same odds; 1: nothing in common. Computed over the whole vocabulary of a small model "
                "(base 2); a pale bar where only the likeliest tokens are known. Grey marks: words without a "
                "counterpart."
            ),
        )
        charts.draw(
            what_if_charts.branch_distance,
            fork_playback.drift_table(now.fork),
            key="what_if_drift",
            alt_text=_(
                "Dots from 0 to 1, one for each place where both branches have just said the same words: how "
                "different their odds for the next word are. Small marks below for words that only one of "
                "them says."
            ),
        )
    with middle:
        elements.section(_("How likely was each word?"), _("probability"))
        charts.draw(
            what_if_charts.token_probabilities,
            likely,
            key="what_if_likely",
            alt_text=_("Dots from 0 to 100 percent, one per word and branch: what the model gave to the word that was written."),
        )
    with right:
        elements.section(_("All its words together"), _("log-probability"))
        charts.draw(
            what_if_charts.joint_probability,
            likely,
            key="what_if_joint",
            alt_text=_("Two falling lines: the sum of the natural logarithms of all words' probabilities, one line per branch."),
        )
    starts = [fork_playback.beginning(now, side) for side in (0, 1)]
    legend((colours.dice, starts[0]), (colours.other, starts[1]))


def made_with(now: fork_playback.ForkPlayback) -> None:
    """The numbers, and what both ways were written with; dimmed when the settings are others now, until it is done again."""
    first = next((step for pair in now.fork.pairs for step in (pair.left, pair.right) if step is not None), None)
    changed: list[str] = []
    if first is not None and not now.run.is_replay:
        by = Provenance(current.model_name(), now.run.prompt, first.settings)
        changed = by.differences(provenance.now())
        results.provenance_line(fork_playback.NAME, by, changed, fork_playback.restart)
    with results.dimmed(fork_playback.NAME, bool(changed)):
        numbers_of(now)


def elsewhere(now: fork_playback.ForkPlayback) -> None:
    """Another word in the place of the one that was clicked."""
    place = now.opened
    if place is None:
        st.caption(_("What both share stands above. Click any word to fork there instead."))
        return
    step = now.step_at(place)
    elements.section(_("Instead of “{word}”, let it say").format(word=_plain(step)))
    elements.notices(fork_playback.WORD)
    others = [candidate for candidate in step.candidates if candidate.token_id != step.token_id][:CHOICES]
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_instead"):
        for candidate in others:
            label = f"{plain(candidate.piece)} :small[:gray[{numbers.percent(candidate.model_probability)}]]"
            st.button(label, on_click=fork_playback.fork_at_word, args=(candidate.token_id,), key=f"what_if_other_{candidate.token_id}")
        if not now.run.is_replay:
            with st.form("what_if_form", border=False, width=280), st.container(horizontal=True, vertical_alignment="bottom"):
                text = st.text_input(
                    _("Another word"),
                    max_chars=200,
                    key="what_if_text",
                    help=_("Type what should stand there instead. Begin with a space for a new word."),
                    placeholder=" dragon",
                )
                if st.form_submit_button(_("Fork here")):
                    fork_playback.fork_at_word(None, text)
                    st.rerun()


def _plain(step: Step) -> str:
    return plain(step.text.strip() or step.piece)


def tree() -> None:
    """Everything that was tried; what is asked for there is done at once."""
    elements.section(_("Everything tried so far"), _("the run as a tree"))
    run = current.run()
    rows = rows_of_run(run)
    if not rows:
        st.caption(_("Nothing is written yet. Press Step both."))
        return
    st.caption(_("The wider a line, the likelier the model found that turn. Click a way to go there; it is yours on every page."))
    action = branch_tree(rows, key="what_if_tree")
    if action is not None:
        fork_playback.do_tree_action(action)
        st.rerun()
    ends = {branch.node_id: branch_name(run, branch, 41) for branch in run.branches()}
    if len(ends) > 2:
        with st.popover(
            _("Compare two ways"),
            icon=":material/compare_arrows:",
            help=_("Puts two branches that exist side by side, from the place where they part."),
        ):
            names = list(ends)
            one = st.selectbox(_("One"), names, format_func=lambda i: ends[i], key="what_if_one", index=len(names) - 2)
            other = st.selectbox(_("The other"), names, format_func=lambda i: ends[i], key="what_if_other", index=len(names) - 1)
            st.button(_("Compare two ways"), on_click=fork_playback.compare_branches, args=(one, other), key="what_if_between")


frame.header(
    _("What if it had said something else?"),
    _("branching"),
    _("One word is changed; everything else stays: same model, same dice. The model goes on to justify whatever stands there."),
)
with elements.error_boundary():
    ready()
    known = fork_playback.playback()
    playing = known is not None and known.playing
    speed = controls(playing)

    def stage() -> None:
        """All that moves: drawn first, then one more word on both sides."""
        with elements.error_boundary():
            now = fork_playback.playback()
            if now is None:
                elements.show_notice(_("This is a recording: it can only be compared along branches that were recorded."))
                return
            picked = fork_view(
                now.run.prompt_tokens,
                now.shared(),
                fork_playback.sides(now),
                key="what_if_view",
                memory=state.results(),
                opened=now.opened,
            )
            if picked is not None and picked != now.opened:
                fork_playback.open_word(picked)
                st.rerun()
            elsewhere(now)
            if now.fork.pairs:
                newest = now.fork.pairs[-1]
                browser.announce(screen_reader.branches((newest.left, newest.right)), key="what_if_announcer")
                made_with(now)
            if not now.playing:
                tree()
            fork_playback.advance()

    st.fragment(stage, run_every=every(1 / speed if playing else None), key="what_if_stage")()
