"""The folder of compiled code: named after its sources and settings, filled by another process, and reused."""

from __future__ import annotations

import os
import subprocess
import sys
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

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
    """Python orders a set of strings differently by this seed: each order once had a folder of its own."""
    command = [sys.executable, "-c", "from core.backends.compiled import cache; print(cache.folder().name)"]
    keys = {
        subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout
        for seed in "01"
    }
    assert len(keys) == 1


PROGRAM = """
import sys
from core.backends.compiled import cache
compile_it = cache._compile
def told(module):
    print("compiling")
    compile_it(module)
cache._compile = told
print("ready", flush=True)
sys.stdin.readline()
cache.compile_module("kernel_blend")
cache.compile_module("kernel_blend")
print(cache.folder())
"""


def test_processes_that_start_together_compile_a_module_once_into_the_folder_that_the_user_named(tmp_path: Path) -> None:
    how: dict[str, Any] = {"cwd": ROOT, "env": os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, "text": True}
    both: list[Any] = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **how) for _ in range(2)
    ]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    lines = [line for process in both for line in process.communicate(timeout=300)[0].splitlines()]
    assert lines.count("compiling") == 1
    (folder,) = {line for line in lines if line != "compiling"}
    assert Path(folder).parent == tmp_path and Path(folder, "kernel_blend.done").is_file()


READING = """
from core.backends.compiled import cache
cache.compile_module("kernel_step")
from core.backends.compiled.kernel_step import rows_through
stats = rows_through.stats
print(len(list(cache.folder().rglob("kernel_step*.nbi"))), sum(stats.cache_hits.values()), len(stats.cache_misses))
"""


@pytest.mark.slow
def test_a_process_reads_the_code_that_another_one_compiled() -> None:
    done = subprocess.run([sys.executable, "-c", READING], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    files, hits, misses = map(int, done.stdout.split())
    assert files and hits and not misses


LIMITED = """
from core.backends.compiled import cache
cache.SECONDS = 0.1
cache.compile_here("kernel_step")
"""


def test_a_compiler_ends_by_itself_after_its_processor_time(tmp_path: Path) -> None:
    how: dict[str, Any] = {"cwd": ROOT, "env": os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}, "capture_output": True, "text": True}
    done = subprocess.run([sys.executable, "-c", LIMITED], timeout=300, check=False, **how)
    assert done.returncode != 0
    assert done.stderr.splitlines()[-1] == "it took more than 0.1 seconds of processor time"
    assert not list(tmp_path.rglob("*.done"))


def test_a_compiler_that_outlived_its_app_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "_compile", begun.append)
    with ThreadPool(1) as pool:
        with cache._only_compiler():
            waiting = pool.apply_async(cache.compile_module, ("kernel_step",))
            waiting.wait(0.2)
            assert not waiting.ready()
            (tmp_path / "kernel_step.done").touch()
        waiting.get(60)
    assert begun == []
