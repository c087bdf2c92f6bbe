"""Tree of generated tokens: all steps, and the path to the current node."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.checked_number import is_bool
from core.errors import InputError
from core.record.step import Step, Vocabulary
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import Token

LONGEST_NAME = 60


@dataclass(slots=True)
class Node:
    """A node of the tree. node_id 0 is the prompt (step None); every other node is one step after its parent.

    A deleted node keeps its id without step, parent and children, so that the other ids do not change.
    """

    node_id: int
    parent: int | None
    step: Step | None
    children: list[int] = field(default_factory=list)
    name: str = ""
    waiting: bytes = b""  # bytes of a character that is incomplete here

    @property
    def is_deleted(self) -> bool:
        """Whether this node was deleted."""
        return self.step is None and self.node_id != 0


@dataclass(frozen=True, slots=True)
class Branch:
    """A path through the tree, from the prompt to one of its ends.

    node_id: its last node. parts_at: index of the first step that is not on the current path, None for the current path itself.
    text: its text from there on (for the current path: all its text).
    """

    node_id: int
    name: str
    parts_at: int | None
    step_count: int
    text: str
    is_current: bool


class Tree:
    """Nodes, a current node, and methods to move between them. Only `delete` removes steps."""

    prompt: str
    prompt_tokens: list[Token]

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.nodes: list[Node] = [Node(0, None, None)]
        self._line: list[int] = [0]  # node ids from the root to the current node
        self._path: list[Step] = []
        self._waiting: list[bytes] = [b""]

    @property
    def here(self) -> int:
        """Id of the current node."""
        return self._line[-1]

    @property
    def line(self) -> list[int]:
        """Node ids from the prompt to the current node."""
        return list(self._line)

    @property
    def path(self) -> list[Step]:
        """Steps from the prompt to the current node."""
        return list(self._path)

    @property
    def token_count(self) -> int:
        """Number of tokens up to the current node, the prompt's included."""
        return len(self.prompt_tokens) + len(self._path)

    @property
    def written(self) -> str:
        """The continuation of the prompt."""
        return "".join(step.text for step in self._path)

    @property
    def text(self) -> str:
        """The prompt and its continuation, without an incomplete character at the end."""
        return self.prompt + self.written

    def path_to(self, node_id: int) -> list[Step]:
        """Return the steps from the prompt to this node."""
        return [step for step in (self._node(i).step for i in self._line_to(node_id)) if step is not None]

    def go_to(self, step_index: int) -> None:
        """Move back to this step of the current path; -1 is the prompt alone. Later steps stay in the tree. Raises InputError."""
        if is_bool(step_index) or not isinstance(step_index, numbers.Integral) or not -1 <= step_index < len(self._path):
            raise InputError(
                "Step {number} does not exist. This branch has the steps 0 to {last}.", number=step_index, last=len(self._path) - 1
            )
        self._move(self._line[: step_index + 2])

    def switch(self, node_id: int) -> None:
        """Move to any node of the tree. Raises InputError if there is no node with this id."""
        node = self._node(node_id)
        if node.parent == self.here and node.step is not None:  # a child of the current node, which needs no comparison of paths
            self._advance_to(node, node.step)
            self._moved(len(self._path) - 1)
        else:
            self._move(self._line_to(node_id))

    def branches(self) -> list[Branch]:
        """Return all paths through the tree, in the order in which their ends were created; the current path ends at the current node."""
        on_path = {node_id: depth for depth, node_id in enumerate(self._line)}
        ends = [node for node in self.nodes[1:] if (not node.children and not node.is_deleted) or node.node_id == self.here]
        return [self._branch(node, on_path) for node in ends]

    def endings(self) -> list[Branch]:
        """Return the branches with different texts: neither a path on which steps follow, nor one with the tokens of an earlier branch.

        Of branches with the same tokens, the current one is returned, else the first.
        """
        branches: dict[int, Branch] = {}
        same_as = self._first_with_same_tokens()
        longer = {same_as[node.parent] for node in self.nodes[1:] if node.parent is not None}
        for branch in self.branches():
            first = same_as[branch.node_id]
            if first not in longer and (branch.is_current or first not in branches):
                branches[first] = branch
        return list(branches.values())

    def _first_with_same_tokens(self) -> list[int]:
        """Return for each node the first node whose path has the same tokens."""
        first: list[int] = [0]
        first_of: dict[tuple[int, int], int] = {}
        for node in self.nodes[1:]:
            key = None if node.step is None or node.parent is None else (first[node.parent], node.step.key)
            first.append(node.node_id if key is None else first_of.setdefault(key, node.node_id))
        return first

    def _branch(self, end: Node, on_path: dict[int, int]) -> Branch:
        added: list[Step] = []
        node = end
        while node.node_id not in on_path:
            assert node.step is not None
            assert node.parent is not None
            added.append(node.step)
            node = self.nodes[node.parent]
        current = end.node_id == self.here
        shared = on_path[node.node_id]
        steps = self._path if current else added[::-1]
        return Branch(end.node_id, end.name, None if current else shared, shared + len(added), join_text(steps), current)

    def rename(self, node_id: int, name: str) -> None:
        """Name the end of a branch; the name is cut to LONGEST_NAME characters."""
        self._node(node_id).name = "".join(c for c in name if c.isprintable()).strip()[:LONGEST_NAME]

    def nodes_to_delete(self, node_id: int) -> list[int]:
        """Return the nodes that `delete` would remove: all after this one, and the steps before it back to the last fork."""
        node = self._node(node_id)
        if node.parent is None:
            raise InputError("The prompt belongs to every branch and cannot be deleted.")
        while node.parent and len(self.nodes[node.parent].children) == 1:  # 0 is the prompt, which is never deleted
            node = self.nodes[node.parent]
        nodes, waiting = [], [node.node_id]
        while waiting:
            nodes.append(waiting.pop())
            waiting += self.nodes[nodes[-1]].children
        return nodes

    def delete(self, node_id: int) -> int:
        """Delete a branch with all later steps, back to the last fork. If the current node is deleted, the fork becomes current.

        Returns how many steps were deleted. Other nodes keep their ids, and deleted ids are not used again. Raises InputError for the
        prompt and for unknown ids.
        """
        gone = self.nodes_to_delete(node_id)
        fork = self.nodes[gone[0]].parent
        assert fork is not None
        if self.here in gone:
            self.switch(fork)
        self.nodes[fork].children.remove(gone[0])
        for number in gone:
            self.nodes[number] = Node(number, None, None)
        return len(gone)

    def switch_to_child(self, matches: Callable[[Step], bool]) -> Step | None:
        """Move to the first child of the current node whose step matches, and return its step; None without one."""
        for child in self.nodes[self.here].children:
            step = self.nodes[child].step
            if step is not None and matches(step):
                self.switch(child)
                return step
        return None

    def switch_to_same_choice(self, settings: SamplingSettings, how: Mapping[str, Any], key: int | None = None) -> Step | None:
        """Move to the child that was chosen with the same settings, in the same way and attempt (and is this token), if there is one."""
        wanted = (settings, how["chosen_by"], how["attempt"])
        return self.switch_to_child(lambda step: (step.settings, step.chosen_by, step.attempt) == wanted and key in (None, step.key))

    def _node(self, node_id: int) -> Node:
        if is_bool(node_id) or not isinstance(node_id, numbers.Integral) or not 0 <= node_id < len(self.nodes):
            raise InputError("Branch {number} does not exist in this run.", number=node_id)
        if self.nodes[node_id].is_deleted:
            raise InputError("Branch {number} of this run was deleted.", number=node_id)
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
        common = next((i for i, (a, b) in enumerate(zip(line, self._line, strict=False)) if a != b), min(len(line), len(self._line)))
        added = [self.nodes[i] for i in line[common:]]
        self._line = line
        self._path = self._path[: common - 1] + [node.step for node in added if node.step is not None]
        self._waiting = self._waiting[:common] + [node.waiting for node in added]
        self._moved(common - 1)

    def _moved(self, common: int) -> None:
        """Called after the current node has changed; `common` steps of the path are the same as before."""

    def add(self, step: Step, waiting: bytes = b"") -> Node:
        """Append a step to the current node and move to it. waiting: bytes of an incomplete character."""
        node = self.attach(self.here, step, waiting)
        self._advance_to(node, step)
        return node

    def attach(self, parent: int, step: Step, waiting: bytes = b"") -> Node:
        """Append a step to any node without moving; used to read recordings, whose branches can be in any order."""
        node = Node(len(self.nodes), parent, step, waiting=waiting)
        self.nodes[parent].children.append(node.node_id)
        self.nodes.append(node)
        return node

    def _advance_to(self, node: Node, step: Step) -> None:
        """Move the current path to this node, a child of the current one."""
        self._line.append(node.node_id)
        self._path.append(step)
        self._waiting.append(node.waiting)


def join_text(steps: Iterable[Step]) -> str:
    """Return the text that these steps added."""
    return "".join(step.text for step in steps)
