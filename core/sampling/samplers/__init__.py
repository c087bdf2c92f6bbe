"""Samplers that transformers does not have, and those of its own that depend on the text. A new one is a class in a file here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from core.sampling.samplers.contract import Sampler


@cache
def by_stage() -> dict[str, type[Sampler]]:
    """Return the samplers of all files in this folder, by the stage that they compute."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return {sampler.stage: sampler for sampler in Sampler.__subclasses__()}
