"""Experiments on a model: two branches, several tries, beam search, sweeps, chain of thought, the benefit of a cache and others.

Each has the name of its page: a module, or a folder of a page with several experiments. What several pages share is in `shared`. A module
is imported at its first use: after `import core`, `core.experiments.what_if` and `core.experiments.why.logit_sum` work.
"""

from importlib import import_module
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parent
__all__ = sorted({path.stem for path in _FOLDER.glob("[a-z]*.py")} | {path.parent.name for path in _FOLDER.glob("*/__init__.py")})


def __getattr__(name: str) -> ModuleType:
    """Import an experiment at its first use; of a folder all modules."""
    if name not in __all__:
        raise AttributeError(f"module 'core.experiments' has no attribute {name!r}")
    experiment = import_module(f".{name}", __name__)
    for path in _FOLDER.glob(f"{name}/[a-z]*.py"):
        import_module(f".{name}.{path.stem}", __name__)
    return experiment


def __dir__() -> list[str]:
    """Return all names, including experiments that are not imported yet."""
    return sorted({*globals(), *__all__})
