"""Rows of the branch tree: of a run, of several candidates, of a beam search. A row is a part of the tree without a fork."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.experiments.candidates.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE, Beam, BeamStep
from core.experiments.candidates.best_of_n import Merged
from core.generation.tree import Branch, Tree, join_text
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


@dataclass(frozen=True, slots=True)
class Row:
    """A part of the tree without a fork. node_id: its last node; parent: the row it leaves from, None for the root.

    share: width of its line, 0 to 1; note: small text after it. kind: "path" (the current or winning path), "good" (it competes),
    "gone" (it was dropped) or "open". gone: number of steps that a deletion removes, 0 if it cannot be deleted.
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


def rows_of_run(run: Tree) -> list[Row]:
    """Return all branches of a run, in the order of writing. A row also ends at the current node and at a named node."""
    line = set(run.line)

    def ends(node: int) -> bool:
        return node == run.here or bool(run.nodes[node].name)

    rows = []
    for chain, parent in _chains(lambda node: run.nodes[node].children, ends):
        steps = [step for step in (run.nodes[node].step for node in chain) if step]
        share, end = steps[0].model_probability, run.nodes[chain[-1]]
        rows.append(
            Row(
                node_id=end.node_id,
                parent=parent,
                text="".join(step.text or step.piece for step in steps),
                share=share,
                note=_("{share} · {count}").format(share=numbers.percent(share), count=numbers.tokens(len(steps))),
                kind="path" if chain[0] in line else "open",
                name=end.name,
                here=end.node_id == run.here,
                gone=len(run.nodes_to_delete(end.node_id)),
            )
        )
    return rows


def rows_of_candidates(tree: Sequence[Merged], best: int | None) -> list[Row]:
    """Return the tree of all candidates, the most frequent branch first. best: number of the candidate whose path is marked."""
    nodes = {node.node_id: node for node in tree}
    children: dict[int, list[int]] = {}
    for node in sorted(tree[1:], key=lambda node: (-len(node.tries), node.node_id)):
        children.setdefault(node.parent or 0, []).append(node.node_id)
    total = max(1, len(tree[0].tries)) if tree else 1
    rows = []
    for chain, parent in _chains(lambda node: children.get(node, ()), lambda node: bool(nodes[node].ends)):
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
    for chain, parent in _chains(lambda node: children.get(node, ()), lambda _node: False):
        first, end = nodes[chain[0]], nodes[chain[-1]]
        text = _added(first, nodes) or first.piece
        text += "".join(_added(nodes[node], nodes) for node in chain[1:])
        node_id = end.node_id
        kind = "path" if node_id in won else "gone" if node_id not in competing else "good" if node_id in newest else "open"
        lost = kind == "gone" and end.fate in COMPETING  # it was kept at its step, and all that followed was dropped
        fate = _("dropped later") if lost else _(FATES.get(end.fate, FATES[DROPPED]))
        note = _("ln {score} · {fate}").format(score=numbers.decimal(end.log_probability, 2), fate=fate)
        rows.append(Row(node_id, parent, text, first.probability, note, kind))
    return rows


def branch_name(run: Tree, branch: Branch, longest: int = 46) -> str:
    """Return a branch's own name, or the end of prompt and text on one line with visible line breaks."""
    text = run.prompt + join_text(run.path_to(branch.node_id))
    line = " ".join(text.replace("\n", " ↵ ").split())
    return branch.name or (line if len(line) <= longest else "…" + line[1 - longest :])


def _chains(children: Callable[[int], Sequence[int]], ends: Callable[[int], bool]) -> Iterator[tuple[list[int], int | None]]:
    """Yield each part of the tree below node 0 without a fork: its nodes, and the last node of the part that it leaves from."""
    waiting: list[tuple[int, int | None]] = [(child, None) for child in reversed(children(0))]
    while waiting:
        start, parent = waiting.pop()
        chain = [start]
        while len(children(chain[-1])) == 1 and not ends(chain[-1]):
            chain.append(children(chain[-1])[0])
        yield chain, parent
        waiting += [(child, chain[-1]) for child in reversed(children(chain[-1]))]


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
