"""Impossible input of the page cost."""

from __future__ import annotations

from core.experiments.cost import request
from tests.core.experiments.impossible import COUNTS, TEXT, Settings

SETTINGS: Settings = {
    "request": (lambda m, v: request(m, TEXT, length=v), [*COUNTS, 513]),
}
