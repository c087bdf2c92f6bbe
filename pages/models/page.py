"""Models: the bundled ones, any from the hub or a folder, any server; and what each needs, before it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import streamlit as st

from core.errors import ViewerError
from core.models.gguf.header import RUN, is_gguf, is_here
from core.models.gguf.hub_file import files_on_hub, is_hub_file
from core.models.gguf.loading import plan
from core.models.hub import OFFERS, Offer, local_folder
from core.models.memory_estimate import fit
from core.models.model_names import checked_name
from pages.models import downloads_view, local_files, model_cards, server_form
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import model_downloads, offered_models
from pages.ui.session import current, elements, linked_model, operator_role, own_models, share_link
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.state import current_session, memory
from pages.ui.shell import frame, remote_model_notes

frame.page()


@action_boundary
def check(name: str) -> None:
    """Compute what the model needs."""
    anchor_notices("models_fetch")
    operator_role.require_operator()
    name = checked_name(name)
    if is_gguf(name) and not is_here(name) and is_hub_file(name):
        notify(_("Its download is {size}.").format(size=numbers.size(sum(files_on_hub(name).values()))))
        return
    memory(downloads_view.RequestedModels).fit = (name, fit(name), local_files.way(plan(name)) if is_gguf(name) else "")


@action_boundary
def fetch(name: str) -> None:
    """Download the model; a folder, or a model that is here, is used at once."""
    anchor_notices("models_fetch")
    operator_role.require_operator()
    name = checked_name(name)
    memory(downloads_view.RequestedModels).fit = None  # what an earlier model needs
    if on_this_machine(name):
        current.use_model(name)
        notify(model_cards.in_use(offered_models.title(name)))
    elif model_downloads.busy():
        notify(_("Two downloads are running already. Wait for one of them, or stop it."))
    else:
        memory(downloads_view.RequestedModels).fetched = name
        model_downloads.download(name)


def on_this_machine(name: str) -> bool:
    """Return whether this is a model on this machine. A path without a file counts too. Raises ModelError for a path without a folder."""
    if is_gguf(name):
        return is_here(name) or not is_hub_file(name.removeprefix(RUN))
    return local_folder(name) is not None


def can_be_used(name: str) -> bool:
    """Return whether this is a model on this machine; False for a name without one."""
    with suppress(ViewerError):
        return bool(name) and on_this_machine(name)
    return False


def is_path(name: str) -> bool:
    """Return whether this is the path of a folder or file, whether it exists or not, and no id of the hub."""
    return share_link.kind_of_model(name) == "folder" and not is_hub_file(name.removeprefix(RUN))


def serve(name: str) -> None:
    """Run the GGUF file with llama-server."""
    fetch(local_files.by_server(name) or name)


def of_field(verb: Callable[[str], None]) -> None:
    """Call `verb` with the name in the field as it is now."""
    verb(current.field("models_name") or "")


def offer(offered: Offer) -> None:
    """Draw one model worth trying."""
    with st.container(border=True):
        gated = f" :gray-badge[{_('needs a licence and an access key of the hub')}]" if offered.gated else ""
        accept = _("Accept its licence on the hub, then start the app with HF_TOKEN set.") if offered.gated else None
        st.markdown(f"**{offered.title}**{gated}", help=accept)
        st.caption(_(offered.good_for))
        figures = {"parameters": numbers.count(offered.parameter_count), "size": numbers.size(offered.bytes), "licence": offered.licence}
        st.caption(_("{parameters} · {size} · {licence}").format(**figures))
        st.button(_("Download"), key=f"models_fetch_{offered.name}", on_click=fetch, args=(offered.name,), icon=":material/download:")


def from_the_hub() -> None:
    """Draw the field for any model, what it needs, the downloads, and a short list."""
    elements.section(_("Another model"), _("a file or a folder here; or the Hugging Face hub, which needs a network"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = _("A hub id (org/model or org/model@revision), a GGUF file of the hub (org/model:Q4_K_M), or a folder or GGUF file here.")
        widget_options: dict[str, Any] = {"placeholder": _("/path/to/model.gguf or org/model"), "width": 420}
        name = st.text_input(_("Any model"), key="models_name", help=names, max_chars=300, **widget_options)
        empty = not name.strip()
        verb = _("Use") if can_be_used(name.strip()) or is_path(name.strip()) else _("Download")
        st.button(_("Does it fit?"), on_click=of_field, args=(check,), key="models_check", disabled=empty)
        st.button(verb, on_click=of_field, args=(fetch,), key="models_fetch", disabled=empty, icon=":material/download:")
        if local_files.by_server(name.strip()):
            here = _("llama-server computes with the packed weights and needs less memory. Pages that look inside a model cannot use it.")
            st.button(_("Run with llama-server"), on_click=of_field, args=(serve,), key="models_serve", help=here)
    elements.notices("models_fetch")
    answer = memory(downloads_view.RequestedModels).fit
    if answer:
        asked, estimate, way = answer
        sentence = (
            _("**{name}** has {parameters} parameters. Loaded, it needs {loaded}; {free} are free on {device}. It fits.")
            if estimate.fits
            else _("**{name}** has {parameters} parameters. Loaded, it needs {loaded}, but only {free} are free on {device}.")
        )
        sizes = {"loaded": numbers.size(estimate.loaded_bytes), "free": numbers.size(estimate.free_bytes)}
        st.markdown(sentence.format(name=plain(asked), parameters=numbers.count(estimate.parameter_count), device=estimate.device, **sizes))
        if way:
            st.caption(way)
    downloads_view.running_downloads()
    columns = st.columns(3, gap="medium")
    for index, offered in enumerate(OFFERS):
        with columns[index % 3]:
            offer(offered)


@action_boundary
def add_adapter() -> None:
    """Add the adapter in the field to the visitor's model."""
    anchor_notices("models_add_adapter")
    operator_role.require_operator()
    own_models.add(str(current.field("models_adapter") or ""))
    notify(model_cards.in_use(offered_models.title(current.model_name())))


def adapter() -> None:
    """Draw the field for an adapter on top of the visitor's model."""
    elements.section(_("An adapter on top of it"), _("LoRA"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = _("A folder here or a hub id of the PEFT library, with adapter_config.json and adapter_model.safetensors.")
        name = st.text_input(_("Adapter"), key="models_adapter", help=about, max_chars=300, width=420)
        label = _("Add to {model}").format(model=plain(offered_models.title(current.model_name())))
        st.button(label, on_click=add_adapter, key="models_add_adapter", disabled=not name.strip(), icon=":material/layers:")
    elements.notices("models_add_adapter")


@st.fragment
def server_metrics() -> None:
    """Draw the numbers of the server in use."""
    with drawing_boundary():
        remote_model_notes.metrics(current.model())
        st.button(_("Refresh"), key="models_metrics_again", icon=":material/refresh:", type="tertiary")


def fill_from_link() -> None:
    """Fill in the model that a link asks for, and compute what it needs."""
    wanted = linked_model.confirmed_request()
    if wanted is None:
        return
    if wanted.kind == "server":
        current.fill("models_address", wanted.address)
    else:
        current.fill("models_name", wanted.model)
        check(wanted.model)


operator = operator_role.is_operator()
if operator:
    fill_from_link()
frame.header(
    _("Which model writes?"),
    _("language models"),
    _("Small models came with this app. Others can be downloaded, or used on a server.")
    if operator
    else _("You can choose one of these models. The operator of this app can add others."),
)
with drawing_boundary():
    model_cards.on_this_machine()
if operator:
    with drawing_boundary():
        local_files.collections()
    with drawing_boundary():
        from_the_hub()
    with drawing_boundary():
        adapter()
    with drawing_boundary():
        server_form.from_a_server()
with drawing_boundary():
    if current.model_name() in current_session().models.servers and remote_model_notes.is_served():
        server_metrics()
