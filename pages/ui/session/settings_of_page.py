"""Which sampling settings count on which page, in one table. The sidebar shows these; the dialog counts where several of them do."""

from __future__ import annotations

from collections.abc import Callable

from pages.ui.i18n import names
from pages.ui.session import current
from pages.ui.session.sampling_controls import CONTROLS

ALL = frozenset(row.name for row in CONTROLS)
NONE: frozenset[str] = frozenset()
SEED = frozenset({"seed"})
COLUMNS, SWEEP = names.COMPARE_VIEWS


def _compare() -> frozenset[str]:
    """Columns have their own settings with the visitor's seed. The setting that is turned through its range does not count."""
    view = current.field("compare_view") or COLUMNS
    if view == COLUMNS:
        count = int(current.field("compare_count") or 3)
        chosen = [current.field(f"compare_preset_{number}") for number in range(count)]
        return ALL if "From the sidebar" in chosen or (count == 4 and chosen[3] is None) else SEED
    return ALL - {current.field("compare_setting") or "temperature"}


def _candidates() -> frozenset[str]:
    """Beam search does not sample."""
    return NONE if current.field("candidates_view") == names.TRIES_VIEWS[1] else ALL


def _think() -> frozenset[str]:
    """Answers are greedy. The seed chooses the sums of a set."""
    return SEED if current.field("think_view") == names.THINK_VIEWS[1] else NONE


def _memory() -> frozenset[str]:
    """A question is answered greedily. The visitor's own text without a question is continued with the settings."""
    own = current.field("memory_source") == "own" and not (current.field("memory_question") or "").strip()
    return ALL if own else NONE


def _why() -> frozenset[str]:
    """Only texts that are written use the settings: without some heads, and steered."""
    return ALL if current.field("why_view") in (names.WHY_VIEWS[1], names.WHY_VIEWS[4]) else NONE


USED: dict[str, frozenset[str] | Callable[[], frozenset[str]]] = {
    "watch": ALL,
    "tour": NONE,
    "gallery": NONE,
    "operator": NONE,
    "read": NONE,
    "guess": ALL,
    "stage": ALL,
    "talk": NONE,
    "notes": NONE,
    "inside": ALL,
    "why": _why,
    "growing": NONE,
    "teach": NONE,
    "by_hand": NONE,
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


def settings_of_page(path: str) -> frozenset[str]:
    """Return the keys of the settings that count on the page with this path now; all of them for the landing page and unlisted pages."""
    declared = USED.get(path, ALL)
    return declared if isinstance(declared, frozenset) else declared()
