"""The folder of compiled code: named after its sources and settings, filled by another process, and reused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="without it there is nothing compiled")

from core.backends.compiled import cache

ROOT = Path(__file__).parents[4]


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file in place of the kernels."""
    source = tmp_path / "kernel_of_tests.py"
    source.write_text("one = 1")
    monkeypatch.setattr(cache, "_SOURCES", (source,))
    return source


def test_the_key_changes_with_all_that_the_code_depends_on(sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {cache._version()}
    assert keys == {cache._version()}
    sources.write_text("one = 2")
    keys.add(cache._version())
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "+avx")
    keys.add(cache._version())
    monkeypatch.setattr(cache, "version", lambda _name: "0.0.1")
    assert len({*keys, cache._version()}) == 4


def test_the_key_is_the_same_in_every_process() -> None:
    """Python orders a set of strings differently in every process: each order once had a folder of its own."""
    command = [sys.executable, "-c", "from core.backends.compiled import cache; print(cache.folder().name)"]
    keys = {
        subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in "0123"
    }
    assert len(keys) == 1


def test_a_module_is_compiled_once_into_the_folder_that_the_user_named(tmp_path: Path) -> None:
    program = (
        "import subprocess\n"
        "from core.backends.compiled import cache\n"
        "cache.compile_module('kernel_dice')\n"
        "cache.subprocess = None  # a second process would need it\n"
        "cache.compile_module('kernel_dice')\n"
        "from core.backends.compiled.kernel_dice import roll\n"
        "print(cache.folder(), sum(roll.stats.cache_hits.values()), sum(roll.stats.cache_misses.values()))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", program]
    described = subprocess.run(command, cwd=ROOT, env=environment, timeout=300, capture_output=True, text=True, check=True)
    folder, hits, misses = described.stdout.split()
    assert Path(folder).parent == tmp_path and list(Path(folder).rglob("kernel_dice*.nbi"))
    assert int(hits) > 0 and misses == "0"
