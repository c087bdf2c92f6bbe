"""Models: who writes. The bundled ones, any from the hub or a folder, any server; what each takes, before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core import list_models
from core.language import _, say
from core.models.hub import OFFERS, Offer, local_folder
from core.models.memory_fit import fit
from core.models.model_names import checked_name
from core.remote.address import Address
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.server import deployment, loaded_models, published_models
from pages.ui.session import current, elements, requested_model, roles
from pages.ui.session.page_visibility import every
from pages.ui.shell import frame, remote_model_notes

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

frame.page()


@current.error_boundary
def use(name: str) -> None:
    """Load it and begin again with it."""
    current.anchor_notices(f"models_use_{name}")
    current.use_model(name)
    current.notify(_("{name} writes from now on.").format(name=name if roles.is_operator() else loaded_models.title(name)))


@current.error_boundary
def unload(name: str) -> None:
    """Give its memory back, whoever writes with it."""
    current.anchor_notices(f"models_use_{name}")
    roles.require_operator()
    loaded_models.unload(name)
    published_models.withdraw(name)
    current.notify(_("{name} was put away. Whoever was writing with it keeps their text, and going on loads it again.").format(name=name))


@current.error_boundary
def let_go(name: str) -> None:
    """Give up a model of one's own."""
    current.anchor_notices("models_here")
    current.current_session().taught.pop(name, None)
    current.notify(_("{name} is gone. What was written with it stays until you begin anew.").format(name=name))


@current.error_boundary
def offer_to_all(name: str, offered_now: bool) -> None:
    """Let every visitor choose it, or no more."""
    current.anchor_notices(f"models_use_{name}")
    roles.require_operator()
    if offered_now:
        published_models.withdraw(name)
    else:
        published_models.add(name, *roles.access(name))


@current.error_boundary
def check(name: str) -> None:
    """Say what it would take."""
    current.anchor_notices("models_fetch")
    roles.require_operator()
    name = checked_name(name)
    said = fit(name)
    current.results()["fit"] = (name, said)


@current.error_boundary
def fetch(name: str) -> None:
    """Download it; a folder or a model that is here already is used at once."""
    current.anchor_notices("models_fetch")
    roles.require_operator()
    name = checked_name(name)
    if local_folder(name) is not None:
        current.use_model(name)
        current.notify(_("{name} writes from now on.").format(name=name))
    elif loaded_models.busy():
        current.notify(_("Two downloads are running already. Wait for one of them, or stop it."))
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
    current.anchor_notices("models_connect")
    roles.require_operator()
    address, tokenizer, key = (str(current.field(f"models_{field}") or "").strip() for field in ("address", "tokenizer", "key"))
    if not address or not tokenizer:
        current.notify(_("A server needs its address and the name of its tokenizer; nothing was sent."))
        return
    shown = Address.parse(address)
    current.fill("models_address", shown.url)  # a name and a password that stood in it are gone from the page
    current.use_model(address, tokenizer, key or None)
    current.notify(_("{name} writes from now on.").format(name=shown.shown))


def on_this_machine() -> None:
    """The models that are here, and which of them is in use."""
    elements.section(_("On this machine"), _("loaded once, shared by all visitors"))
    elements.notices("models_here")
    operator, taught = roles.is_operator(), current.current_session().taught
    chosen, held = current.model_name(), loaded_models.in_memory()
    entries = {entry.name: entry for entry in list_models()}
    columns = st.columns(2, gap="medium")
    for place, name in enumerate(current.model_names()):
        entry, model = entries.get(name), held.get(name)
        with columns[place % 2], st.container(border=True):
            title = entry.title if entry else name if operator else loaded_models.title(name)
            badges = [_("in use")] * (name == chosen) + [_("offered to visitors")] * (
                operator and deployment.public() and name in published_models.names()
            )
            st.markdown(f"**{plain(title)}**" + "".join(f" :blue-badge[{badge}]" for badge in badges))
            if entry:
                st.caption(plain(_(entry.description)))
                st.caption(
                    _("{parameters} parameters · {size} on disk").format(
                        parameters=numbers.count(entry.parameter_count), size=numbers.size(entry.bytes)
                    )
                )
            if model is not None:
                st.caption(
                    _("in memory: {size}, {dtype} on {device}").format(
                        size=numbers.size(model.weight_bytes), dtype=model.dtype, device=model.device
                    )
                )
                for note in model.notes:
                    st.caption(plain(_(note)))
            with st.container(horizontal=True):
                if name != chosen:
                    st.button(_("Use this one"), key=f"models_use_{name}", on_click=use, args=(name,))
                if name in taught and name != chosen:
                    st.button(_("Let go of it"), key=f"models_let_go_{name}", on_click=let_go, args=(name,), type="tertiary")
                if model is not None and name != chosen and operator:
                    st.button(
                        _("Unload"),
                        key=f"models_unload_{name}",
                        on_click=unload,
                        args=(name,),
                        help=_("Gives its memory back. It is loaded again when somebody uses it."),
                        type="tertiary",
                    )
                if operator and deployment.public() and entry is None and name not in taught:
                    offer_button(name)
            elements.notices(f"models_use_{name}")


def of_field(verb: Callable[[str], None]) -> None:
    """Do it with the name that stands in the field now, even if it was typed the moment before."""
    verb(current.field("models_name") or "")


def offer_button(name: str) -> None:
    """The operator's: who else may choose this model."""
    now = name in published_models.names()
    if now and name not in published_models.added():  # the environment says so, and goes on saying so
        return
    st.button(
        _("Offer no more") if now else _("Offer to visitors"),
        key=f"models_offer_{name}",
        on_click=offer_to_all,
        args=(name, now),
        help=_("Everybody can choose it until the app is started anew, or until you take it back. TOKEN_VIEWER_OFFER keeps it for good."),
        type="tertiary",
    )


def offer(one: Offer) -> None:
    """One model worth trying."""
    with st.container(border=True):
        gated = f" :gray-badge[{_('asks for a licence and a token')}]" if one.gated else ""
        st.markdown(
            f"**{one.title}**{gated}", help=_("Accept its licence on the hub, then start the app with HF_TOKEN set.") if one.gated else None
        )
        st.caption(_(one.good_for))
        line = _("{parameters} · {size} · {licence}").format(
            parameters=numbers.count(one.parameter_count), size=numbers.size(one.bytes), licence=one.licence
        )
        st.caption(line)
        st.button(_("Fetch"), key=f"models_fetch_{one.name}", on_click=fetch, args=(one.name,), icon=":material/download:")


def from_the_hub() -> None:
    """A short list, and any other by name."""
    elements.section(_("From the Hugging Face hub"), _("needs a network"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            _("Any model"),
            key="models_name",
            help=_(
                "A hub id such as HuggingFaceTB/SmolLM2-135M, with @ and a revision if you want one pinned; or a folder on this machine."
            ),
            max_chars=300,
            width=420,
        )
        st.button(_("Does it fit?"), on_click=of_field, args=(check,), key="models_check", disabled=not name.strip())
        st.button(_("Fetch"), on_click=of_field, args=(fetch,), key="models_fetch", disabled=not name.strip(), icon=":material/download:")
    elements.notices("models_fetch")
    told = current.results().get("fit")
    if told:
        of, said = told
        sentence = (
            _("**{name}** has {parameters} parameters. Loaded, it takes {loaded}; {free} are free on {device}. It fits.")
            if said.fits
            else _("**{name}** has {parameters} parameters. Loaded, it takes {loaded}, but only {free} are free on {device}.")
        )
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
        text = _("Fetching {name}: {done} of {total}, {speed} a second").format(
            name=plain(name), done=done, total=total, speed=numbers.size(one.bytes_per_second)
        )
        st.progress(
            min(1.0, one.done / one.total) if one.total else 0.0,
            text=text if one.total else _("Asking the hub for {name} …").format(name=plain(name)),
        )
        st.button(_("Stop"), key=f"models_stop_{number}", on_click=stop, args=(name,), icon=":material/close:")
    elif one.error is not None:
        elements.show_notice(say(one.error))
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(_("{name} is here.").format(name=plain(name)))
            st.button(_("Use this one"), key=f"models_use_fetched_{number}", on_click=use, args=(name,), type="primary")


def on_a_server() -> None:
    """An inference server, where one machine is not enough."""
    elements.section(_("On an inference server"), _("vLLM or llama-server"))
    st.caption(_("For models that are too large for one machine. The server computes; the dice are still rolled here."))
    # One form: what is sent is what stands in all three fields at the press, never a part of it with the rest from before.
    with st.form("models_server", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(_("Address"), key="models_address", help=_("Such as http://10.0.0.7:8000"), max_chars=300, width=280)
        st.text_input(
            _("Its tokenizer"),
            key="models_tokenizer",
            help=_("The hub id or a folder of the model that the server runs; only its tokenizer is read."),
            max_chars=300,
            width=280,
        )
        st.text_input(
            _("Key"),
            key="models_key",
            help=_("Only if the server asks for one. It stays in this session."),
            type="password",
            max_chars=500,
            width=160,
        )
        st.form_submit_button(_("Connect"), key="models_connect", on_click=connect)
    elements.notices("models_connect")


def of_the_server() -> None:
    """The server in use, in its own numbers."""
    if current.model_name() not in current.current_session().servers:
        return
    model = current.model()
    if hasattr(model, "server_kind"):
        st.fragment(_metrics, key="models_metrics")(model)


def _metrics(model: LanguageModel) -> None:
    with elements.error_boundary():
        remote_model_notes.metrics(model)
        st.button(_("Ask again"), key="models_metrics_again", icon=":material/refresh:", type="tertiary")


def asked_by_a_link() -> None:
    """Whoever comes from a link's wish finds its name filled in, and what it would take."""
    wanted = requested_model.confirmed_request()
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
frame.header(
    _("Who writes?"),
    _("language models"),
    _("A few small models came with this app. Others can be fetched, or asked for on a server.")
    if may_add
    else _("These are the models you can choose here. Others are added by whoever runs this app."),
)
with elements.error_boundary():
    on_this_machine()
if may_add:
    with elements.error_boundary():
        from_the_hub()
    with elements.error_boundary():
        on_a_server()
with elements.error_boundary():
    of_the_server()
