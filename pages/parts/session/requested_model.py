"""Model requested by a link that did not come with the app: said in a sentence, opened at a click, never by itself.

A link comes from a stranger. By itself it fetches no gigabytes, reads no folder of this machine and calls no server; the prompt and the
settings it holds are taken over at once, and what was written with that model is written again as soon as somebody has opened it.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import streamlit as st

from core.errors import ViewerError
from core.models.hub import OFFERS, downloaded
from core.models.memory_fit import fit
from core.servers.address import Address
from pages.parts.runtime import loaded_models
from pages.parts.session import current, roles
from pages.parts.session.share_link import RequestedModel
from pages.parts.session.state import current_session
from pages.parts.text import model_words as words
from pages.parts.text import numbers, operator_words

ASKED = "asked"
MODELS_PAGE = Path(__file__).parents[2] / "models.py"


def offer() -> None:
    """Draw what a link asks for and has not got, if anything; app.py does it above every page."""
    requested = current_session().requested
    if requested is None:
        return
    try:
        if not roles.may_use(requested.model, current.model_names()):  # nothing is looked for: the answer is the same for all there is
            raise ViewerError(operator_words.NOT_OFFERED)
        usual = loaded_models.title(current.model_name())
        sentence, known = {"hub": _hub, "server": _server, "folder": _folder}[requested.kind](requested)
    except ViewerError as error:
        current_session().requested = None
        current.notify(str(error))
        return
    if requested.query.get("steps"):
        sentence += " " + words.WISH_TEXT
    st.space("xsmall")  # the header would cover the upper edge
    with st.container(border=True, key="wish"):
        st.markdown(f"{sentence} {words.WISH_UNTIL.format(usual=usual)}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if known:
                st.button(
                    words.WISH_OPEN.format(name=loaded_models.title(requested.model)), on_click=open_it, type="primary", key="wish_open"
                )
            else:
                # Only this page knows the word: whoever comes with it has clicked here, and was not sent by a link.
                word = current.results().setdefault(ASKED, secrets.token_hex(4))
                st.page_link(
                    MODELS_PAGE, label=words.WISH_LOOK[requested.kind], icon=":material/arrow_forward:", query_params={ASKED: word}
                )
            st.button(words.WISH_STAY.format(usual=usual), on_click=stay, type="tertiary", key="wish_stay")


@current.error_boundary
def open_it() -> None:
    """Load the model that the link asks for, with everything else that the link holds."""
    requested = current_session().requested
    if requested is not None:
        current.use_model(requested.model, loaded_models.tokenizer_of_open_server(requested.model))


@current.error_boundary
def stay() -> None:
    """Let it be."""
    current_session().requested = None


def followed() -> RequestedModel | None:
    """What the link asks for, once, if the visitor has just come here from `offer` to see about it."""
    requested, word = current_session().requested, st.query_params.get(ASKED)
    if requested is None or word is None or current.results().get(ASKED) != word:
        return None
    del current.results()[ASKED], st.query_params[ASKED]
    return requested


def _hub(requested: RequestedModel) -> tuple[str, bool]:
    """What there is to say about a model of the hub, and whether it can be opened at a click."""
    name = loaded_models.title(requested.model)
    if requested.model in loaded_models.in_memory():
        return words.WISH_LOADED.format(name=name), True
    if downloaded(requested.model) is not None:
        said = fit(requested.model)
        size = {"parameters": numbers.count(said.parameter_count), "loaded": numbers.size(said.loaded_bytes)}
        return words.WISH_HERE.format(name=name, **size), True
    known = next((one for one in OFFERS if one.name == requested.model.partition("@")[0]), None)
    size_text = words.WISH_SIZE.format(size=numbers.size(known.bytes)) if known else ""
    return words.WISH_ELSEWHERE.format(name=name, size=size_text), False


def _server(requested: RequestedModel) -> tuple[str, bool]:
    address = Address.parse(requested.model)
    if not address.allowed:
        raise ViewerError(words.WISH_FORBIDDEN)
    known = loaded_models.tokenizer_of_open_server(requested.model) is not None
    return (words.WISH_CONNECTED if known else words.WISH_SERVER).format(where=address.shown), known


def _folder(requested: RequestedModel) -> tuple[str, bool]:
    if requested.model not in loaded_models.in_memory():
        raise ViewerError(words.WISH_FOLDER)
    return words.WISH_LOADED.format(name=loaded_models.title(requested.model)), True
