"""Branch tree: an outline whose rows are folded, opened, named and deleted by clicking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pages.ui.charts.tree_rows import Row
from pages.ui.components.register import component
from pages.ui.i18n.translation import N_, _, said

WORDS = {
    "here": N_("you are here"),
    "rename": N_("name"),
    "delete": N_("delete"),
    "ask": N_("Delete {count} tokens?"),
    "yes": N_("Delete"),
    "no": N_("Keep"),
    "name": N_("a name for this branch"),
    "save": N_("Save"),
    "fold": N_("fold"),
    "unfold": N_("unfold"),
}
LONGEST_TEXT = 400  # characters of a row that are sent
MOST_ROWS = 1_500

_TREE = component("branch_tree", '<div class="tree" role="tree"></div>')


@dataclass(frozen=True, slots=True)
class TreeAction:
    """What the visitor did in the tree: verb "go", "name" or "delete"; name: the new name."""

    verb: str
    node_id: int
    name: str = ""


def branch_tree(rows: Sequence[Row], *, key: str, can: Sequence[str] = ("go", "name", "delete"), height: int = 420) -> TreeAction | None:
    """Draw the tree and return the visitor's action, None if there was none. can: the verbs that are offered."""
    data = {
        "label": _("Tree of branches"),
        "rows": [
            (r.node_id, -1 if r.parent is None else r.parent, _short(r.text), round(r.share, 4), r.note, r.kind, r.name, r.here, r.gone)
            for r in rows[:MOST_ROWS]
        ],
        "can": list(can),
        "height": height,
        "words": said(WORDS),
    }
    sent = _TREE(key=key, data=data, on_action_change=lambda: None)
    return tree_action(sent.action, {row.node_id for row in rows}, can)


def tree_action(sent: Any, node_ids: set[int], can: Sequence[str]) -> TreeAction | None:
    """Return the action that the browser sent, None if it is not possible here."""
    if not isinstance(sent, dict):
        return None
    verb, node_id, name = sent.get("verb"), sent.get("node"), sent.get("name", "")
    if verb not in can or isinstance(node_id, bool) or not isinstance(node_id, int) or node_id not in node_ids or not isinstance(name, str):
        return None
    return TreeAction(str(verb), node_id, name[:200])


def _short(text: str) -> str:
    text = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    return text.replace("\n", " ↵ ")
