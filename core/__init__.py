"""Watch a language model write, one token at a time: the model, the step, the tree of everything tried.

    >>> from core import load_model, Generation, SamplingSettings
    >>> model = load_model("storyteller")
    >>> run = Generation(model, "Once upon a time", SamplingSettings(temperature=0.8, seed=7))
    >>> run.step().text                                                     # doctest: +SKIP
    ', there'

Importing this package is cheap: torch and transformers come in with the first model, not before.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core import errors as errors
    from core import inside as inside
    from core.generation import Generation as Generation
    from core.models.loading import list_models as list_models
    from core.models.loading import load_model as load_model
    from core.recording import Recording as Recording
    from core.scoring import ScoredText as ScoredText
    from core.scoring import score_text as score_text
    from core.settings import SamplingSettings as SamplingSettings
    from core.step import Candidate as Candidate
    from core.step import Odds as Odds
    from core.step import Stage as Stage
    from core.step import Step as Step
    from core.tokens import Token as Token

_HOMES = {
    "Candidate": "core.step",
    "Generation": "core.generation",
    "Odds": "core.step",
    "Recording": "core.recording",
    "SamplingSettings": "core.settings",
    "ScoredText": "core.scoring",
    "Stage": "core.step",
    "Step": "core.step",
    "Token": "core.tokens",
    "list_models": "core.models.loading",
    "load_model": "core.models.loading",
    "score_text": "core.scoring",
}
_MODULES = frozenset({"errors", "inside"})

__all__ = [*_HOMES, "errors", "inside"]


def __getattr__(name: str) -> Any:
    """Fetch a public name from the module it lives in, when it is first asked for."""
    if name in _MODULES:
        return import_module(f"core.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")
