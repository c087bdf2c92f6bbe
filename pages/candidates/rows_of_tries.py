"""Rows of the tree of several tries, and of that of a beam search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.experiments.candidates.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE, Beam, BeamStep
from core.experiments.candidates.best_of_n import Merged
from pages.ui.charts.tree_rows import Row, chains
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _

FATES = {
    KEPT: N_("kept"),
    FINISHED: N_("an answer"),
    CUT_OFF: N_("an answer, cut off here"),
    DROPPED: N_("dropped"),
    LATE: N_("ended, but too unlikely"),
}
COMPETING = (KEPT, FINISHED, CUT_OFF)  # hypotheses that continue or are possible answers


def rows_of_candidates(tree: Sequence[Merged], best: int | None) -> list[Row]:
    """Return the tree of all candidates, the most frequent branch first. best: number of the candidate whose path is marked."""
    nodes = {node.node_id: node for node in tree}
    children: dict[int, list[int]] = {}
    for node in sorted(tree[1:], key=lambda node: (-len(node.tries), node.node_id)):
        children.setdefault(node.parent or 0, []).append(node.node_id)
    total = max(1, len(tree[0].tries)) if tree else 1
    rows = []
    for chain, parent in chains(lambda node: children.get(node, ()), lambda node: bool(nodes[node].ends)):
        first = nodes[chain[0]]
        count = len(first.tries)
        note = (
            _("try {number}").format(number=first.tries[0] + 1)
            if count == 1
            else _("{count} of {total} tries").format(count=count, total=total)
        )
        text, kind = "".join(nodes[node].text for node in chain), "path" if best in first.tries else "open"
        rows.append(Row(chain[-1], parent, text, count / total, note, kind))
    return rows


def rows_of_beams(steps: Sequence[BeamStep], winner: int | None = None) -> list[Row]:
    """Return the considered hypotheses. winner: the hypothesis whose path is marked. Dropped ones are shown at their step only."""
    nodes = {beam.node_id: beam for step in steps for beam in step.considered if step is steps[-1] or beam.fate in COMPETING}
    newest = {beam.node_id for beam in steps[-1].considered} if steps else set()
    competing = _ancestors([*steps[-1].kept, *steps[-1].answers], nodes) if steps else set()
    won = _ancestors([nodes[winner]], nodes) if winner else set()
    children: dict[int, list[int]] = {}
    for beam in nodes.values():
        children.setdefault(beam.parent, []).append(beam.node_id)
    rows = []
    for chain, parent in chains(lambda node: children.get(node, ()), lambda _node: False):
        first, end = nodes[chain[0]], nodes[chain[-1]]
        text = _added(first, nodes) or first.piece
        text += "".join(_added(nodes[node], nodes) for node in chain[1:])
        node_id = end.node_id
        kind = "path" if node_id in won else "gone" if node_id not in competing else "good" if node_id in newest else "open"
        lost = kind == "gone" and end.fate in COMPETING  # it was among the best of its step, and all that followed was dropped
        fate = _("dropped later") if lost else _(FATES.get(end.fate, FATES[DROPPED]))
        note = _("ln {score} · {fate}").format(score=numbers.decimal(end.log_probability, 2), fate=fate)
        rows.append(Row(node_id, parent, text, first.probability, note, kind))
    return rows


def _ancestors(beams: Sequence[Beam], nodes: Mapping[int, Beam]) -> set[int]:
    """Return the ids of these hypotheses and of all that they extend."""
    node_ids: set[int] = set()
    for beam in beams:
        here = beam.node_id
        while here and here not in node_ids:
            node_ids.add(here)
            here = nodes[here].parent
    return node_ids


def _added(beam: Beam, nodes: Mapping[int, Beam]) -> str:
    """Return the text that a hypothesis adds to the one it extends; "" if its token completes no character."""
    return beam.text[len(nodes[beam.parent].text) if beam.parent else 0 :]
