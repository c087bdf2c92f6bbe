"""Models: who writes. The bundled ones, any from the hub or a folder, any server; what each takes, before it is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from core import list_models
from core.models.hub import OFFERS, Offer, checked_name, local_folder
from core.models.memory_fit import fit
from core.servers.address import Address
from pages.parts.layout import frame, served
from pages.parts.runtime import loaded_models
from pages.parts.session import current, requested_model
from pages.parts.text import model_words as words
from pages.parts.text import numbers, server_words

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

frame.page()


@current.error_boundary
def use(name: str) -> None:
    """Load it and begin again with it."""
    current.at(f"models_use_{name}")
    current.use_model(name)
    current.notify(words.NOW_USED.format(name=name))


@current.error_boundary
def unload(name: str) -> None:
    """Give its memory back."""
    current.at(f"models_use_{name}")
    loaded_models.unload(name)
    current.notify(words.UNLOADED.format(name=name))


@current.error_boundary
def check(name: str) -> None:
    """Say what it would take."""
    current.at("models_fetch")
    name = checked_name(name)
    said = fit(name)
    current.results()["fit"] = (name, said)


@current.error_boundary
def fetch(name: str) -> None:
    """Download it; a folder or a model that is here already is used at once."""
    current.at("models_fetch")
    name = checked_name(name)
    if local_folder(name) is not None:
        current.use_model(name)
        current.notify(words.NOW_USED.format(name=name))
    elif loaded_models.busy():
        current.notify(words.BUSY)
    else:
        current.results()["fetching"] = name
        loaded_models.download(name)


@current.error_boundary
def stop(name: str) -> None:
    """End a download."""
    loaded_models.downloads()[name].stop()


@current.error_boundary
def connect() -> None:
    """Ask the server of the form, as it was submitted: read here, since what the page drew before is older than the press."""
    current.at("models_connect")
    address, tokenizer, key = (str(current.field(f"models_{field}") or "").strip() for field in ("address", "tokenizer", "key"))
    if not address or not tokenizer:
        current.notify(words.BOTH_NEEDED)
        return
    shown = Address.parse(address)
    current.fill("models_address", shown.url)  # a name and a password that stood in it are gone from the page
    current.use_model(address, tokenizer, key or None)
    current.notify(words.NOW_USED.format(name=shown.shown))


def on_this_machine() -> None:
    """The models that are here, and which of them is in use."""
    frame.section(words.HERE_TITLE, words.HERE_TERM)
    chosen, held = current.model_name(), loaded_models.in_memory()
    entries = {entry.name: entry for entry in list_models()}
    columns = st.columns(2, gap="medium")
    for place, name in enumerate(current.model_names()):
        entry, model = entries.get(name), held.get(name)
        with columns[place % 2], st.container(border=True):
            st.markdown(f"**{entry.title if entry else name}**" + (f" :blue-badge[{words.IN_USE}]" if name == chosen else ""))
            if entry:
                st.caption(entry.description)
                st.caption(words.CARD.format(parameters=numbers.count(entry.parameter_count), size=numbers.size(entry.bytes)))
            if model is not None:
                st.caption(words.LOADED.format(size=numbers.size(model.weight_bytes), dtype=model.dtype, device=model.device))
                for note in model.notes:
                    st.caption(note)
            with st.container(horizontal=True):
                if name != chosen:
                    st.button(words.USE, key=f"models_use_{name}", on_click=use, args=(name,))
                if model is not None and name != chosen:
                    st.button(
                        words.UNLOAD, key=f"models_unload_{name}", on_click=unload, args=(name,), help=words.UNLOAD_HELP, type="tertiary"
                    )
            frame.notices(f"models_use_{name}")


def offer(one: Offer) -> None:
    """One model worth trying."""
    with st.container(border=True):
        gated = f" :gray-badge[{words.GATED}]" if one.gated else ""
        st.markdown(f"**{one.title}**{gated}", help=words.GATED_HELP if one.gated else None)
        st.caption(one.good_for)
        line = words.OFFER.format(parameters=numbers.count(one.parameter_count), size=numbers.size(one.bytes), licence=one.licence)
        st.caption(line)
        st.button(words.FETCH, key=f"models_fetch_{one.name}", on_click=fetch, args=(one.name,), icon=":material/download:")


def from_the_hub() -> None:
    """A short list, and any other by name."""
    frame.section(words.HUB_TITLE, words.HUB_TERM)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(words.CHOOSE, key="models_name", help=words.CHOOSE_HELP, max_chars=300, width=420)
        st.button(words.CHECK, key="models_check", on_click=check, args=(name,), disabled=not name.strip())
        st.button(words.FETCH, key="models_fetch", on_click=fetch, args=(name,), disabled=not name.strip(), icon=":material/download:")
    frame.notices("models_fetch")
    told = current.results().get("fit")
    if told:
        of, said = told
        sentence = words.FITS if said.fits else words.TOO_LARGE
        st.markdown(
            sentence.format(
                name=of,
                parameters=numbers.count(said.parameter_count),
                loaded=numbers.size(said.loaded_bytes),
                free=numbers.size(said.free_bytes),
                device=said.device,
            )
        )
    progress()
    columns = st.columns(3, gap="medium")
    for place, one in enumerate(OFFERS):
        with columns[place % 3]:
            offer(one)


def progress() -> None:
    """The download that this visitor looks at; it moves by itself while it runs."""
    name = current.results().get("fetching")
    if name is None or name not in loaded_models.downloads():
        return
    under_way = loaded_models.downloads()[name].running
    st.fragment(_progress, run_every=0.5 if under_way else None, key="models_progress")(name, under_way)


def _progress(name: str, drawn_running: bool) -> None:
    one = loaded_models.downloads()[name]
    if drawn_running and not one.running:
        st.rerun()
    if one.running:
        done, total = numbers.size(one.done), numbers.size(one.total)
        text = words.GETTING.format(name=name, done=done, total=total, speed=numbers.size(one.bytes_per_second))
        st.progress(min(1.0, one.done / one.total) if one.total else 0.0, text=text if one.total else words.STARTING.format(name=name))
        st.button(words.STOP, key="models_stop", on_click=stop, args=(name,), icon=":material/close:")
    elif one.error is not None:
        frame.show_notice(str(one.error))
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.READY.format(name=name))
            st.button(words.USE, key="models_use_fetched", on_click=use, args=(name,), type="primary")


def on_a_server() -> None:
    """An inference server, where one machine is not enough."""
    frame.section(words.SERVER_TITLE, words.SERVER_TERM)
    st.caption(words.SERVER_LEAD)
    # One form: what is sent is what stands in all three fields at the press, never a part of it with the rest from before.
    with st.form("models_server", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(words.ADDRESS, key="models_address", help=words.ADDRESS_HELP, max_chars=300, width=280)
        st.text_input(words.TOKENIZER, key="models_tokenizer", help=words.TOKENIZER_HELP, max_chars=300, width=280)
        st.text_input(words.KEY, key="models_key", help=words.KEY_HELP, type="password", max_chars=500, width=160)
        st.form_submit_button(words.CONNECT, key="models_connect", on_click=connect)
    frame.notices("models_connect")


def of_the_server() -> None:
    """The server in use, in its own numbers."""
    if current.model_name() not in current.current_session().servers:
        return
    model = current.model()
    if hasattr(model, "server_kind"):
        st.fragment(_metrics, key="models_metrics")(model)


def _metrics(model: LanguageModel) -> None:
    with frame.error_boundary():
        served.metrics(model)
        st.button(server_words.ASK_AGAIN, key="models_metrics_again", icon=":material/refresh:", type="tertiary")


def asked_by_a_link() -> None:
    """Whoever comes from a link's wish finds its name filled in, and what it would take."""
    wanted = requested_model.followed()
    if wanted is None:
        return
    if wanted.kind == "server":
        current.fill("models_address", wanted.address)
    else:
        current.fill("models_name", wanted.model)
        check(wanted.model)


asked_by_a_link()
frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    on_this_machine()
with frame.error_boundary():
    from_the_hub()
with frame.error_boundary():
    on_a_server()
    of_the_server()
