"""What is selected: the step that the bars show, with its hidden values, the token that is explained, and clicks on bars and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.engine.model import LanguageModel
from core.errors import InputError, ModelError
from core.inspection import inside
from core.inspection.inside import Inside
from core.record.step import Step, TokenDistribution
from core.tokens.token_text import Token
from pages.ui import features
from pages.ui.charts.step_tables import shown
from pages.ui.i18n import names
from pages.ui.i18n.translation import _
from pages.ui.session import current, player_actions
from pages.ui.session.error_boundary import action_boundary

GO = "why_go"  # set by a button on another page: the experiment starts when the page opens
PRESSED = "why_pressed"  # set by the button of a token: the page opens at the next draw
MEASURE = "measure"  # the same in the address of a link
SOURCE, RUN, TEXT = "why_source", "run", "text"
OWN_TEXT, PLACE = "why_text", "why_place"


def picked(key: str) -> dict[str, Any]:
    """Return the fields of the mark that was clicked in the chart with this key, none if there was no click."""
    marks = (st.session_state.get(key) or {}).get("selection", {}).get("pick")
    return marks[0] if marks else {}


@action_boundary
def word_clicked() -> None:
    """Reopen the step of the token that was clicked in the text of the page, whose key is "strip"."""
    index = getattr(st.session_state.get("strip"), "go", None)
    if isinstance(index, int):
        player_actions.select_step(index)


@action_boundary
def word_explained() -> None:
    """Measure what the token that was clicked depends on."""
    word_clicked()
    ask_about_step()


@action_boundary
def word_asked() -> None:
    """Ask why the shown token was chosen."""
    ask_about_step()
    st.session_state[PRESSED] = True


@dataclass(frozen=True, slots=True)
class ExplainedToken:
    """ids, texts: the tokens before it. target, piece: the token. choices: tokens that can be explained at this place, the likeliest first.

    taken: the token at this place, None before the step is made. from_run: whether it belongs to the run. rank: of the token that the
    dice chose, 0 otherwise. distribution: the step of the run.
    """

    ids: tuple[int, ...]
    texts: tuple[str, ...]
    choices: tuple[int, ...]
    taken: int | None
    from_run: bool
    rank: int = 0
    distribution: TokenDistribution | Step | None = None

    @property
    def text(self) -> str:
        """The text before the token."""
        return "".join(self.texts)


def of_run() -> ExplainedToken:
    """Return the token of the step that Watch shows. Raises ViewerError, also if another model made the step."""
    must_be_own_model()
    step, distribution = selected_step(), current.shown()
    taken = distribution.token_id if isinstance(distribution, Step) else None
    choices = dict.fromkeys([*([taken] if taken is not None else []), *(candidate.token_id for candidate in distribution.candidates)])
    rank = distribution.chosen.rank if isinstance(distribution, Step) and distribution.chosen_by == "sampled" else 0
    return ExplainedToken(step.token_ids, step.texts, tuple(choices), taken, True, rank, distribution)


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


@dataclass(frozen=True, slots=True)
class SelectedStep:
    """A step and the tokens before it. texts: the tokens as they are shown in the text."""

    distribution: TokenDistribution | Step
    tokens: tuple[Token, ...]
    texts: tuple[str, ...]

    @property
    def token_ids(self) -> tuple[int, ...]:
        """Ids of the tokens before the step."""
        return tuple(token.token_id for token in self.tokens)

    @property
    def taken(self) -> int | None:
        """Id of the chosen token, None before the step is made."""
        return self.distribution.token_id if isinstance(self.distribution, Step) else None


def selected_step() -> SelectedStep:
    """Return the step that the page shows. Raises ViewerError."""
    run, distribution = current.run(), current.shown()
    before = run.path[: distribution.index]
    tokens = [*run.prompt_tokens, *(distribution.vocabulary.token(step.key) for step in before)]
    texts = [*(t.text for t in run.prompt_tokens), *(step.text for step in before)]
    return SelectedStep(
        distribution, tuple(tokens), tuple(shown(text, token.piece, token.raw) for text, token in zip(texts, tokens, strict=True))
    )


def must_be_own_model() -> None:
    """Raise ModelError if the run is a recording of another model."""
    made_by = current.run().model_name
    if made_by != current.model().name:
        raise ModelError(
            _(
                "This recording was made with {name}. To look inside its steps, choose that model in the sidebar. "
                "Its probabilities and its dice are shown without it."
            ).format(name=made_by)
        )


def inside_of(step: SelectedStep) -> Inside:
    """Return the hidden values of this step. Raises ViewerError, also if another model made the step."""
    must_be_own_model()
    model = current.model()
    return _looked(model, id(model), step.token_ids)


@st.cache_resource(max_entries=24, ttl=600, show_spinner=False)
def _looked(_model: LanguageModel, which: int, token_ids: tuple[int, ...]) -> Inside:
    return inside.inspect_step(_model, token_ids)
