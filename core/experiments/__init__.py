"""Experiments on a model: two branches, several tries, beam search, sweeps, chain of thought, the benefit of a cache and others.

Each is a module that is imported at its first use: after `import core`, `core.experiments.what_if` works.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def __getattr__(name: str) -> ModuleType:
    """Import an experiment at its first use."""
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'core.experiments' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, including experiments that are not imported yet."""
    return sorted({*globals(), *__all__})
