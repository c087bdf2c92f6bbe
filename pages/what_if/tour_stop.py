"""Stop “back” of the tour. Two branches of one prompt."""

from __future__ import annotations

import streamlit as st

from core.experiments.shared.continuation import continuation
from core.experiments.what_if import Fork
from core.sources.token_source import TokenSource
from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.session.elements import PERSISTENT
from pages.what_if.fork_playback import Side
from pages.what_if.fork_view import fork_view

BRANCH = 14  # tokens of each branch


def draw() -> None:
    """Draw the questions and the branches of the chosen one."""
    names = [title for title, *_rest in example_texts.FORKS]
    asked = st.pills(
        _("A question"), names, default=names[0], key="tour_fork", format_func=_, label_visibility="collapsed", required=True, **PERSISTENT
    )
    number = names.index(asked) if asked in names else 0
    fork = branches(number)
    sides = [Side([step for step in (fork.run.nodes[node].step for node in side.line) if step], "", "") for side in fork.sides]
    both = (sides[0], sides[1])
    fork_view(fork.run.prompt_tokens, [], both, key="tour_fork_view", clickable=False)
    if number:
        tour_state.tried("back")


def branches(number: int) -> Fork:
    """Return one of the example forks with the first tokens of both branches."""
    _title, prompt, left, right = example_texts.FORKS[number]
    stored, run = tour_state.tour().values, tour_state.run(f"fork{number}", example_texts.FORKS[number][1])
    fork = stored.get(f"branches{number}")
    if not isinstance(fork, Fork) or fork.run is not run:
        assert isinstance(run.model, TokenSource)
        fork = Fork.at(run, 0, continuation(run.model, prompt, left), continuation(run.model, prompt, right))
        for _word in range(BRANCH):
            if fork.finished:
                break
            fork.step()
        stored[f"branches{number}"] = fork
    return fork
