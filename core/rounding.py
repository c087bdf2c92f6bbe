"""Bounds of rounding errors, and the sizes at which `core.sampling` changes its method.

Compiled code and NumPy share these numbers. Both ask transformers' own processors if a border is closer than these bounds.
"""

from __future__ import annotations

FEW = 1024  # up to this many scores are sorted completely; of more, only as many as needed
HEAD = 512  # likeliest tokens computed first; a roll among them needs no others
CHUNK = 16384  # scores per block of a sum
CLOSE = 1e-5  # bound on a probability, relative
CLOSE_NATS = 1e-4  # bound on the distance of a surprise from the expected one; float32 logarithms reach 90
SURE = 4e-6  # bound on a sum of probabilities, in any order
LANES = 4  # lanes of the narrowest vectors in which torch adds
ROUNDED = 3e-8  # bound per token on the relative difference of two sums of the same probabilities
