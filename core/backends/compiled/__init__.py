"""Compiled code (numba) for decoding, loaded in a background thread. See README.md.

Other packages import only this module, and importing it is cheap. The `..._ready` functions return False until the code is loaded, without
numba, and with TOKEN_VIEWER_COMPILED=0. Callers then compute with NumPy or transformers.
"""

from __future__ import annotations

import functools
import logging
import os
import weakref
from collections.abc import Callable
from importlib.util import find_spec
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from core.limits import PREFIX

if TYPE_CHECKING:
    import numpy as np

    from core.backends.compiled.passes import CompiledBatch, CompiledStep
    from core.backends.decoder_parts import Parts, Projection

log = logging.getLogger(__name__)

_lock = Lock()
_threads: dict[str, Thread] = {}
_loaded: dict[str, Any] = {}  # modules of this package, once they are compiled and imported
_listeners: list[weakref.WeakMethod[Callable[[], None]]] = []


def available() -> bool:
    """Return whether compiled code can be used: numba is installed and compiles, and TOKEN_VIEWER_COMPILED is not 0."""
    compiles = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")  # else numba calls the Python functions, and intrinsics fail
    return compiles and os.environ.get(f"{PREFIX}COMPILED", "1") != "0" and _installed()


@functools.cache
def _installed() -> bool:
    return find_spec("numba") is not None


def is_ready() -> bool:
    """Return whether `compile_step` and `rows_product` can be used now."""
    return "passes" in _loaded and available()


def start(when_ready: Callable[[], None] | None = None) -> None:
    """Load compiled code in a background thread, once per process.

    when_ready: a bound method, called once `compile_step` can be used, immediately if it can now. It is held weakly.
    """
    if not available():
        return
    with _lock:
        if "passes" not in _loaded:
            if when_ready is not None:
                _listeners.append(weakref.WeakMethod(when_ready))
            _begin("compile", _load)
            return
    if when_ready is not None:
        when_ready()


def wait() -> bool:
    """Wait for the thread that `start` began. Return whether compiled code is loaded."""
    return _joined("compile", "passes")


def compile_step(parts: Parts, places: list[int]) -> CompiledStep:
    """Return a compiled pass of one token through these parts of a decoder.

    places: each layer's index among the layers with the same window. Raises ValueError for weights that are not contiguous.
    """
    return _loaded["passes"].CompiledStep(_loaded["passes"].WeightTable(parts, places))


def rows_product(part: Projection, rows: np.ndarray, out: np.ndarray, streams: int = 1) -> bool:
    """Multiply rows float32 [count, in] with a projection, into out [count, out]. Return False if no compiled code is loaded.

    streams: number of streams in which the weights are read, as chosen by `core.backends.speed_trial`.
    """
    if not is_ready():
        return False
    _loaded["passes"].rows_product(part, rows, out, streams)
    return True


def batches_are_ready() -> bool:
    """Return whether `compile_batch` can be used now. The first call starts to compile it in the background."""
    if not available() or "compile" not in _threads:
        return False
    with _lock:
        _begin("compile batches", _load_batches)
    return "kernel_batch" in _loaded


def wait_for_batches() -> bool:
    """Wait for the thread that `batches_are_ready` began. Return whether batches are compiled."""
    return _joined("compile batches", "kernel_batch")


def compile_batch(step: CompiledStep) -> CompiledBatch:
    """Return a compiled pass of several texts at once through the parts of this step."""
    return _loaded["passes"].CompiledBatch(step.described)


def _begin(name: str, work: Callable[[], None]) -> None:
    """Start a thread of this name, once. The caller holds the lock."""
    if name not in _threads:
        _threads[name] = Thread(target=work, name=name, daemon=True)
        _threads[name].start()


def _joined(thread: str, module: str) -> bool:
    if thread in _threads:
        _threads[thread].join()
    return module in _loaded


def _load() -> None:
    """Load steps, call the listeners, then load batches if they were compiled before."""
    from core.backends.compiled import cache

    try:
        cache.compile_module("kernel_step")
        from core.backends.compiled import passes
    except Exception as error:  # numba can fail in any way on an unknown machine
        log.warning("Steps are not compiled on this machine; NumPy goes on: %s", _first_line(error))
        return
    with _lock:
        _loaded["passes"] = passes
        listeners = [method for reference in _listeners if (method := reference()) is not None]
        _listeners.clear()
    for when_ready in listeners:
        when_ready()
    if cache.is_compiled("kernel_batch"):
        batches_are_ready()


def _first_line(error: Exception) -> str:
    """Return the kind of an error and the first line of its message."""
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def _load_batches() -> None:
    from core.backends.compiled import cache

    if wait():
        try:
            cache.compile_module("kernel_batch")
            from core.backends.compiled import kernel_batch
        except Exception as error:  # see `_load`
            log.warning("Batches are not compiled on this machine; transformers goes on: %s", _first_line(error))
            return
        _loaded["kernel_batch"] = kernel_batch
