"""Whether a server's list of likeliest tokens suffices for a step."""

from __future__ import annotations

from core.errors import NotForThisModel
from core.record.top_logprobs import TopLogprobs
from core.sampling import stages
from core.sampling.settings import SamplingSettings

LONGEST_LIST = 8_000  # most tokens that a server is asked for to make a pick certain


def is_unbounded(settings: SamplingSettings) -> bool:
    """Return whether no cut-off limits the selection while the temperature shifts probability between listed and unlisted tokens."""
    if not stages.has_usual_order(settings):
        return True
    cut = settings.greedy or settings.top_k > 0 or settings.top_p < 1.0 or settings.min_p > 0.0
    return not cut and (settings.temperature != 1.0 or settings.typical_p < 1.0)


def is_cut_too_short(listed: TopLogprobs | None, settings: SamplingSettings) -> bool:
    """Return whether a cut-off may keep tokens that a server's list does not include, so that a longer list is needed."""
    if listed is None or settings.greedy or settings.repetition_penalty != 1.0 or (settings.top_p == 1.0 and settings.min_p == 0.0):
        return False
    if not stages.has_usual_order(settings):  # nothing is known about the unlisted tokens after these stages
        return False
    return not listed.exact_stages(stages_of(settings))[-1]


def is_doubtful(listed: TopLogprobs | None, settings: SamplingSettings, roll: float | None) -> bool:
    """Return whether this roll could select another token if the server listed more."""
    if listed is None or roll is None or len(listed) >= LONGEST_LIST or settings.repetition_penalty != 1.0:
        return False
    if not stages.has_usual_order(settings):
        return False
    return not listed.certain_pick(stages_of(settings), roll)


def stages_of(settings: SamplingSettings) -> list[tuple[str, float | None]]:
    """Return the stages with their settings, the model first."""
    return [("model", None), *((name, setting) for name, setting, _each in stages.processors(settings))]


def beyond(listed: int, forced: int) -> NotForThisModel:
    """Return the error for a token that a server does not list. forced: its id if it was asked for, else -1."""
    if forced >= 0:
        return NotForThisModel(
            "The server lists its {listed} likeliest tokens, and that token is not among them. Choose another one.", listed=listed
        )
    return NotForThisModel(
        "The sampled token is not among the {listed} tokens that the server lists. Lower temperature or "
        "top-p, roll again, or start the server with a longer list (vLLM: --max-logprobs).",
        listed=listed,
    )
