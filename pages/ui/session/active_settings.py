"""Which settings of the sidebar change anything on which page, in one table; all others rest there, and look like it."""

from __future__ import annotations

from collections.abc import Callable

from pages.ui.i18n import names
from pages.ui.session import current
from pages.ui.session.sampling_controls import CONTROLS

ALL = frozenset(control.key for control in CONTROLS)
NONE: frozenset[str] = frozenset()
SEED = frozenset({"seed"})
COLUMNS, SWEEP = names.COMPARE_VIEWS


def _compare() -> frozenset[str]:
    """Columns have settings of their own, all with the visitor's seed; a setting that is turned through its range is not the visitor's."""
    view = current.field("compare_view") or COLUMNS
    if view == COLUMNS:
        count = int(current.field("compare_count") or 3)
        chosen = [current.field(f"compare_preset_{number}") for number in range(count)]
        return ALL if "From the sidebar" in chosen or (count == 4 and chosen[3] is None) else SEED
    return ALL - {current.field("compare_setting") or "temperature"}


def _candidates() -> frozenset[str]:
    """Beam search rolls nothing."""
    return NONE if current.field("candidates_view") == names.TRIES_VIEWS[1] else ALL


def _think() -> frozenset[str]:
    """Answered greedily; the seed chooses the sums of a set."""
    return SEED if current.field("think_view") == names.THINK_VIEWS[1] else NONE


def _memory() -> frozenset[str]:
    """A question is answered greedily; only a text of one's own without one is written on with the visitor's settings."""
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
    """The keys of the settings that count on the page with this path as it is now. The landing page, and a page not listed, uses all."""
    declared = USED.get(path, ALL)
    return declared if isinstance(declared, frozenset) else declared()
