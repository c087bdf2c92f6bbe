"""The token that Why this token? explains: of the step that Watch shows, or of another text."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.errors import InputError
from core.record.step import Step
from pages.ui import features
from pages.ui.charts.token_text import shown
from pages.ui.i18n import names
from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.selected_step import must_be_own_model, selected_step

GO = "why_go"  # set by a button on another page: the experiment starts when the page opens
PRESSED = "why_pressed"  # set by the button of a token: the page opens at the next draw
MEASURE = "measure"  # the same in the address of a link
SOURCE, RUN, TEXT = "why_source", "run", "text"
OWN_TEXT, PLACE = "why_text", "why_place"


@dataclass(frozen=True, slots=True)
class ExplainedToken:
    """ids, texts: the tokens before it. target, piece: the token. choices: tokens that can be explained at this place, the likeliest first.

    taken: the token at this place, None before the step is made. from_run: whether it belongs to the run. rank: of the token that the
    dice chose, 0 otherwise.
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    choices: tuple[int, ...]
    taken: int | None
    from_run: bool
    rank: int = 0

    @property
    def text(self) -> str:
        """The text before the token."""
        return "".join(self.texts)


def of_run() -> ExplainedToken:
    """Return the token of the step that Watch shows. Raises ViewerError, also if another model made the step."""
    must_be_own_model()
    step, seen = selected_step(), current.shown()
    taken = seen.token_id if isinstance(seen, Step) else None
    choices = dict.fromkeys([*([taken] if taken is not None else []), *(candidate.token_id for candidate in seen.candidates)])
    rank = seen.chosen.rank if isinstance(seen, Step) and seen.chosen_by == "sampled" else 0
    return ExplainedToken(step.token_ids, step.texts, tuple(choices), taken, True, rank)


def of_text(text: str, position: int) -> ExplainedToken:
    """Return the token at this place of another text. Raises InputError for a text of one token, ViewerError."""
    tokens = current.model().tokenize(text) if text.strip() else []
    if len(tokens) < 3:
        raise InputError(_("The text is too short, so nothing can be taken away from it. Write a few words more."))
    position = max(2, min(position, len(tokens) - 1))
    texts = tuple(shown(token.text, token.piece, token.raw) for token in tokens[:position])
    taken = tokens[position].token_id
    return ExplainedToken(tuple(token.token_id for token in tokens[:position]), texts, (taken,), taken, False)


def start_here() -> bool:
    """Return whether another page asked for the experiment to start. True only once."""
    return bool(st.session_state.pop(GO, False))


def follow_link() -> None:
    """Choose the step that Watch shows and ask for the experiment, if a link of Watch led here."""
    if MEASURE in st.query_params:
        del st.query_params[MEASURE]
        ask_about_step()


def ask_about_step() -> None:
    """Ask for the experiment about the step that Watch shows."""
    st.session_state[GO], st.session_state[SOURCE], st.session_state["why_view"] = True, RUN, names.WHY_VIEWS[0]


def open_page_if_asked() -> None:
    """Open Why this token? if the button of a token was pressed. Ends the script then."""
    if st.session_state.pop(PRESSED, False):
        st.switch_page(features.file_of("why"))


def ask_about(text: str, position: int) -> None:
    """Ask for the experiment about a token of another text."""
    st.session_state[GO] = True
    st.session_state[SOURCE], st.session_state[OWN_TEXT], st.session_state[PLACE] = TEXT, text, position
    st.session_state["why_view"] = names.WHY_VIEWS[0]
