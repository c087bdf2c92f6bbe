"""The pool of KV blocks of 16 tokens: which request holds which block, which are shared, and which contain a known prefix.

The pool only counts blocks. `core.batching.batched_compiled` and `core.batching.batched_transformers` store the keys and values, at the
places that a block table lists. After PagedAttention (Kwon et al. 2023, arXiv 2309.06180) and vLLM's prefix cache, which identifies a
full block by a hash of its tokens and all tokens before them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

BLOCK_SIZE = 16  # tokens


def hash_block(parent: bytes, token_ids: Sequence[int]) -> bytes:
    """Return the hash of a full block, made of its tokens and the hash of the block before it (b"" for the first)."""
    return blake2b(parent + np.asarray(token_ids, dtype=np.int64).tobytes(), digest_size=16).digest()


def blocks_for(tokens: int) -> int:
    """Return how many blocks this many tokens need."""
    return -(-tokens // BLOCK_SIZE)


def slots_of(table: Sequence[int], start: int, stop: int) -> np.ndarray:
    """Return the slots of the tokens [start, stop) of a text, int64, counted over all blocks. table: the text's blocks."""
    positions = np.arange(start, stop)
    return np.asarray(table, dtype=np.int64)[positions // BLOCK_SIZE] * BLOCK_SIZE + positions % BLOCK_SIZE


class BlockPool:
    """`count` blocks with reference counts. A free block keeps its hash and can be found again until it is taken.

    The block that was freed first is taken first.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.references = [0] * count
        self._free: OrderedDict[int, None] = OrderedDict.fromkeys(range(count))
        self._by_hash: dict[bytes, int] = {}
        self._hashes: list[bytes | None] = [None] * count

    @property
    def free(self) -> int:
        """Return the number of free blocks, including those with a known prefix."""
        return len(self._free)

    @property
    def used(self) -> int:
        """Return the number of blocks that a request holds."""
        return self.count - len(self._free)

    @property
    def shared(self) -> int:
        """Return the number of blocks saved by sharing: all holders beyond the first of each block."""
        return sum(references - 1 for references in self.references if references > 1)

    def known_free(self) -> list[int]:
        """Return the free blocks with a known prefix."""
        return [block for block in self._free if self._hashes[block] is not None]

    def take(self, count: int) -> list[int] | None:
        """Take `count` free blocks for one holder and remove their hashes; return None, and take none, if there are fewer."""
        if count > len(self._free):
            return None
        taken = [self._free.popitem(last=False)[0] for _ in range(count)]
        for block in taken:
            block_hash = self._hashes[block]
            if block_hash is not None:
                del self._by_hash[block_hash]
                self._hashes[block] = None
            self.references[block] = 1
        return taken

    def find(self, token_ids: Sequence[int]) -> tuple[list[int], list[bytes]]:
        """Return the blocks with the longest known prefix of these tokens, and their hashes. At least one token is left to compute."""
        blocks: list[int] = []
        hashes: list[bytes] = []
        parent = b""
        for start in range(0, (len(token_ids) - 1) // BLOCK_SIZE * BLOCK_SIZE, BLOCK_SIZE):
            parent = hash_block(parent, token_ids[start : start + BLOCK_SIZE])
            block = self._by_hash.get(parent)
            if block is None:
                break
            blocks.append(block)
            hashes.append(parent)
        return blocks, hashes

    def hold(self, blocks: Sequence[int]) -> None:
        """Add one holder to these blocks."""
        for block in blocks:
            if self.references[block] == 0:
                del self._free[block]
            self.references[block] += 1

    def give_back(self, blocks: Sequence[int]) -> None:
        """Remove one holder of these blocks, given in the order of the text. The end of the text will be overwritten first."""
        for block in reversed(blocks):
            self.references[block] -= 1
            if self.references[block] == 0:
                self._free[block] = None
                if self._hashes[block] is None:
                    self._free.move_to_end(block, last=False)

    def name(self, block: int, known_by: bytes) -> None:
        """Make this full block findable by its hash. Of two blocks with the same hash, the first one stays findable."""
        if known_by not in self._by_hash and self._hashes[block] is None:
            self._by_hash[known_by] = block
            self._hashes[block] = known_by

    def check(self, tables: Sequence[Sequence[int]]) -> None:
        """Raise AssertionError unless the reference counts agree with these block tables, which must be all tables."""
        held = [0] * self.count
        for table in tables:
            for block in table:
                held[block] += 1
        assert held == self.references
        assert {block for block in range(self.count) if held[block] == 0} == set(self._free)
        assert {block: key for key, block in self._by_hash.items()} == {b: h for b, h in enumerate(self._hashes) if h is not None}
