"""How often each token followed each context, as sorted arrays: a tenth of the memory of dictionaries, and freed at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from core.errors import InputError


class Counts:
    """Counts of all sequences of 1 to n ids of a text.

    The sequences of k ids are sorted. One is stored as `place of its first k - 1 ids * vocabulary + last id`, so what followed a context
    is a slice. ids: int64 [tokens], the end token first and last. The first id is no count of its own, because nothing stands before it.
    Raises InputError for more than `most` different counts.
    """

    def __init__(self, ids: np.ndarray, n: int, vocabulary: int, most: int) -> None:
        self._vocabulary = vocabulary
        self._keys: list[np.ndarray] = []
        self._counts: list[np.ndarray] = []
        context_index = np.zeros(len(ids), dtype=np.int64)
        for length in range(1, n + 1):
            ends = ids[length - 1 :]
            keys, context_index, counts = np.unique(context_index[: len(ends)] * vocabulary + ends, return_inverse=True, return_counts=True)
            if length == 1:
                counts[context_index[0]] -= 1
            self._keys.append(keys)
            self._counts.append(counts)
            check_counts(len(self), most)

    def __len__(self) -> int:
        return sum(map(len, self._keys))

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return sum(array.nbytes for array in self._keys + self._counts)

    def after(self, context: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Return the ids that followed a context of fewer than n ids, ascending, and how often each did. Empty if the text lacks it."""
        index = 0
        for keys, last in zip(self._keys, context, strict=False):
            key = index * self._vocabulary + last
            index = int(np.searchsorted(keys, key))
            if index == len(keys) or keys[index] != key:
                return keys[:0], keys[:0]
        return self._slice(len(context), index)

    def contexts(self, length: int) -> Iterator[tuple[tuple[int, ...], np.ndarray, np.ndarray]]:
        """Yield every context of this length, with what `after` returns for it."""
        for index in range(len(self._keys[length - 1]) if length else 1):
            ids, counts = self._slice(length, index)
            if len(ids):
                yield self._written(length, index), ids, counts

    def _slice(self, length: int, index: int) -> tuple[np.ndarray, np.ndarray]:
        keys, first = self._keys[length], index * self._vocabulary
        begin, end = np.searchsorted(keys, (first, first + self._vocabulary))
        return keys[begin:end] - first, self._counts[length][begin:end]

    def _written(self, length: int, index: int) -> tuple[int, ...]:
        ids: list[int] = []
        for keys in reversed(self._keys[:length]):
            index, last = divmod(int(keys[index]), self._vocabulary)
            ids.append(last)
        return tuple(reversed(ids))


def check_counts(different: int, most: int) -> None:
    """Raise InputError for more than `most` different counts."""
    if different > most:
        raise InputError("This text has more than {most} different counts. Choose fewer tokens in a count, or a shorter text.", most=most)
