"""Models: who writes. The bundled ones, any from the hub or a folder, any server; what each takes, before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core import list_models
from core.models.hub import OFFERS, Offer, checked_name, local_folder
from core.models.memory_fit import fit
from core.servers.address import Address
from pages.parts.components.visibility.visibility import every
from pages.parts.layout import frame, served
from pages.parts.runtime import house, loaded_models, offered
from pages.parts.session import current, requested_model, roles
from pages.parts.text import model_words as words
from pages.parts.text import numbers, operator_words, server_words
from pages.parts.text.plain import plain

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

frame.page()


@current.error_boundary
def use(name: str) -> None:
    """Load it and begin again with it."""
    current.at(f"models_use_{name}")
    current.use_model(name)
    current.notify(words.NOW_USED.format(name=name if roles.is_operator() else loaded_models.title(name)))


@current.error_boundary
def unload(name: str) -> None:
    """Give its memory back, whoever writes with it."""
    current.at(f"models_use_{name}")
    roles.require_operator()
    loaded_models.unload(name)
    offered.withdraw(name)
    current.notify(words.UNLOADED.format(name=name))


@current.error_boundary
def let_go(name: str) -> None:
    """Give up a model of one's own."""
    current.at("models_here")
    current.current_session().taught.pop(name, None)
    current.notify(operator_words.LET_GO_DONE.format(name=name))


@current.error_boundary
def offer_to_all(name: str, offered_now: bool) -> None:
    """Let every visitor choose it, or no more."""
    current.at(f"models_use_{name}")
    roles.require_operator()
    if offered_now:
        offered.withdraw(name)
    else:
        offered.add(name, *roles.access(name))


@current.error_boundary
def check(name: str) -> None:
    """Say what it would take."""
    current.at("models_fetch")
    roles.require_operator()
    name = checked_name(name)
    said = fit(name)
    current.results()["fit"] = (name, said)


@current.error_boundary
def fetch(name: str) -> None:
    """Download it; a folder or a model that is here already is used at once."""
    current.at("models_fetch")
    roles.require_operator()
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
    roles.require_operator()
    loaded_models.downloads()[name].stop()


@current.error_boundary
def connect() -> None:
    """Ask the server of the form, as it was submitted: read here, since what the page drew before is older than the press."""
    current.at("models_connect")
    roles.require_operator()
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
    frame.notices("models_here")
    operator, taught = roles.is_operator(), current.current_session().taught
    chosen, held = current.model_name(), loaded_models.in_memory()
    entries = {entry.name: entry for entry in list_models()}
    columns = st.columns(2, gap="medium")
    for place, name in enumerate(current.model_names()):
        entry, model = entries.get(name), held.get(name)
        with columns[place % 2], st.container(border=True):
            title = entry.title if entry else name if operator else loaded_models.title(name)
            badges = [words.IN_USE] * (name == chosen) + [operator_words.OFFERED] * (
                operator and house.public() and name in offered.names()
            )
            st.markdown(f"**{plain(title)}**" + "".join(f" :blue-badge[{badge}]" for badge in badges))
            if entry:
                st.caption(plain(entry.description))
                st.caption(words.CARD.format(parameters=numbers.count(entry.parameter_count), size=numbers.size(entry.bytes)))
            if model is not None:
                st.caption(words.LOADED.format(size=numbers.size(model.weight_bytes), dtype=model.dtype, device=model.device))
                for note in model.notes:
                    st.caption(plain(note))
            with st.container(horizontal=True):
                if name != chosen:
                    st.button(words.USE, key=f"models_use_{name}", on_click=use, args=(name,))
                if name in taught and name != chosen:
                    st.button(operator_words.LET_GO, key=f"models_let_go_{name}", on_click=let_go, args=(name,), type="tertiary")
                if model is not None and name != chosen and operator:
                    st.button(
                        words.UNLOAD, key=f"models_unload_{name}", on_click=unload, args=(name,), help=words.UNLOAD_HELP, type="tertiary"
                    )
                if operator and house.public() and entry is None and name not in taught:
                    offer_button(name)
            frame.notices(f"models_use_{name}")


def of_field(verb: Callable[[str], None]) -> None:
    """Do it with the name that stands in the field now, even if it was typed the moment before."""
    verb(current.field("models_name") or "")


def offer_button(name: str) -> None:
    """The operator's: who else may choose this model."""
    now = name in offered.names()
    if now and name not in offered.added():  # the environment says so, and goes on saying so
        return
    st.button(
        operator_words.WITHDRAW if now else operator_words.OFFER,
        key=f"models_offer_{name}",
        on_click=offer_to_all,
        args=(name, now),
        help=operator_words.OFFER_HELP,
        type="tertiary",
    )


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
        st.button(words.CHECK, on_click=of_field, args=(check,), key="models_check", disabled=not name.strip())
        st.button(words.FETCH, on_click=of_field, args=(fetch,), key="models_fetch", disabled=not name.strip(), icon=":material/download:")
    frame.notices("models_fetch")
    told = current.results().get("fit")
    if told:
        of, said = told
        sentence = words.FITS if said.fits else words.TOO_LARGE
        st.markdown(
            sentence.format(
                name=plain(of),
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
    """The downloads that run, whoever began them, and the latest of this visitor; they move by themselves."""
    own = current.results().get("fetching")
    for number, (name, one) in enumerate(list(loaded_models.downloads().items())):
        if one.running or name == own:
            clock = every(0.5 if one.running else None)
            st.fragment(_progress, run_every=clock, key=f"models_progress_{number}")(name, one.running, number)


def _progress(name: str, drawn_running: bool, number: int) -> None:
    one = loaded_models.downloads()[name]
    if drawn_running and not one.running:
        st.rerun()
    if one.running:
        done, total = numbers.size(one.done), numbers.size(one.total)
        text = words.GETTING.format(name=plain(name), done=done, total=total, speed=numbers.size(one.bytes_per_second))
        st.progress(
            min(1.0, one.done / one.total) if one.total else 0.0, text=text if one.total else words.STARTING.format(name=plain(name))
        )
        st.button(words.STOP, key=f"models_stop_{number}", on_click=stop, args=(name,), icon=":material/close:")
    elif one.error is not None:
        frame.show_notice(str(one.error))
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(words.READY.format(name=plain(name)))
            st.button(words.USE, key=f"models_use_fetched_{number}", on_click=use, args=(name,), type="primary")


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


may_add = roles.is_operator()
if may_add:
    asked_by_a_link()
frame.header(words.TITLE, words.TERM, words.LEAD if may_add else operator_words.VISITORS_LEAD)
with frame.error_boundary():
    on_this_machine()
if may_add:
    with frame.error_boundary():
        from_the_hub()
    with frame.error_boundary():
        on_a_server()
with frame.error_boundary():
    of_the_server()
