"""Branch tree component: what was tried, how likely each way was, where one stands; folded, walked, named, pruned by clicking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from core.experiments.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE, Beam, BeamStep
from core.experiments.candidates import Merged
from core.generation.tree import Branch, Tree, join_text
from core.language import N_, _, said
from pages.ui.charts import charts
from pages.ui.components.script import with_shared
from pages.ui.i18n import numbers

WORDS = {
    "here": N_("you are here"),
    "rename": N_("name"),
    "delete": N_("delete"),
    "ask": N_("Delete {count} words?"),
    "yes": N_("Delete"),
    "no": N_("Keep"),
    "name": N_("a name for this way"),
    "save": N_("Save"),
    "fold": N_("fold"),
    "unfold": N_("unfold"),
}
FATES = {
    KEPT: N_("kept"),
    FINISHED: N_("an answer"),
    CUT_OFF: N_("an answer, cut off here"),
    DROPPED: N_("dropped"),
    LATE: N_("too unlikely an ending"),
}


HERE = Path(__file__).parent
LONGEST_TEXT = 400  # characters of one way that are sent; more is never read in a tree
MOST_ROWS = 1_500
STANDING = (KEPT, FINISHED, CUT_OFF)  # beginnings that go on or compete as answers

_TREE = st.components.v2.component(
    "branch_tree",
    html='<div class="tree" role="tree"></div>',
    css=(HERE / "branch_tree.css").read_text("utf-8"),
    js=with_shared(HERE / "branch_tree.js"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One way between two forks. node_id: where it ends; parent: the row it leaves from (None: the trunk).

    text: what it says; share: width of its line, 0 to 1; note: small words behind it. kind: "path" (where one stands), "open", "good" or
    "gone". gone: how many steps a deletion would take away (0: it cannot be deleted).
    """

    node_id: int
    parent: int | None
    text: str
    share: float
    note: str = ""
    kind: str = "open"
    name: str = ""
    here: bool = False
    gone: int = 0


@dataclass(frozen=True, slots=True)
class TreeAction:
    """What was asked for in the tree: verb "go", "name" or "delete"; name: the new name."""

    verb: str
    node_id: int
    name: str = ""


def branch_tree(rows: Sequence[Row], *, key: str, can: Sequence[str] = ("go", "name", "delete"), height: int = 420) -> TreeAction | None:
    """Draw the tree; returns what was just asked for, if anything. can: which of the verbs are offered."""
    data = {
        "colours": charts.colours(),
        "rows": [
            (r.node_id, -1 if r.parent is None else r.parent, _shown(r.text), round(r.share, 4), r.note, r.kind, r.name, r.here, r.gone)
            for r in rows[:MOST_ROWS]
        ],
        "can": list(can),
        "height": height,
        "words": said(WORDS),
    }
    told = _TREE(key=key, data=data, on_wish_change=_nothing)
    return tree_action(told.wish, {row.node_id for row in rows}, can)


def tree_action(asked: Any, known: set[int], can: Sequence[str]) -> TreeAction | None:
    """What the browser sent, if it is something that can be asked for here."""
    if not isinstance(asked, dict):
        return None
    verb, node_id, name = asked.get("verb"), asked.get("node"), asked.get("name", "")
    if verb not in can or isinstance(node_id, bool) or not isinstance(node_id, int) or node_id not in known or not isinstance(name, str):
        return None
    return TreeAction(str(verb), node_id, name[:200])


def rows_of_run(run: Tree) -> list[Row]:
    """Everything that was tried in a run: one row for every stretch without a fork, in the order of writing."""
    line = set(run.line)
    rows: list[Row] = []
    waiting: list[tuple[int, int | None]] = [(child, None) for child in reversed(run.nodes[0].children)]
    while waiting:
        start, parent = waiting.pop()
        stretch = [start]
        while len(run.nodes[stretch[-1]].children) == 1 and stretch[-1] != run.here and not run.nodes[stretch[-1]].name:
            stretch.append(run.nodes[stretch[-1]].children[0])
        end = run.nodes[stretch[-1]]
        steps = [step for step in (run.nodes[i].step for i in stretch) if step]
        share = steps[0].model_probability
        rows.append(
            Row(
                node_id=end.node_id,
                parent=parent,
                text="".join(step.text or step.piece for step in steps),
                share=share,
                note=_("{share} · {count}").format(share=numbers.percent(share), count=numbers.tokens(len(steps))),
                kind="path" if start in line else "open",
                name=end.name,
                here=end.node_id == run.here,
                gone=len(run.doomed(end.node_id)),
            )
        )
        waiting += [(child, end.node_id) for child in reversed(end.children)]
    return rows


def way_name(run: Tree, branch: Branch, longest: int = 46) -> str:
    """A branch's own name, or the end of its text on one line, line breaks shown.

    The text begins with the prompt, so that a way of a single full stop is not called ".".
    """
    whole = run.prompt + join_text(run.path_to(branch.node_id))
    line = " ".join(whole.replace("\n", " ↵ ").split())
    return branch.name or (line if len(line) <= longest else "…" + line[1 - longest :])


def rows_of_tries(tree: Sequence[Merged], best: int | None) -> list[Row]:
    """The tries merged into one tree; best: the number of the try that won, whose way is marked."""
    children: dict[int, list[Merged]] = {}
    for node in tree[1:]:
        children.setdefault(node.parent or 0, []).append(node)
    total = max(1, len(tree[0].tries)) if tree else 1
    rows: list[Row] = []
    waiting: list[tuple[Merged, int | None]] = [(node, None) for node in reversed(_by_count(children.get(0, [])))]
    while waiting:
        node, parent = waiting.pop()
        text, end = node.text, node
        while len(children.get(end.node_id, [])) == 1 and not end.ends:
            end = children[end.node_id][0]
            text += end.text
        count = len(node.tries)
        rows.append(
            Row(
                node_id=end.node_id,
                parent=parent,
                text=text,
                share=count / total,
                note=_("try {number}").format(number=node.tries[0] + 1)
                if count == 1
                else _("{count} of {total} tries").format(count=count, total=total),
                kind="path" if best in node.tries else "open",
            )
        )
        waiting += [(child, end.node_id) for child in reversed(_by_count(children.get(end.node_id, [])))]
    return rows


def _by_count(nodes: list[Merged]) -> list[Merged]:
    return sorted(nodes, key=lambda node: (-len(node.tries), node.node_id))


def rows_of_beams(steps: Sequence[BeamStep], winner: int | None = None) -> list[Row]:
    """All beginnings that a beam search has considered; the winner's way is marked once it is known."""
    nodes = {
        beam.node_id: beam for step in steps for beam in step.considered if step is steps[-1] or beam.fate in STANDING
    }  # what was dropped is shown at the step at which it was, and then makes room
    newest = {beam.node_id for beam in steps[-1].considered} if steps else set()
    alive = _alive(steps[-1], nodes) if steps else set()
    won: set[int] = set()
    while winner:
        won.add(winner)
        winner = nodes[winner].parent
    children: dict[int, list[int]] = {}
    for beam in nodes.values():
        children.setdefault(beam.parent, []).append(beam.node_id)
    rows: list[Row] = []
    waiting: list[tuple[int, int | None]] = [(child, None) for child in reversed(children.get(0, []))]
    while waiting:
        start, parent = waiting.pop()
        text, end = nodes[start].text[-_added(nodes, start) :] if _added(nodes, start) else nodes[start].piece, start
        while len(children.get(end, [])) == 1:
            end = children[end][0]
            text += nodes[end].text[-_added(nodes, end) :] if _added(nodes, end) else ""
        beam = nodes[end]
        kind = "path" if start in won else "gone" if end not in alive else "good" if end in newest else "open"
        rows.append(
            Row(
                end,
                parent,
                text,
                nodes[start].probability,
                _("ln {score} · {fate}").format(score=numbers.decimal(beam.log_probability, 2), fate=_fate(beam.fate)),
                kind,
            )
        )
        waiting += [(child, end) for child in reversed(children.get(end, []))]
    return rows


def _alive(newest: BeamStep, nodes: dict[int, Beam]) -> set[int]:
    """The beginnings that are not given up: those kept at this step, the answers that still compete, and all that leads to them."""
    alive: set[int] = set()
    for node_id in (*(beam.node_id for beam in newest.kept), *(beam.node_id for beam in newest.answers)):
        here = node_id
        while here and here not in alive:
            alive.add(here)
            here = nodes[here].parent
    return alive


def _added(nodes: dict[int, Any], node_id: int) -> int:
    """How many characters this beginning is longer than the one it grew from."""
    beam = nodes[node_id]
    return len(beam.text) - (len(nodes[beam.parent].text) if beam.parent else 0)


def _fate(fate: str) -> str:
    return _(FATES.get(fate, FATES[DROPPED]))


def _shown(text: str) -> str:
    text = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
    return text.replace("\n", " ↵ ")


def _nothing() -> None:
    """The page reads the wish from what is returned."""
