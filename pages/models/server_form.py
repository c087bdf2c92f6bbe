"""The form that connects to an inference server. For the operator."""

from __future__ import annotations

import streamlit as st

from core.errors import InputError
from core.remote.address import Address, is_closed_here
from pages.models import model_cards
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, operator_role
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify


@action_boundary
def connect() -> None:
    """Connect to the server of the form. The fields are read here, because the values of the last draw can be older than the press."""
    anchor_notices("models_connect")
    operator_role.require_operator()
    address, tokenizer, key = (str(current.field(f"models_{field}") or "").strip() for field in ("address", "tokenizer", "key"))
    if not address:
        notify(_("Give the address of the server. Nothing was sent."))
        return
    parsed = Address.parse(address)
    current.fill("models_address", parsed.url)  # a name and a password in the address are removed from the page
    if operator_role.sits_here() and is_closed_here(parsed):  # others could find out in this way which programs run here
        raise InputError("Nothing listens at {address} on this machine. Start the server, or correct the port.", address=parsed.shown)
    current.use_model(address, tokenizer, key or None)
    notify(model_cards.in_use(parsed.shown))


def from_a_server() -> None:
    """Draw the form for an inference server."""
    elements.section(_("On an inference server"), _("vLLM, llama-server, Ollama, LM Studio, TGI, SGLang, hosted services"))
    st.caption(
        _(
            "Enter the address. The app detects the server and lists what it can show. The server computes; the "
            "sampling is done here where the server lists enough tokens."
        )
    )
    # One form, so that a press sends all three fields as they are at that moment.
    with st.form("models_server", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        tokenizer = _("Not needed. With the hub id or a folder of the server's model, texts are divided into tokens on this machine.")
        address = _("Such as http://10.0.0.7:8000. If the server has several models: http://10.0.0.7:8000#name-of-the-model")
        key = _("Only if the server asks for one. It stays in this session.")
        st.text_input(_("Address"), key="models_address", help=address, max_chars=300, width=280)
        st.text_input(_("Its tokenizer (optional)"), key="models_tokenizer", help=tokenizer, max_chars=300, width=280)
        st.text_input(_("Key"), key="models_key", help=key, type="password", max_chars=500, width=160)
        st.form_submit_button(_("Connect"), key="models_connect", on_click=connect)
    elements.notices("models_connect")
