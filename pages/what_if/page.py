"""Two branches: one token is changed, both branches continue with the same dice, and all branches are drawn as a tree."""

from __future__ import annotations

from time import monotonic

import streamlit as st

from core.sources.capabilities import Can
from pages.ui.components.browser import browser
from pages.ui.components.keys.key_bindings import bound
from pages.ui.experiments import results
from pages.ui.i18n import example_texts, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, notices, progress, provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.provenance import Provenance
from pages.ui.shell import frame
from pages.ui.shell.player import play_and_speed
from pages.ui.shell.prompt_field import own_text
from pages.what_if import fork_charts, fork_playback
from pages.what_if.fork_view import fork_view

frame.page()
CHOICES = 8


def player(playing: bool) -> float:
    """Draw the buttons below the page, and return the speed in steps per second."""
    with st.bottom, st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center", key="player"):
        st.button(_("From the fork"), on_click=fork_playback.restart, icon=":material/skip_previous:", type="tertiary", key="what_if_again")
        icon = ":material/arrow_forward:"
        st.button(_("Step both"), on_click=fork_playback.step, icon=icon, type="primary", **bound("what_if_step"))
        return play_and_speed(playing, fork_playback.play, fork_playback.pause, "what_if_")


def examples() -> None:
    """Draw the prepared forks, and the field for the visitor's own prompt."""
    with st.container(horizontal=True, vertical_alignment="center", key="what_if_ready"):
        st.caption(_("Try one"), width="content")
        for number, (title, *_rest) in enumerate(example_texts.FORKS):
            st.button(_(title), on_click=fork_playback.ready_made, args=(number,), key=f"what_if_fork_{number}")
        where = _("Fork the text of Watch, at the token you opened there or at its beginning.")
        with st.popover(_("Your own text"), icon=":material/edit:", help=where):
            own_text(check=False)


def measures(now: fork_playback.ForkPlayback) -> None:
    """Draw the charts and what both branches were written with; dimmed when the settings have changed."""
    first = next((step for pair in now.fork.pairs for step in (pair.left, pair.right) if step is not None), None)
    changed: list[str] = []
    by = None
    if first is not None and Can.NEW_TOKENS in now.run.can:
        by = Provenance(current.model_name(), now.run.prompt, first.settings)
        changed = by.differences(provenance.now())
        results.provenance_line(fork_playback.NAME, by, changed, fork_playback.restart)
    with results.dimmed(fork_playback.NAME, bool(changed)), provenance.of_result(by):
        fork_charts.draw(now)


def other_tokens(now: fork_playback.ForkPlayback) -> None:
    """Draw the other tokens for the place that was clicked."""
    if now.opened is None:
        st.caption(_("Above is the common text. Click any token to fork there instead."))
        return
    step = now.step_at(now.opened)
    elements.section(_("Instead of “{word}”").format(word=plain(step.text.strip() or step.piece)))
    elements.notices(fork_playback.WORD)
    others = [candidate for candidate in step.candidates if candidate.key != step.key][:CHOICES]
    with st.container(horizontal=True, vertical_alignment="bottom", key="what_if_instead"):
        for candidate in others:
            label = f"{plain(candidate.piece)} :small[:gray[{numbers.percent(candidate.model_probability)}]]"
            st.button(label, on_click=fork_playback.fork_at_word, args=(candidate.key,), key=f"what_if_other_{candidate.key}")
        if Can.NEW_TOKENS not in now.run.can:
            return
        with st.form("what_if_form", border=False, width=280), st.container(horizontal=True, vertical_alignment="bottom"):
            begin = _("Type another text for this place. Begin with a space for a new word.")
            text = st.text_input(_("Another text"), key="what_if_text", help=begin, max_chars=200, placeholder=" dragon")
            if elements.pressed(_("Fork here"), "what_if_fork_here", st.form_submit_button):
                fork_playback.fork_at_word(None, text)
                st.rerun()


def stage() -> None:
    """Draw everything that changes with each step, then make the next step on both branches."""
    current.begin_run()  # this part is also drawn alone
    with drawing_boundary():
        now = fork_playback.playback()
        if now is None:
            notices.show_notice(_("This is a recording. Only branches that were recorded can be compared."))
            return
        both = fork_playback.sides(now)
        picked = fork_view(now.run.prompt_tokens, now.shared(), both, key="what_if_view", opened=now.opened)
        if picked is not None and picked != now.opened:
            fork_playback.open_word(picked)
            st.rerun()
        other_tokens(now)
        if now.fork.pairs:
            newest = now.fork.pairs[-1]
            browser.announce(numbers.branches((newest.left, newest.right)), key="what_if_announcer")
            measures(now)
        if not now.playing:
            fork_charts.tree()
        fork_playback.advance()


frame.header(
    _("What if it had said something else?"),
    _("branching"),
    _("One token is changed. Model and dice stay the same, and the model continues from the changed token."),
)
with drawing_boundary():
    examples()
    fork = fork_playback.playback()
    playing = fork is not None and fork.playing
    speed = player(playing)
    progress.part(stage, lambda session: monotonic() * speed // 1, key="what_if_stage", advances=playing, seconds=0.0)
