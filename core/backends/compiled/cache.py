"""Compiled code on disk: one folder per user and version, filled by a process of its own.

numba decides by one source file whether its code is still right. So the folder is named after everything that goes into the code: the
sources (where they are and when they changed, as numba asks), numba's version and the processor.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

from platformdirs import user_cache_dir

MODULES = ("kernel_step", "kernel_pick", "kernel_observe", "kernel_dice", "kernel_batch")  # those with compiled functions of their own
SECONDS = 300.0  # for one module; the largest takes half a minute
_ROOT = Path(__file__).parents[3]
_SOURCES = (*sorted(Path(__file__).parent.glob("kernel*.py")), _ROOT / "core" / "rounding.py")


@cache
def folder() -> Path:
    """The folder of this version, made if it is not there; a temporary one if it cannot be made. numba is told of it here.

    A folder that the user named (NUMBA_CACHE_DIR) holds it, otherwise the user's cache folder.
    """
    named, key = os.environ.get("NUMBA_CACHE_DIR"), _version()
    if named and Path(named).name == key:  # the process of `compile_module`
        return Path(named)
    found = Path(named) / key if named else Path(user_cache_dir("token-probability-viewer", appauthor=False, version=key))
    try:
        found.mkdir(parents=True, exist_ok=True)
    except OSError:
        found = Path(mkdtemp())
    os.environ["NUMBA_CACHE_DIR"] = str(found)
    if "numba" in sys.modules:  # it has read the environment already
        import numba

        numba.config.reload_config()
    return found


def _version() -> str:
    digest = sha256("\n".join((version("numba"), platform.machine(), _processor())).encode())
    for source in _SOURCES:
        digest.update(f"{source} {source.stat().st_mtime_ns}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """Its name and features, as far as the system tells, and what numba is told to compile for instead."""
    told = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return " ".join([platform.processor(), *told])
    return " ".join([*sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}), *told])


def is_compiled(module: str) -> bool:
    """Whether `compile_module` has compiled this module of the package before."""
    return (folder() / f"{module}.done").is_file()


def compile_module(module: str) -> None:
    """Compile a module of this package in another process, unless that was done: in this one it would hold up every visitor.

    Raises RuntimeError if that process failed: a compiler that was ended by a signal would end this process, too.
    """
    if is_compiled(module):
        return
    done = subprocess.run(
        [sys.executable, "-c", f"import {__package__}.{module}"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder())},
        cwd=_ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"compiling {module} ended with {done.returncode}: {said}")
    (folder() / f"{module}.done").touch()
