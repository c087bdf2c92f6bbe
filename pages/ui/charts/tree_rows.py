"""Rows of the branch tree of a run. A row is a part of the tree without a fork."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.generation.tree import Branch, Tree, join_text
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _


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
    on_path = set(run.line)

    def ends(node: int) -> bool:
        return node == run.here or bool(run.nodes[node].name)

    rows = []
    for chain, parent in chains(lambda node: run.nodes[node].children, ends):
        steps = [step for step in (run.nodes[node].step for node in chain) if step]
        share, end = steps[0].model_probability, run.nodes[chain[-1]]
        rows.append(
            Row(
                node_id=end.node_id,
                parent=parent,
                text="".join(step.text or step.piece for step in steps),
                share=share,
                note=_("{share} · {count}").format(share=numbers.percent(share), count=numbers.tokens(len(steps))),
                kind="path" if chain[0] in on_path else "open",
                name=end.name,
                here=end.node_id == run.here,
                gone=len(run.nodes_to_delete(end.node_id)),
            )
        )
    return rows


def branch_name(run: Tree, branch: Branch, longest: int = 46) -> str:
    """Return a branch's own name, or the end of prompt and text on one line with visible line breaks."""
    text = run.prompt + join_text(run.path_to(branch.node_id))
    line = " ".join(text.replace("\n", " ↵ ").split())
    return branch.name or (line if len(line) <= longest else "…" + line[1 - longest :])


def chains(children: Callable[[int], Sequence[int]], ends: Callable[[int], bool]) -> Iterator[tuple[list[int], int | None]]:
    """Yield each part of the tree below node 0 without a fork: its nodes, and the last node of the part that it leaves from."""
    waiting: list[tuple[int, int | None]] = [(child, None) for child in reversed(children(0))]
    while waiting:
        start, parent = waiting.pop()
        chain = [start]
        while len(children(chain[-1])) == 1 and not ends(chain[-1]):
            chain.append(children(chain[-1])[0])
        yield chain, parent
        waiting += [(child, chain[-1]) for child in reversed(children(chain[-1]))]
