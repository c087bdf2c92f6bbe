"""A list of stages that can be moved with the mouse, and with Alt and the arrow keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.ui.components.register import component

_LIST = component("sampler_order", '<ol class="stages"></ol><div class="said" role="status"></div>')


def sampler_order(stages: Sequence[tuple[str, str, bool]], *, key: str, label: str, moved: str, on_move: Callable[[], None]) -> None:
    """Draw the list. stages: (name, text, whether it is on) in their order. moved: sentence for screen readers with {name} and {place}.

    Moving one puts the names in their new order into `order(key)` and calls `on_move`. The moves are counted, and each drawing says which
    was the last, so that the browser leaves out one that does not know its latest move.
    """

    def count_and_move() -> None:
        count = _sent(key).get("move")
        st.session_state[f"{key}_moves"] = count if isinstance(count, int) else 0
        on_move()

    data = {"stages": list(stages), "label": label, "moved": moved, "move": st.session_state.get(f"{key}_moves", 0)}
    _LIST(key=key, data=data, on_order_change=count_and_move)


def order(key: str) -> tuple[str, ...]:
    """Return the names in their new order, empty if the browser sent anything else."""
    value: Any = _sent(key).get("names")
    return tuple(value) if isinstance(value, list) and all(isinstance(name, str) for name in value) else ()


def _sent(key: str) -> dict[str, Any]:
    value: Any = getattr(st.session_state.get(key), "order", None)
    return value if isinstance(value, dict) else {}
