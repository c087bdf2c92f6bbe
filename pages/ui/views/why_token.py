"""The head of Why this token?: the text, the token that is explained, and the state of the page in a link."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from core.engine.model import LanguageModel
from core.errors import BadToken
from pages.ui.components.live import live
from pages.ui.i18n import names, numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, elements, linked_controls, selection
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.session.selection import OWN_TEXT, PLACE, RUN, SOURCE, TEXT, ExplainedToken

HIDING_LINES = {
    "mask": N_(
        "The attention of later tokens to the hidden word is masked, and all words keep their "
        "positions. The last word cannot be hidden like this."
    ),
    "omit": N_(
        "The hidden word is left out, and the words after it move up. The last word often counts most, because the sentence breaks."
    ),
    "replace": N_("A word that says little takes the place of the hidden word."),
}

LONGEST = 4_000  # characters of a text
AGAINST, LONGEST_TOKEN = "why_against", 60  # characters of a typed token
CLEAN, CORRUPTED = next(iter(EXAMPLES.fact_pairs.values()))
# The controls of this page that a link carries.
LINKED: Linked = {
    "why": LinkedControl("why_view", names.WHY_VIEWS[0], names.WHY_VIEWS),
    "hide": LinkedControl("why_method", "mask", tuple(names.HIDING)),
    "unit": LinkedControl("why_unit", "word", tuple(names.HIDDEN_UNITS)),
    "against": LinkedControl(AGAINST),
    "head_value": LinkedControl("why_value", "zero", tuple(names.HEAD_VALUES)),
    "first": LinkedControl("why_clean", CLEAN),
    "second": LinkedControl("why_corrupted", CORRUPTED),
    "more": LinkedControl("why_more"),
    "less": LinkedControl("why_less"),
    "layer": LinkedControl("why_layer", None, tuple(range(200))),
    "strength": LinkedControl("why_strength", None, tuple(half / 2 for half in range(-40, 41))),
}


def read_link() -> None:
    """Set the controls from the address, once: when the page opens with one."""
    selection.follow_link()
    linked_controls.read(LINKED, of_sidebar=True)


def write_link() -> None:
    """Put the controls that differ from the usual into the address: texts, layer and strength, but not the vector."""
    steers = st.session_state.get("why_view") == names.WHY_VIEWS[4]
    linked_controls.write({name: control for name, control in LINKED.items() if steers or name != "layer"})


def source(own_text: Callable[[], None], measures: bool) -> ExplainedToken:
    """Draw the choice of the text and of the token's place, and return the token. Raises ViewerError.

    own_text: draws the prompt field. measures: whether a click on a token starts the measurement.
    """
    titles = {RUN: _("Your run"), TEXT: _("A text to read")}
    with st.container(horizontal=True, vertical_alignment="center", key="why_source_row"):
        widget_options = {"format_func": titles.__getitem__, "label_visibility": "collapsed"}
        wanted = elements.choice(_("Text"), list(titles), RUN, SOURCE, **widget_options)
        if wanted == RUN:
            with st.popover(_("Change the prompt"), icon=":material/edit:"):
                own_text()
    if wanted == TEXT:
        return other_text()
    run = current.run()
    live.text(
        run.prompt_tokens,
        run.path,
        key="strip",
        opened=current.selected_index(),
        accent=bool(run.path),
        on_click=selection.word_explained if measures else selection.word_clicked,
        hint=_("Click a token to explain it.") if measures else _("Click a token to choose it."),
    )
    return selection.of_run()


def other_text() -> ExplainedToken:
    """Draw the field of another text and the choice of its token."""
    first = next(iter(EXAMPLES.to_read.values()))
    text = st.text_area(_("A text to read"), first, key=OWN_TEXT, height=90, max_chars=LONGEST, label_visibility="collapsed", **PERSISTENT)
    tokens = current.model().tokenize(text or "") if (text or "").strip() else []
    places = range(2, max(3, len(tokens)))
    if st.session_state.get(PLACE) not in places:
        st.session_state[PLACE] = places[-1]

    def title(index: int) -> str:
        return f"{index + 1} {tokens[index].piece if index < len(tokens) else ''}"

    index = st.select_slider(_("Which token of the text?"), places, key=PLACE, format_func=title, disabled=len(places) < 2)
    return selection.of_text(text or "", int(index))


def about_probabilities(token: ExplainedToken, target: int) -> str:
    """Return which probabilities are shown, and of a token that the dice chose, its rank."""
    sentence = _("All probabilities here are the model's own, before your settings.")
    if token.rank and target == token.taken:
        ranked = (
            _("“{token}” was the likeliest token, and the dice chose it.")
            if token.rank == 1
            else _("“{token}” had rank {rank}: the dice chose it.")
        )
        sentence += " " + ranked.format(token=plain(current.model().piece(target).lstrip("␣")), rank=numbers.whole(token.rank))
    return sentence


def choose(token: ExplainedToken) -> int:
    """Draw the choice among the tokens of this place, and return the chosen id."""
    model = current.model()

    def title(token_id: int) -> str:
        return f"{model.piece(token_id)}" + (f" ({_('chosen')})" if token_id == token.taken else "")

    label = _("Which token?")
    key = f"why_target_{current.clicks()}_{len(token.ids)}"
    return int(st.selectbox(label, token.choices, key=key, format_func=title, width=180))


def choose_other(token: ExplainedToken, target: int, first: int | None = None) -> int | None:
    """Draw the choice of a token to compare with, and return its id. first: the place of the usual one in the list. Raises BadToken."""
    model = current.model()
    others = {model.piece(token_id): token_id for token_id in token.choices if token_id != target}
    options = dict.fromkeys([*others, *filter(None, [st.session_state.get(AGAINST)])])  # with one that was typed
    more = _("Then every number is about the difference between both tokens. Choose a token, or type one.")
    words: dict[str, Any] = {"placeholder": _("no other token"), "accept_new_options": True, "help": more, "width": 180}
    typed = st.selectbox(_("And not …"), list(options), first if options else None, key=AGAINST, **words, **PERSISTENT)
    if not typed:
        return None
    return others[typed] if typed in others else typed_token(model, str(typed)[:LONGEST_TOKEN].replace("␣", " "))


def typed_token(model: LanguageModel, text: str) -> int:
    """Return the id of a typed token, with a space before it if there is such a token. Raises BadToken."""
    with suppress(BadToken):
        return model.token_of(f" {text}" if text[:1].isalnum() else text).token_id
    return model.token_of(text).token_id
