"""Generate text with a language model token by token: load models, run them, inspect and score them.

    >>> from core import load_model, Generation, SamplingSettings
    >>> model = load_model("storyteller")
    >>> run = Generation(model, "Once upon a time", SamplingSettings(temperature=0.8, seed=7))
    >>> run.step().text                                                     # doctest: +SKIP
    ', there'

Importing this package is cheap: torch and transformers are imported with the first model.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core import errors as errors
    from core import experiments as experiments
    from core.costs.operations_and_bytes import cache_bytes as cache_bytes
    from core.costs.operations_and_bytes import multiply_adds as multiply_adds
    from core.engine.shape import ModelShape as ModelShape
    from core.generation.generation import Generation as Generation
    from core.generation.recorded_run import Recording as Recording
    from core.inspection.inside import Inside as Inside
    from core.inspection.inside import inspect_step as inspect_step
    from core.inspection.scoring import ScoredText as ScoredText
    from core.inspection.scoring import score_text as score_text
    from core.models.bundled_models import list_models as list_models
    from core.models.loading import load_model as load_model
    from core.record.step import Candidate as Candidate
    from core.record.step import Stage as Stage
    from core.record.step import Step as Step
    from core.record.step import TokenDistribution as TokenDistribution
    from core.sampling.settings import SamplingSettings as SamplingSettings
    from core.tokens.token_text import Token as Token

_NAMES = {  # of each module
    ".costs.operations_and_bytes": "cache_bytes multiply_adds",
    ".engine.shape": "ModelShape",
    ".generation.generation": "Generation",
    ".generation.recorded_run": "Recording",
    ".inspection.inside": "Inside inspect_step",
    ".inspection.scoring": "ScoredText score_text",
    ".models.bundled_models": "list_models",
    ".models.loading": "load_model",
    ".record.step": "Candidate Stage Step TokenDistribution",
    ".sampling.settings": "SamplingSettings",
    ".tokens.token_text": "Token",
}
_DRAWN = {
    "Generation",
    "Recording",
    "Step",
    "TokenDistribution",
    "load_model",
}  # get methods of `reports`, or lead to a run
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [  # names in full, because type checkers read this list
    "Candidate",
    "Generation",
    "Inside",
    "ModelShape",
    "Recording",
    "SamplingSettings",
    "ScoredText",
    "Stage",
    "Step",
    "Token",
    "TokenDistribution",
    "cache_bytes",
    "errors",
    "experiments",
    "inspect_step",
    "list_models",
    "load_model",
    "multiply_adds",
    "score_text",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its module at first use."""
    if name in ("errors", "experiments"):
        return import_module(f".{name}", __name__)
    if name in _DRAWN:
        import_module(".reports.methods", __name__).add_methods()
    if name in _MODULES:
        return getattr(import_module(_MODULES[name], __name__), name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all public names, imported or not."""
    return sorted({*globals(), *__all__})
