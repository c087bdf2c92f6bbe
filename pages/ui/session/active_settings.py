"""The settings that have an effect on each page. The sidebar greys all others."""

from __future__ import annotations

from collections.abc import Callable

from pages.ui.i18n import names
from pages.ui.session import current
from pages.ui.session.sampling_controls import CONTROLS

ALL = frozenset(control.key for control in CONTROLS)
NONE: frozenset[str] = frozenset()
SEED = frozenset({"seed"})
COLUMNS, SWEEP, _STREAM = names.COMPARE_VIEWS


def _compare() -> frozenset[str]:
    """Return the settings that Compare uses. Columns have their own settings and the visitor's seed. A sweep replaces one setting."""
    view = current.field("compare_view") or COLUMNS
    if view == COLUMNS:
        count = int(current.field("compare_count") or 3)
        chosen = [current.field(f"compare_preset_{number}") for number in range(count)]
        return ALL if "From the sidebar" in chosen or (count == 4 and chosen[3] is None) else SEED
    return ALL - {current.field("compare_setting") or "temperature"} if view == SWEEP else ALL


def _candidates() -> frozenset[str]:
    """Return the settings that Several tries uses: none for beam search, which samples nothing."""
    return NONE if current.field("candidates_view") == names.TRIES_VIEWS[1] else ALL


def _think() -> frozenset[str]:
    """Return the settings that Thinking aloud uses. Answers are greedy, and the seed chooses the sums of a set."""
    return SEED if current.field("think_view") == names.THINK_VIEWS[1] else NONE


def _memory() -> frozenset[str]:
    """Return the settings that Memory uses: all to continue the visitor's own text, none to answer a question greedily."""
    own = current.field("memory_source") == "own" and not (current.field("memory_question") or "").strip()
    return ALL if own else NONE


USED: dict[str, frozenset[str] | Callable[[], frozenset[str]]] = {
    "watch": ALL,
    "tour": NONE,
    "gallery": NONE,
    "read": NONE,
    "guess": ALL,
    "stage": ALL,
    "talk": NONE,
    "notes": NONE,
    "inside": ALL,
    "growing": NONE,
    "teach": NONE,
    "glossary": NONE,
    "what_if": ALL,
    "compare": _compare,
    "candidates": _candidates,
    "think": _think,
    "cache": ALL,
    "memory": _memory,
    "context": NONE,
    "cost": ALL,
    "batching": ALL,
    "waiting": ALL,
    "pupil": ALL,
    "speculative": ALL,
    "quantization": NONE,
    "models": NONE,
}


def used(path: str) -> frozenset[str]:
    """Return the keys of the settings that have an effect on this page now. A page that is not listed uses all of them."""
    declared = USED.get(path, ALL)
    return declared if isinstance(declared, frozenset) else declared()
