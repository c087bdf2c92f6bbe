"""The memory for keys and values, cut into blocks of 16 tokens: who holds which, which are shared, and which hold a known beginning.

Books only, no numbers: the keys and values themselves lie in `core.batching.batched_llama` and `core.batching.batched_transformers`, at the
places that a block table names. After PagedAttention (Kwon et al. 2023, arXiv 2309.06180) and vLLM's prefix cache, in which a full block is
known by a hash of its tokens and of all before them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

BLOCK_SIZE = 16  # tokens


def hash_block(parent: bytes, token_ids: Sequence[int]) -> bytes:
    """What a full block is known by: its tokens, and the hash of the block before it (b"" for the first)."""
    return blake2b(parent + np.asarray(token_ids, dtype=np.int64).tobytes(), digest_size=16).digest()


def blocks_for(tokens: int) -> int:
    """How many blocks so many tokens need."""
    return -(-tokens // BLOCK_SIZE)


class BlockPool:
    """`count` blocks with reference counts. A block that nobody holds any more keeps its hash, and is found again until it is needed.

    The block freed longest ago is given out first.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.references = [0] * count
        self._free: OrderedDict[int, None] = OrderedDict.fromkeys(range(count))
        self._by_hash: dict[bytes, int] = {}
        self._hashes: list[bytes | None] = [None] * count

    @property
    def free(self) -> int:
        """Blocks that nobody holds, those that still have a known beginning in them included."""
        return len(self._free)

    @property
    def used(self) -> int:
        """Blocks that somebody holds."""
        return self.count - len(self._free)

    @property
    def shared(self) -> int:
        """Blocks saved by sharing: holders beyond the first, over all blocks."""
        return sum(references - 1 for references in self.references if references > 1)

    @property
    def cached(self) -> int:
        """Free blocks that would be found again by the prefix in them."""
        return len(self.known_free())

    def known_free(self) -> list[int]:
        """The free blocks that would be found again by the prefix in them."""
        return [block for block in self._free if self._hashes[block] is not None]

    def take(self, count: int) -> list[int] | None:
        """`count` blocks for one holder; None (and nothing taken) if there are not so many. What was known about them is forgotten."""
        if count > len(self._free):
            return None
        taken = [self._free.popitem(last=False)[0] for _ in range(count)]
        for block in taken:
            known = self._hashes[block]
            if known is not None:
                del self._by_hash[known]
                self._hashes[block] = None
            self.references[block] = 1
        return taken

    def find(self, token_ids: Sequence[int]) -> tuple[list[int], list[bytes]]:
        """The blocks that hold the longest known beginning of these tokens, and their hashes. One token at least is left to compute."""
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
        """Become one more holder of these blocks."""
        for block in blocks:
            if self.references[block] == 0:
                del self._free[block]
            self.references[block] += 1

    def give_back(self, blocks: Sequence[int]) -> None:
        """Stop holding these blocks, given in the order of the text: its end is overwritten before its beginning."""
        for block in reversed(blocks):
            self.references[block] -= 1
            if self.references[block] == 0:
                self._free[block] = None
                if self._hashes[block] is None:
                    self._free.move_to_end(block, last=False)

    def name(self, block: int, known_by: bytes) -> None:
        """Let this full block be found by its hash; of two with the same tokens the first one stays the known one."""
        if known_by not in self._by_hash and self._hashes[block] is None:
            self._by_hash[known_by] = block
            self._hashes[block] = known_by

    def check(self, tables: Sequence[Sequence[int]]) -> None:
        """Raise AssertionError unless the books agree with these block tables, which must be all there are."""
        held = [0] * self.count
        for table in tables:
            for block in table:
                held[block] += 1
        assert held == self.references
        assert {block for block in range(self.count) if held[block] == 0} == set(self._free)
        assert {block: known for known, block in self._by_hash.items()} == {b: h for b, h in enumerate(self._hashes) if h is not None}
