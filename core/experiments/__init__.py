"""Experiments on a model: two branches, several tries, beam search, sweeps, thinking aloud, and what a cache is worth.

Each is a module of its own, fetched when it is first asked for: after `import core`, `core.experiments.fork` is there.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

__all__ = sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def __getattr__(name: str) -> ModuleType:
    """Fetch an experiment."""
    if name in __all__:
        return import_module(f"core.experiments.{name}")
    raise AttributeError(f"module 'core.experiments' has no attribute {name!r}")


def __dir__() -> list[str]:
    """What can be asked for, fetched or not."""
    return sorted({*globals(), *__all__})
