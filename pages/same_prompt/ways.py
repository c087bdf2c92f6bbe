"""The controls of the two ways of computing, and the link that carries them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from core.experiments.same_prompt import APP, EAGER, REFERENCE, SDPA, Way, why_not
from core.remote.address import is_address
from pages.same_prompt import BATCHES, NO_CHANGE, WAY
from pages.ui.i18n.translation import N_, _
from pages.ui.session import current, linked_controls
from pages.ui.session.elements import PERSISTENT

USUAL = replace(REFERENCE, backend=SDPA)  # the way without a change
CHANGES: dict[str, dict[str, Any]] = {
    "eager": {"backend": EAGER},
    "sdpa": {"backend": SDPA},
    "app": {"backend": APP, "cache": True},
    "bfloat16": {"dtype": "bfloat16"},
    "float16": {"dtype": "float16"},
    "cached": {"chunk": 1, "cache": True},
    "cached_16": {"chunk": 16, "cache": True},
    "uncached": {"chunk": 1, "cache": False},
    **{f"texts_{count}": {"batch": count} for count in BATCHES},
    "padded_right": {"padding": "right"},
    "ragged": {"padding": "ragged"},
    "one_thread": {"threads": 1},
    "all_threads": {"threads": os.cpu_count() or 1},
    "bits_8": {"bits": 8},
    "bits_4": {"bits": 4},
    "settings": {"settings": True},
}
ROWS = (  # of the table
    # without eager attention, which is the reference, and the settings
    *((name,) for name, fields in list(CHANGES.items())[1:-1] if "padding" not in fields and fields.get("batch", 4) == 4),
    ("texts_4", "padded_right"),
    ("texts_4", "ragged"),
)
SERVER = N_("here or on the server")
PAIRS: dict[str, tuple[list[str], list[str]]] = {  # the changes of both ways
    N_("float32 or bfloat16"): ([], ["bfloat16"]),
    N_("alone or in a batch"): (["bfloat16"], ["bfloat16", "texts_4"]),
    N_("cached or not"): (["bfloat16"], ["bfloat16", "cached"]),
}
USUAL_LINK = f"-{list(CHANGES).index('bfloat16')}"
LONGEST_LINK = 200  # characters; every change once in both ways has 120
KEYS = ("same_prompt_first", "same_prompt_second")


def offered() -> dict[str, dict[str, Any]]:
    """Return all changes, and the connected servers, which decide everything but the settings."""
    decided = {field.name: getattr(USUAL, field.name) for field in fields(Way) if field.name != "settings"}
    return CHANGES | {name: decided | {"backend": name} for name in current.model_names() if is_address(name)}


def choose() -> list[tuple[tuple[str, ...], Way]]:
    """Draw the recommended pairs and the changes of both ways; return each way with its changes."""
    changes, linked = offered(), in_link(st.query_params.get("ways", USUAL_LINK))
    titles = list(changes)
    for key, names in zip(KEYS, linked, strict=True):
        st.session_state[key] = without_replaced(st.session_state.get(key, names), changes)
    with st.container(horizontal=True):
        for number, (name, pair) in enumerate((PAIRS | {SERVER: ([], titles[len(CHANGES) :][:1])}).items()):
            about = None if pair[1] else _("Connect to a server on the page Models first.")
            key = f"same_prompt_pair_{number}"
            st.button(_(name), on_click=_use, args=(pair,), key=key, type="tertiary", help=about, disabled=not pair[1])
    about = _(
        "Without a change: transformers' SDPA attention, float32, one text, all tokens at once, no cache. Padding counts in a batch only."
    )
    options: dict[str, Any] = {"format_func": _title, "help": about, "placeholder": WAY.words(NO_CHANGE), "select_all": False, **PERSISTENT}
    homes, labels = st.columns(2, gap="large"), (_("The first way"), _("The second way"))
    chosen = [home.multiselect(label, titles, key=key, **options) for home, label, key in zip(homes, labels, KEYS, strict=True)]
    link = "-".join(".".join(str(titles.index(name)) for name in names) for names in chosen)
    can_be_linked = link != USUAL_LINK and not any(name not in CHANGES for names in chosen for name in names)
    linked_controls.put({"ways": link} if can_be_linked else {})
    return [(tuple(names) or NO_CHANGE, way_of(names)) for names in chosen]


def in_link(text: str) -> tuple[list[str], list[str]]:
    """Return the changes of both ways in a link, each at most once: those of `USUAL_LINK` if the text is not valid."""
    parts = text.split("-") if len(text) <= LONGEST_LINK else []
    first, second = parts if len(parts) == 2 else USUAL_LINK.split("-")
    return _named(first), _named(second)


def _named(numbers: str) -> list[str]:
    titles = list(CHANGES)
    return list(dict.fromkeys(titles[int(number)] for number in numbers.split(".") if number.isdecimal() and int(number) < len(titles)))


def without_replaced(names: Sequence[str], changes: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the changes without those whose fields a later one changes, and without those that are gone, such as a server."""
    left: list[str] = []
    later: set[str] = set()
    for name in reversed([name for name in dict.fromkeys(names) if name in changes]):
        if not later & changes[name].keys():
            left.append(name)
        later |= changes[name].keys()
    return left[::-1]


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
    return WAY.words((name,)) + (f": {_(reason)}" if reason else "")
