"""Selected step, the tokens before it and its hidden values.

The hidden values are cached, because a page is drawn often. Every visitor's browser can clear this cache; they are then computed again.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.engine.model import LanguageModel
from core.errors import ModelError
from core.inspection import inside
from core.inspection.inside import Inside
from core.record.step import Step, TokenDistribution
from core.tokens.tokens import Token
from pages.ui.charts.token_text import shown
from pages.ui.i18n.translation import _
from pages.ui.session import current


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
