"""Compiled code is kept by what it is made of: a second checkout takes what the first one made, and nothing else is taken for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.engine.backends import compiled

pytestmark = pytest.mark.skipif(not compiled._installed(), reason="numba is not installed")
ROOT = Path(__file__).parents[4]
OTHER = "backends_0123"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where compiled code of these sources is kept."""
    monkeypatch.setattr(compiled, "_folder", lambda: str(tmp_path))
    return tmp_path


def kept(folder: Path, *names: str) -> None:
    folder.mkdir()
    for name in names:
        (folder / f"{name}.step-1.py311.nbi").write_bytes(b"code")


def test_what_another_copy_compiled_is_taken(folder: Path) -> None:
    kept(folder / "backends_4567", "compiled_step")
    kept(folder / OTHER, "compiled_step", "compiled_pick")
    assert not compiled._is_on_disk("compiled_step"), "it lies where numba does not look for ours"
    compiled._shared_with_other_copies(folder)
    assert compiled._is_on_disk("compiled_step") and compiled._is_on_disk("compiled_pick"), "the fuller one of two"
    assert not compiled._is_on_disk("compiled_batch")
    compiled._shared_with_other_copies(folder)
    assert compiled._place().is_symlink() and (folder / OTHER).is_dir()


def test_ones_own_stays(folder: Path) -> None:
    kept(folder / OTHER, "compiled_step")
    kept(compiled._place(), "compiled_pick")
    compiled._shared_with_other_copies(folder)
    assert not compiled._place().is_symlink() and not compiled._is_on_disk("compiled_step")


def test_a_link_to_nothing_is_taken_away(folder: Path) -> None:
    compiled._place().symlink_to("backends_gone", target_is_directory=True)
    compiled._shared_with_other_copies(folder)
    assert not compiled._place().is_symlink(), "numba could not make its folder"


def test_where_there_are_no_links_it_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_whatever: object, **_more: object) -> None:
        raise OSError("no links here")

    kept(folder / OTHER, "compiled_step")
    monkeypatch.setattr(Path, "symlink_to", refused)
    compiled._shared_with_other_copies(folder)
    assert not compiled._is_on_disk("compiled_step")


def test_a_second_checkout_does_not_compile_what_the_first_one_has(tmp_path: Path) -> None:
    here = "from core.engine.backends import compiled; compiled.keep_on_disk(); compiled._compile_elsewhere('compiled_pick')"
    subprocess.run([sys.executable, "-c", here], cwd=ROOT, check=True, timeout=300)
    shutil.copytree(ROOT / "core", tmp_path / "core", ignore=shutil.ignore_patterns("bundled", "__pycache__"))
    there = (
        "from core.engine.backends import compiled_pick as module\n"
        "kept = [value.stats for value in vars(module).values() if getattr(getattr(value, 'stats', None), 'cache_path', None)]\n"
        "print(len(kept), sum(len(one.cache_misses) for one in kept), module.__file__)"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", there], cwd=tmp_path, env=environment, check=True, timeout=300, capture_output=True, text=True
    )
    count, misses, file = told.stdout.split()
    assert int(count) > 0 and misses == "0" and file.startswith(str(tmp_path))
    assert not list(tmp_path.rglob("*.nbi")), "beside the source, code is kept by one file of those that it is made of"
