"""Load the libraries and the first model once per process, while the first browser still loads Streamlit's own files."""

from __future__ import annotations

import gc
import os
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

from pages.ui.i18n.spoken_language import ENGLISH, speaking
from pages.ui.server import deployment

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

_loading: list[Future[dict[str, LanguageModel]]] = []


def begin() -> None:
    """Start loading in a thread, once per process. Returns at once."""
    if not _loading:
        _loading.append(ThreadPoolExecutor(1, "preload").submit(_load))


def is_loading() -> bool:
    """Return whether loading has begun and has not ended."""
    return not all(future.done() for future in _loading)


def failed() -> bool:
    """Return whether loading ended with an error. Waits for its end."""
    return any(future.exception() is not None for future in _loading)


def wait() -> None:
    """Return when loading has ended, or at once if it never began."""
    for future in _loading:
        future.exception()


def pop_model(name: str) -> LanguageModel | None:
    """Return the preloaded model of this name, once; None if another caller has it or it could not be loaded."""
    return None if not _loading or failed() else _loading[0].result().pop(name, None)


def freeze_objects() -> None:
    """Exclude all present objects from garbage collection.

    With torch and transformers imported a full collection takes 0.3 s, in which no visitor is served. This is the only place in the
    project that changes the garbage collector.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _load() -> dict[str, LanguageModel]:
    if deployment.public():
        # torch's threads spin while they wait for each other, on cores that other visitors need. Read when torch is imported.
        # A step that torch computes takes up to a third longer without spinning; a long prompt and the compiled kernels do not.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with speaking(ENGLISH):  # this thread has no visitor
        import altair  # noqa: F401 (the pages need it; imported here, it is ready when the first page is drawn)
        import pandas  # noqa: F401

        from core import list_models, load_model
        from core.models.fast_start import load_without_network

        first = list_models()[0].name
        # A public instance imports everything before /healthz reports ready: a later import would stop all visitors for seconds.
        model = None if deployment.public() else load_without_network(first)
        model = load_model(first) if model is None else model
        freeze_objects()
        return {first: model}
