"""Tree of generated tokens with the current path: everything that was tried, and the place where the visitor stands."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.errors import BadPlace
from core.language import _
from core.record.step import Step, Vocabulary
from core.settings import SamplingSettings, is_bool
from core.tokens.tokens import Token

LONGEST_NAME = 60


@dataclass(slots=True)
class Node:
    """A place in the tree. node_id 0 is the prompt alone (step None); every other node is one step behind its parent.

    A deleted node leaves its number behind, so that all others keep theirs: no step, no parent, no children.
    """

    node_id: int
    parent: int | None
    step: Step | None
    children: list[int] = field(default_factory=list)
    name: str = ""
    waiting: bytes = b""  # bytes of a character that is not complete here

    @property
    def is_deleted(self) -> bool:
        """Whether only the number of this node is left."""
        return self.step is None and self.node_id != 0


@dataclass(frozen=True, slots=True)
class Branch:
    """A way through the tree, from the prompt to one of its ends.

    node_id: its last node. parts_at: index of the first step that is not on the current path, None for the current path itself.
    text: what it wrote from there on (the current path: all it wrote).
    """

    node_id: int
    name: str
    parts_at: int | None
    step_count: int
    text: str
    is_current: bool


class Tree:
    """Nodes, a current place, and ways to move between them. Nothing but `delete` ever takes a step away."""

    prompt: str
    prompt_tokens: list[Token]

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.nodes: list[Node] = [Node(0, None, None)]
        self._line: list[int] = [0]  # node ids from the root to here
        self._path: list[Step] = []
        self._waiting: list[bytes] = [b""]

    @property
    def here(self) -> int:
        """The id of the current node."""
        return self._line[-1]

    @property
    def line(self) -> list[int]:
        """The node ids from the prompt to here."""
        return list(self._line)

    @property
    def path(self) -> list[Step]:
        """The steps from the prompt to here."""
        return list(self._path)

    @property
    def token_count(self) -> int:
        """Tokens up to here, the prompt's included."""
        return len(self.prompt_tokens) + len(self._path)

    @property
    def written(self) -> str:
        """What was written behind the prompt."""
        return "".join(step.text for step in self._path)

    @property
    def text(self) -> str:
        """The prompt and what was written behind it. A character that is still incomplete at the end is left out."""
        return self.prompt + self.written

    def path_to(self, node_id: int) -> list[Step]:
        """The steps from the prompt to this node."""
        return [step for step in (self._node(i).step for i in self._line_to(node_id)) if step is not None]

    def go_to(self, step_index: int) -> None:
        """Back to just after that step of the current path; -1 is the prompt alone. What follows stays in the tree. Raises BadPlace."""
        if is_bool(step_index) or not isinstance(step_index, numbers.Integral) or not -1 <= step_index < len(self._path):
            raise BadPlace(
                _("There is no step {number} here: this path has the steps 0 to {last}.").format(
                    number=step_index, last=len(self._path) - 1
                )
            )
        self._move(self._line[: step_index + 2])

    def switch(self, node_id: int) -> None:
        """Go to any node of the tree. Raises BadPlace if there is none of this id."""
        node = self._node(node_id)
        if node.parent == self.here and node.step is not None:  # one step on, which needs no look at all the others
            self._advance_to(node, node.step)
            self._moved(len(self._path) - 1)
        else:
            self._move(self._line_to(node_id))

    def branches(self) -> list[Branch]:
        """All ways through the tree, in the order in which their ends were written; the current one ends where the visitor stands."""
        on_path = {node_id: place for place, node_id in enumerate(self._line)}
        ends = [node for node in self.nodes[1:] if (not node.children and not node.is_deleted) or node.node_id == self.here]
        return [self._branch(node, on_path) for node in ends]

    def _branch(self, end: Node, on_path: dict[int, int]) -> Branch:
        own: list[Step] = []
        node = end
        while node.node_id not in on_path:
            assert node.step is not None
            assert node.parent is not None
            own.append(node.step)
            node = self.nodes[node.parent]
        current = end.node_id == self.here
        shared = on_path[node.node_id]
        steps = self._path if current else own[::-1]
        return Branch(end.node_id, end.name, None if current else shared, shared + len(own), join_text(steps), current)

    def rename(self, node_id: int, name: str) -> None:
        """Give a branch's end a name, cut to a readable length."""
        self._node(node_id).name = "".join(c for c in name if c.isprintable()).strip()[:LONGEST_NAME]

    def doomed(self, node_id: int) -> list[int]:
        """The nodes that `delete` would take away: all behind this one, and the steps before it back to the last fork."""
        node = self._node(node_id)
        if node.parent is None:
            raise BadPlace(_("The prompt is where every branch begins; it cannot be deleted."))
        while node.parent and len(self.nodes[node.parent].children) == 1:  # 0 is the prompt, which stays
            node = self.nodes[node.parent]
        found, waiting = [], [node.node_id]
        while waiting:
            found.append(waiting.pop())
            waiting += self.nodes[found[-1]].children
        return found

    def delete(self, node_id: int) -> int:
        """Take a branch away, with all behind it, back to the last fork. Whoever stood on it stands at the fork then.

        Returns how many steps are gone. All other nodes keep their numbers; the numbers of these are never given again. Raises BadPlace
        for the prompt and for numbers that are not there.
        """
        gone = self.doomed(node_id)
        fork = self.nodes[gone[0]].parent
        assert fork is not None
        if self.here in gone:
            self.switch(fork)
        self.nodes[fork].children.remove(gone[0])
        for number in gone:
            self.nodes[number] = Node(number, None, None)
        return len(gone)

    def _node(self, node_id: int) -> Node:
        if is_bool(node_id) or not isinstance(node_id, numbers.Integral) or not 0 <= node_id < len(self.nodes):
            raise BadPlace(_("There is no branch with the number {number} in this run.").format(number=node_id))
        if self.nodes[node_id].is_deleted:
            raise BadPlace(_("Branch {number} of this run was deleted.").format(number=node_id))
        return self.nodes[node_id]

    def _line_to(self, node_id: int) -> list[int]:
        line, node = [node_id], self._node(node_id)
        while node.parent is not None:
            line.append(node.parent)
            node = self.nodes[node.parent]
        return line[::-1]

    def _move(self, line: list[int]) -> None:
        if line == self._line:
            return
        kept = next((i for i, (a, b) in enumerate(zip(line, self._line, strict=False)) if a != b), min(len(line), len(self._line)))
        added = [self.nodes[i] for i in line[kept:]]
        self._line = line
        self._path = self._path[: kept - 1] + [node.step for node in added if node.step is not None]
        self._waiting = self._waiting[:kept] + [node.waiting for node in added]
        self._moved(kept - 1)

    def _moved(self, kept: int) -> None:
        """Called after the current place has changed; `kept` steps of the path are the same as before."""

    def _child_like(self, token_id: int, settings: SamplingSettings, chosen_by: str, attempt: int) -> Node | None:
        """The child of the current node that was made in just this way, if there is one."""
        for child in self.nodes[self.here].children:
            step = self.nodes[child].step
            if step and (step.token_id, step.settings, step.chosen_by, step.attempt) == (token_id, settings, chosen_by, attempt):
                return self.nodes[child]
        return None

    def add(self, step: Step, waiting: bytes = b"") -> Node:
        """Put a step behind the current place and go there. waiting: bytes of a character that is not complete yet."""
        node = self.attach(self.here, step, waiting)
        self._advance_to(node, step)
        return node

    def attach(self, parent: int, step: Step, waiting: bytes = b"") -> Node:
        """Put a step behind any node, without going there; what a step of a recording is read with, however its branches take turns."""
        node = Node(len(self.nodes), parent, step, waiting=waiting)
        self.nodes[parent].children.append(node.node_id)
        self.nodes.append(node)
        return node

    def _advance_to(self, node: Node, step: Step) -> None:
        """Stand at this node, which is a child of where one stood."""
        self._line.append(node.node_id)
        self._path.append(step)
        self._waiting.append(node.waiting)


def join_text(steps: Iterable[Step]) -> str:
    """What these steps added to the text."""
    return "".join(step.text for step in steps)
