"""Models that other programs put on this machine, and how a GGUF file would be loaded. For the operator of a private instance."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

import streamlit as st

from core.models.gguf.header import RUN, is_gguf
from core.models.gguf.loading import Plan
from core.models.local_collections import LocalModel, local_models
from core.remote import local_server
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _
from pages.ui.server import deployment
from pages.ui.session import current, elements, operator_role
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.state import memory

SECONDS = 60.0  # the folders are searched again after this time
PRECISIONS = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}


@dataclass(slots=True)
class _Collections:
    """searched: when, on the process's clock; None for never. models: of other programs."""

    searched: float | None = None
    models: list[LocalModel] = field(default_factory=list)


def _found() -> list[LocalModel]:
    """Return the models of other programs, searched at most once a minute."""
    collections = memory(_Collections)
    if collections.searched is None or monotonic() - collections.searched > SECONDS:
        collections.searched, collections.models = monotonic(), local_models()
    return collections.models


@action_boundary
def _choose() -> None:
    """Write the chosen model into the field for any model."""
    operator_role.require_operator()
    name = current.field("models_found")
    if name:
        current.fill("models_name", name)


def collections() -> None:
    """Draw the list of models that are already here. Nothing is drawn where strangers are expected."""
    if deployment.public():
        return
    models = _found()
    if not models:
        return
    elements.section(_("Already on this machine"), _("from other programs"))
    titles = {model.name: f"{model.title} · {numbers.size(model.bytes)} · {model.collection}" for model in models}
    st.selectbox(
        _("Found in the folders of other programs"),
        list(titles),
        index=None,
        format_func=titles.__getitem__,
        key="models_found",
        on_change=_choose,
        placeholder=_("Choose a model"),
        help=_("The cache of the hub, LM Studio, Ollama, and the folders in TOKEN_VIEWER_FOLDERS. Nothing is copied or changed."),
        width=560,
    )


def way(plan: Plan) -> str:
    """Return one sentence on how a GGUF file would be loaded."""
    if plan.here:
        template = _("{format}, widened to {dtype} when it is loaded. All pages work with it.")
        return template.format(format=plain(plan.header.format), dtype=PRECISIONS[plan.precision])
    if plan.why is None:
        return _("{format}, run by llama-server, which this app starts.").format(format=plain(plan.header.format))
    template = _("{format}, run by llama-server, which this app starts, because {why}. Pages that look inside a model cannot use it.")
    sentence = template.format(format=plain(plan.header.format), why=plain(_(plan.why)))
    if local_server.program() is None:
        sentence += " " + _("That program was not found. Install llama.cpp, so that llama-server is on the PATH.")
    return sentence


def by_server(name: str) -> str | None:
    """Return the name that runs this GGUF file with llama-server; None for other models, or without that program."""
    return f"{RUN}{name}" if is_gguf(name) and not name.startswith(RUN) and local_server.program() is not None else None
