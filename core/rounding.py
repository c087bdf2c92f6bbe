"""How far results may differ that rounding decides, and the sizes at which `core.sampling` changes its way of computing.

Compiled code and NumPy share these numbers: both ask transformers' own processors where a border is closer than that.
"""

from __future__ import annotations

FEW = 1024  # so few scores are sorted with their places; of more, as many as needed
HEAD = 512  # the likeliest tokens; a roll that lands among them needs no look at the others
PIECE = 16384  # scores that are measured at a time
CLOSE = 1e-5  # relative, to a probability
CLOSE_NATS = 1e-4  # to how far a token's surprise is from the expected one; that takes float32 logarithms of up to 90
SURE = 4e-6  # to the sum of some probabilities, however it was made
LANES = 4  # of the narrowest processor that torch adds up on
ROUNDED = 3e-8  # per token: by so much two ways of adding up the same probabilities differ, relatively
