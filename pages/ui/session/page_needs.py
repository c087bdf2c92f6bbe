"""What each page needs of the visitor's model. app.py shows one sentence instead of a page if the model cannot do it."""

from __future__ import annotations

from core.errors import ViewerError
from core.sources.capabilities import Can, missing
from pages.ui.session import current

IDS = (Can.TOKEN_IDS,)
PASSES = (Can.TOKEN_IDS, Can.PASSES)
NEEDS: dict[str, tuple[Can, ...]] = {
    **dict.fromkeys(("tour", "read", "what_if", "compare", "candidates"), IDS),
    **dict.fromkeys(("inside", "why", "teach", "think", "cache", "memory", "context"), PASSES),
    **dict.fromkeys(("batching", "speculative", "quantization", "waiting", "pupil"), PASSES),
}


def why_not(path: str) -> str:
    """Return why the visitor's model cannot be used on this page; "" if it can, and if there is no model. path: "inside"."""
    if path not in NEEDS:
        return ""
    try:
        return missing(current.model(), *NEEDS[path])
    except ViewerError:  # the page says why there is no model
        return ""
