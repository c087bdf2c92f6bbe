"""Impossible input of the page same_prompt."""

from __future__ import annotations

import math

import torch

from core.experiments.same_prompt import Way, compared
from tests.core.experiments.impossible import TEXT, Settings

COUNTS = [-1, 10**9, 1.5, True, None, "2", math.nan]
SETTINGS: Settings = {
    "backend of a way": (lambda _m, v: Way(v), ["", "flash", None, 3]),
    "precision of a way": (lambda _m, v: Way(dtype=v), ["int8", "", None, torch.float32]),
    "chunk of a way": (lambda _m, v: Way(chunk=v), COUNTS),
    "batch of a way": (lambda _m, v: Way(batch=v), [0, *COUNTS]),
    "threads of a way": (lambda _m, v: Way(threads=v), COUNTS),
    "cache of a way": (lambda _m, v: Way(cache=v), [1, None, "yes"]),
    "padding of a way": (lambda _m, v: Way(padding=v), ["middle", None]),
    "bits of a way": (lambda _m, v: Way(bits=v), [5, 16.0, True, None]),
    "tokens of a way": (lambda m, v: compared(m, TEXT, "The", (Way("eager"), Way("eager")), None, v), [-1, 65, 1.5, None]),
}
