"""The controls of the two ways of computing, and the link that carries them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from core.experiments.same_prompt import APP, EAGER, REFERENCE, SDPA, Way, why_not
from core.remote.address import is_address
from pages.ui.i18n.control_values import BETWEEN, control_value, translated
from pages.ui.i18n.translation import N_, _
from pages.ui.server import offered_models
from pages.ui.session import current
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.state import current_session

USUAL = replace(REFERENCE, backend=SDPA)  # the way without a change
CACHED, RIGHT = N_("one by one, with the cache"), N_("padded right")
CHANGES: dict[str, dict[str, Any]] = {
    N_("eager attention"): {"backend": EAGER},
    N_("SDPA attention"): {"backend": SDPA},
    N_("this app's steps"): {"backend": APP, "cache": True},
    "bfloat16": {"dtype": "bfloat16"},
    "float16": {"dtype": "float16"},
    CACHED: {"chunk": 1, "cache": True},
    N_("16 at once, with the cache"): {"chunk": 16, "cache": True},
    N_("one by one, without the cache"): {"chunk": 1, "cache": False},
    **{control_value("{count} texts", count=count): {"batch": count} for count in (2, 4, 8, 16)},
    RIGHT: {"padding": "right"},
    N_("ragged"): {"padding": "ragged"},
    N_("one thread"): {"threads": 1},
    N_("all threads"): {"threads": os.cpu_count() or 1},
    N_("8-bit weights"): {"bits": 8},
    N_("4-bit weights"): {"bits": 4},
    N_("after the settings"): {"settings": True},
}
ROWS = (  # of the table
    # without eager attention, which is the reference, and the settings
    *((name,) for name, fields in list(CHANGES.items())[1:-1] if "padding" not in fields and fields.get("batch", 4) == 4),
    ("4 texts", RIGHT),
    ("4 texts", "ragged"),
)
SERVER = N_("here or on the server")
PAIRS: dict[str, tuple[list[str], list[str]]] = {  # the changes of both ways
    N_("float32 or bfloat16"): ([], ["bfloat16"]),
    N_("alone or in a batch"): (["bfloat16"], ["bfloat16", "4 texts"]),
    N_("cached or not"): (["bfloat16"], ["bfloat16", CACHED]),
}
NO_CHANGE = N_("float32, SDPA attention")
USUAL_LINK = f"-{list(CHANGES).index('bfloat16')}"
KEYS = ("same_prompt_first", "same_prompt_second")


def offered() -> dict[str, dict[str, Any]]:
    """Return all changes, and the connected servers, which decide everything but the settings."""
    decided = {field.name: getattr(USUAL, field.name) for field in fields(Way) if field.name != "settings"}
    return CHANGES | {name: decided | {"backend": name} for name in current.model_names() if is_address(name)}


def choose() -> list[tuple[str, Way]]:
    """Draw the recommended pairs and the changes of both ways; return each way with its label in English."""
    changes, linked = offered(), st.query_params.get("ways", USUAL_LINK).split("-")
    titles = list(changes)
    for key, numbers in zip(KEYS, linked if len(linked) == 2 else USUAL_LINK.split("-"), strict=True):
        first = [titles[int(number)] for number in numbers.split(".") if number.isdecimal() and int(number) < len(CHANGES)]
        names = [name for name in st.session_state.get(key, first) if name in titles]  # a server may be gone
        later = (set().union(*(changes[other] for other in names[at:])) for at in range(1, len(names) + 1))
        st.session_state[key] = [name for name, others in zip(names, later, strict=True) if not others & changes[name].keys()]
    with st.container(horizontal=True):
        for number, (name, pair) in enumerate((PAIRS | {SERVER: ([], titles[len(CHANGES) :][:1])}).items()):
            about = None if pair[1] else _("Connect to a server on the page Models first.")
            key = f"same_prompt_pair_{number}"
            st.button(_(name), on_click=_use, args=(pair,), key=key, type="tertiary", help=about, disabled=not pair[1])
    about = _(
        "Without a change: transformers' SDPA attention, float32, one text, all tokens at once, no cache. Padding counts in a batch only."
    )
    options: dict[str, Any] = {"format_func": _title, "help": about, "placeholder": _(NO_CHANGE), "select_all": False, **PERSISTENT}
    homes, labels = st.columns(2, gap="large"), (_("The first way"), _("The second way"))
    chosen = [home.multiselect(label, titles, key=key, **options) for home, label, key in zip(homes, labels, KEYS, strict=True)]
    link = "-".join(".".join(str(titles.index(name)) for name in names) for names in chosen)
    can_be_linked = link != USUAL_LINK and not any(name not in CHANGES for names in chosen for name in names)
    current_session().place = {"ways": link} if can_be_linked else {}
    return [(BETWEEN.join(names) or NO_CHANGE, way_of(names)) for names in chosen]


def way_of(names: Sequence[str], base: Way = USUAL) -> Way:
    """Return the base with these changes. A server's name becomes its model, and `settings` the visitor's."""
    changes = offered()
    values = {field: value for name in names for field, value in changes[name].items()}
    if "settings" in values:
        values["settings"] = current.settings()
    if is_address(values.get("backend", APP)):
        values["backend"] = current.model_named(values["backend"])
    return replace(base, **values)


def _use(pair: tuple[list[str], list[str]]) -> None:
    st.session_state.update(zip(KEYS, pair, strict=True))


def _title(name: str) -> str:
    reason = why_not(current.model(), way_of([name]))
    return (offered_models.title(name) if is_address(name) else translated(name)) + (f": {_(reason)}" if reason else "")
