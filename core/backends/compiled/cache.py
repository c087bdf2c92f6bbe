"""Compiled code on disk: one folder per user and version, filled by a separate process.

numba checks only one source file to decide whether cached code is valid. So the folder's name is a hash of all inputs: the sources (with
path and time of change, as numba checks), numba's version and the processor.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from signal import SIGTERM, raise_signal
from tempfile import mkdtemp
from threading import Thread
from time import process_time, sleep

from filelock import FileLock
from platformdirs import user_cache_dir

SECONDS = 300.0  # of processor time, limit for one module; the largest takes half a minute
_ROOT = Path(__file__).parents[str(__package__).count(".") + 1]  # the folder that holds the outermost package
_SOURCES = tuple(sorted(Path(__file__).parent.glob("kernel*.py")))


@cache
def folder() -> Path:
    """Return the folder of this version, and set it as numba's cache. It is created, or replaced by a temporary one if that fails.

    It is in NUMBA_CACHE_DIR if the user set that, otherwise in the user's cache folder.
    """
    named, key = os.environ.get("NUMBA_CACHE_DIR"), _version()
    if named and Path(named).name == key:  # this is the process of `compile_module`
        return Path(named)
    path = Path(named) / key if named else Path(user_cache_dir("token-probability-viewer", appauthor=False, version=key))
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        path = Path(mkdtemp())
    os.environ["NUMBA_CACHE_DIR"] = str(path)
    if "numba" in sys.modules:  # it has already read the environment
        import numba

        numba.config.reload_config()
    return path


def _version() -> str:
    digest = sha256("\n".join((version("numba"), platform.machine(), _processor())).encode())
    for source in _SOURCES:
        digest.update(f"{source} {source.stat().st_mtime_ns}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """Return the processor's name and features, if the system lists them, and numba's settings that replace them."""
    described = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return " ".join([platform.processor(), *described])
    return " ".join([*sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}), *described])


def is_compiled(module: str) -> bool:
    """Return whether `compile_module` has compiled this module of the package before."""
    return (folder() / f"{module}.done").is_file()


def compile_module(module: str) -> None:
    """Compile a module of this package in another process, unless that was done. Compiling in this process would delay every visitor.

    Raises RuntimeError if that process failed. A signal that ends the compiler does not end this process.
    """
    with FileLock(folder() / f"{module}.lock"):  # several processes may start at once; the others wait for the first
        with _only_compiler():
            pass  # wait for a compiler that outlived the process that started it
        if not is_compiled(module):
            _compile(module)


def _only_compiler() -> FileLock:
    """Return the lock that the compiler of this folder holds while it runs."""
    return FileLock(folder() / "compiler.lock")


def _compile(module: str) -> None:
    completed = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import compile_here; compile_here({module!r})"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder())},
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if completed.returncode != 0:
        reason = completed.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"compiling {module} ended with {completed.returncode}: {reason}")


def compile_here(module: str) -> None:
    """Compile a module of this package in this process, unless that was done. It ends this process after SECONDS of processor time.

    It takes the limit and the lock by itself, because the process that started it can end before it does.
    """
    Thread(target=_end_at_limit, daemon=True).start()
    with _only_compiler():
        if not is_compiled(module):
            import_module(f"{__package__}.{module}")
            (folder() / f"{module}.done").touch()


def _end_at_limit() -> None:
    while process_time() < SECONDS:  # the clock would count what other processes on a busy machine compute
        sleep(1)
    try:
        sys.stderr.write(f"it took more than {SECONDS:g} seconds of processor time\n")
        sys.stderr.flush()
    finally:  # nobody may be there to read
        raise_signal(SIGTERM)  # an exception would end this thread alone
