"""Compiled decoding for `FastDecoder`, where numba is installed: fetched in the background, compared, and only then used.

Without numba, or until it is ready, NumPy does the work. TOKEN_VIEWER_COMPILED=0 leaves it so.
"""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import weakref
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock, Thread
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from core.engine.backends.described import Described, columns_of
from core.engine.backends.team import Team
from core.limits import PREFIX
from core.sampling import cpu, dice, pick, processors_numpy

if TYPE_CHECKING:
    from core.engine.backends.decoder_parts import Parts, Projection
    from core.engine.backends.decoder_state import State

log = logging.getLogger(__name__)
Where = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]

KERNELS = ("kernels", "kernel_tiles", "kernel_blend", "kernel_weights")
SOURCES = (*KERNELS, "compiled_step", "compiled_batch", "compiled_pick", "compiled_observe", "compiled_dice")
WORTH_A_TEAM = 2_000_000  # multiply-adds of a product from which on waking a second thread takes less than it saves

_TEAM = Team()  # of products of several rows
_lock = Lock()
_thread: list[Thread] = []
_modules: list[Any] = []  # the kernels and the step, once they are there
_batch_thread: list[Thread] = []
_batch_modules: list[Any] = []  # passes of several rows, fetched when somebody first asks for them
_waiting: list[weakref.ref[Any]] = []


def wanted() -> bool:
    """Whether compiled code can be had: numba is installed, and nobody asked to do without."""
    return os.environ.get(f"{PREFIX}COMPILED", "1") != "0" and _installed()


@cache
def _installed() -> bool:
    return find_spec("numba") is not None


def begin(decoder: Any) -> None:
    """Have this decoder's `use_compiled` called when compiled code is there: at once if it is, else from a thread in the background."""
    if not wanted():
        return
    with _lock:
        if not _modules:
            _waiting.append(weakref.ref(decoder))
            if not _thread:
                _thread.append(Thread(target=_fetch, name="compile", daemon=True))
                _thread[0].start()
            return
    decoder.use_compiled()


def wait() -> bool:
    """Until what was begun is done; whether compiled code is there now."""
    for thread in _thread:
        thread.join()
    return bool(_modules)


def keep_on_disk() -> None:
    """Keep compiled code in a folder that is named after what it is made of: numba itself looks at only one of the files."""
    import numba

    config: Any = numba.config
    own = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in SOURCES]
    own.append(Path(processors_numpy.__file__).read_bytes())  # whose constants are compiled in
    name = sha256(b"".join([*own, numba.__version__.encode()])).hexdigest()[:16]
    if Path(config.CACHE_DIR).name == name:
        return
    base = Path(config.CACHE_DIR or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "token-probability-viewer")
    folder = base / "kernels" / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(mkdtemp())
    config.CACHE_DIR = str(folder)
    _shared_with_other_copies(folder)


def _shared_with_other_copies(folder: Path) -> None:
    """numba keeps code apart by the path of its source. What lies here is of the same text: a second checkout takes it."""
    place = _place()
    if place.is_symlink() and not place.exists():
        place.unlink(missing_ok=True)
    others = [other for other in folder.glob("*_*") if other != place and not other.is_symlink()]
    if others and not place.exists():
        with suppress(OSError):  # then it is compiled once more
            place.symlink_to(max(others, key=_files_in).name, target_is_directory=True)


def _fetch() -> None:
    try:
        keep_on_disk()
        _compile_elsewhere("compiled_step")
        kernels = import_module("core.engine.backends.kernels")
        step = import_module("core.engine.backends.compiled_step")
    except Exception:  # whatever a compiler objects to on a machine that nobody has seen: NumPy goes on
        log.warning("Steps are not compiled on this machine; NumPy goes on", exc_info=True)
        return
    with _lock:
        _modules.extend((kernels, step))
        waiting = [decoder for reference in _waiting if (decoder := reference()) is not None]
        _waiting.clear()
    gc.freeze()  # what a compiler leaves behind stays, and need not be looked through after every draw
    for decoder in waiting:
        decoder.use_compiled()
    _fetch_sampling()
    if _is_on_disk("compiled_batch"):  # then it costs nothing to have it ready for the first experiment
        batches_are_ready()


def _fetch_sampling() -> None:
    for name, users in (("compiled_pick", pick.QUICK), ("compiled_observe", cpu.QUICK), ("compiled_dice", dice.QUICK)):
        try:
            _compile_elsewhere(name)
            module = import_module(f"core.engine.backends.{name}")
        except Exception:  # as above: NumPy goes on
            log.warning("Sampling is not compiled on this machine; NumPy goes on", exc_info=True)
            return
        users.append(partial(_unless_unwanted, module))


def _unless_unwanted(module: Any) -> Any:
    return module if wanted() else None


def batches_are_ready() -> bool:
    """Whether `CompiledBatch` can be made now; who asks first has it fetched in the background."""
    if not wanted() or not _thread:
        return False
    with _lock:
        if not _batch_thread:
            _batch_thread.append(Thread(target=_fetch_batches, name="compile batches", daemon=True))
            _batch_thread[0].start()
    return bool(_batch_modules)


def wait_for_batches() -> bool:
    """Until what `batches_are_ready` began is done; whether it is there now."""
    for thread in _batch_thread:
        thread.join()
    return bool(_batch_modules)


def _fetch_batches() -> None:
    if wait():
        try:
            _compile_elsewhere("compiled_batch")
            _batch_modules.append(import_module("core.engine.backends.compiled_batch"))
        except Exception:  # as above: NumPy goes on
            log.warning("Batches are not compiled on this machine; NumPy goes on", exc_info=True)
            return
        gc.freeze()


def _folder() -> str:
    import numba

    config: Any = numba.config
    return str(config.CACHE_DIR)


def _files_in(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


def _place() -> Path:
    """Where numba keeps what is compiled from files beside this one."""
    from numba.core.caching import UserProvidedCacheLocator

    return Path(_folder()) / UserProvidedCacheLocator.get_suitable_cache_subpath(__file__)


def _is_on_disk(module: str) -> bool:
    return any(_place().glob(f"{module}*.nbi"))


def _compile_elsewhere(module: str) -> None:
    """Have another process compile this and keep it on disk, if nobody has: in this one it would hold up every visitor for seconds.

    Raises RuntimeError where that process was ended by a signal: a compiler that fails so would take this one with it.
    """
    if _is_on_disk(module):
        return
    environment = os.environ | {"NUMBA_CACHE_DIR": _folder()}
    command = [sys.executable, "-c", f"import core.engine.backends.{module}"]
    with suppress(OSError, subprocess.SubprocessError):  # then importing it here compiles it
        root = Path(__file__).parents[3]
        done = subprocess.run(command, env=environment, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        if done.returncode < 0:
            told = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise RuntimeError(f"compiling {module} ended with signal {-done.returncode}: {told}")


def is_ready() -> bool:
    """Whether compiled code is there and to be used."""
    return bool(_modules) and wanted()


def rows_product(part: Projection, rows: np.ndarray, out: np.ndarray, streams: int = 1) -> bool:
    """Take rows float32 [count, in] through a projection, into out [count, out]; False where that is not compiled.

    streams: in how many the weights are read, as `Described.streams` says.
    """
    if not is_ready():
        return False
    size = torch.get_num_threads() if rows.shape[0] * part.inputs * part.outputs >= WORTH_A_TEAM else 1
    _TEAM.run(_modules[1].rows_through, (columns_of(part, streams), np.ascontiguousarray(rows), out), size)
    return True


def describe(parts: Parts, places: list[int]) -> Described:
    """These parts as the kernels take them, read in as many streams as is fastest. Raises ValueError for weights that lie in pieces."""
    return Described(_modules[0], _modules[1].row_through, parts, places)


class CompiledStep:
    """One token at a time through these parts."""

    def __init__(self, described: Described) -> None:
        self.described, parts = described, described.parts
        self._step = _modules[1].step
        packed = (parts.heads + 2 * parts.kv_heads) * parts.head_size
        self._shared = packed + parts.hidden_size + parts.heads * parts.head_size + 2 * parts.between
        self._team = Team()

    def __call__(self, token: int, state: State) -> np.ndarray:
        """The float32 logits [vocabulary] after this token, for which there is room. Raises IndexError for what no table holds."""
        self.described.check(token, state.length)
        whole, recent = state.whole, state.recent
        firsts = np.array([whole.first, recent.first], np.int64)
        logits, shared = np.empty(self.described.parts.head.outputs, np.float32), np.empty(self._shared, np.float32)
        rooms = (whole.keys, recent.keys), (whole.values, recent.values)
        arguments = (token, state.length, *self.described.tables, firsts, *rooms, shared, logits)
        self._team.run(self._step, arguments, torch.get_num_threads())
        state.length += 1
        return logits


class CompiledBatch:
    """A few tokens of several texts at once through these parts, keys and values in blocks.

    threads: how many a pass of `MANY` rows and more has at least. One row waits for memory, eight for the processor: they gain from a
    second thread where one does not.
    """

    MANY = 4
    threads = 1

    def __init__(self, described: Described) -> None:
        self.described, parts = described, described.parts
        lines = 2 * (parts.heads + parts.kv_heads) * parts.head_size
        self._shared = 2 * parts.hidden_size + lines + 2 * parts.between  # numbers per row
        self._team = Team()

    def __call__(self, where: Where, blocks: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The float32 logits [wanted, vocabulary]. where: ids, positions, slots, texts, each int64 [rows], and which rows are wanted.

        blocks int64 [texts, blocks]: the texts' block tables, which hold every token up to the rows' own; keys float32 [layers, blocks, KV
        heads x head size, tokens of a block], a multiple of 16; values [layers, slots, KV heads x head size]. Raises IndexError for what no
        table holds.
        """
        ids, positions, slots, _, wanted = where
        for token, position in zip(ids.tolist(), positions.tolist(), strict=True):
            self.described.check(token, position)
        block = keys.shape[3]
        last, held = max(int(slots.max()) // block, int(blocks.max())), blocks.shape[1] * block
        if last >= keys.shape[1] or int(positions.max()) >= held or slots.min() < 0 or blocks.min() < 0:
            raise IndexError("a block that is not there")
        parts, rows = self.described.parts, len(ids)
        hidden, shared = np.empty((rows, parts.hidden_size), np.float32), np.empty(rows * self._shared, np.float32)
        logits = np.empty((len(wanted), parts.head.outputs), np.float32)
        arguments = (self.described.tables, where, blocks, keys, values, hidden, shared, logits)
        own = torch.get_num_threads()
        self._team.run(_batch_modules[0].batch, arguments, own if rows < self.MANY else max(own, self.threads))
        return logits

    def seconds(self, rows: int, threads: int) -> float:
        """What a pass of the first tokens of so many texts takes on so many threads, the faster of two."""
        parts, numbers = self.described.parts, np.arange(rows)
        layers, width, block = len(parts.layers), parts.kv_heads * parts.head_size, 16
        rooms = np.zeros((layers, rows, width, block), np.float32), np.zeros((layers, rows * block, width), np.float32)
        where = numbers, np.zeros_like(numbers), block * numbers, numbers, numbers
        self.threads, times = threads, []
        for _ in range(2):
            started = perf_counter()
            self(where, numbers[:, None].copy(), *rooms)
            times.append(perf_counter() - started)
        return min(times)
