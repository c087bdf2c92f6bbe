"""A full disk: one sentence says so, nothing is lost, and the same work succeeds once there is room."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core import disk_full, load_model
from core.backends.compiled import cache
from core.disk_full import has_room_for, is_disk_full
from core.errors import NoRoom
from core.models.archive import open_zip, zip_of
from core.models.hub_download import Download
from tests.core.models.gguf import making
from tests.core.models.test_hub_download import SmallHub


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Let no file of this process grow above so many bytes. The operating system refuses it as it refuses to write on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def refused(work: Callable[[], Any], size: int = 100) -> str:
    """Return what is said when the disk is full."""
    with no_file_larger_than(size), pytest.raises(NoRoom) as error:
        work()
    return str(error.value)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "a"), RuntimeError("I/O error: No space left on device (os error 28)")])
def test_errors_of_python_and_of_libraries_in_rust_are_known(error: Exception) -> None:
    assert is_disk_full(error)
    try:
        raise ValueError("the file is broken") from error
    except ValueError as later:
        assert is_disk_full(later)
    assert not is_disk_full(OSError(errno.ENOENT, "No such file"))
    assert not is_disk_full(None)


def test_whether_a_file_fits_is_asked_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_room_for(1) and not has_room_for(10**18)

    def no_folder() -> str:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr(disk_full, "tempfile", SimpleNamespace(gettempdir=no_folder))
    assert not has_room_for(1)


def test_a_model_is_saved_once_there_is_room(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    assert model.name in refused(lambda: zip_of(model), 5_000)
    data = zip_of(model)
    assert "“zip”" in refused(lambda: open_zip(data))
    assert open_zip(data).layer_count == model.layer_count


def test_without_a_folder_for_temporary_files_a_zip_is_refused_with_a_sentence(
    tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = zip_of(tiny("llama"))

    def no_folder() -> None:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", "/tmp/a")

    monkeypatch.setattr(disk_full, "tempfile", SimpleNamespace(TemporaryDirectory=no_folder))
    for work in (lambda: zip_of(tiny("llama")), lambda: open_zip(data)):
        with pytest.raises(NoRoom, match="cannot write to any folder for temporary files"):
            work()


@pytest.mark.parametrize("size", [0, 3_000, 20_000])
def test_a_gguf_file_is_read_once_there_is_room(
    size: int, tiny_folder: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = making.converted(tiny_folder("llama"), "llama", tmp_path / "llama.gguf")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    refused(lambda: load_model(str(file)), size)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert load_model(str(file)).layer_count > 0


def test_a_download_goes_on_once_there_is_room(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    server = SmallHub(tiny_folder("llama"))
    try:
        with no_file_larger_than(1_500):
            download = Download("some/model", server.address, tmp_path)
            download.wait(30)
        assert isinstance(download.error, NoRoom)
        assert not download.running
        again = Download("some/model", server.address, tmp_path)
        again.wait(30)
        assert again.error is None
    finally:
        server.shutdown()
        server.server_close()


def test_no_folder_for_temporary_files_is_a_full_disk() -> None:
    program = (
        "import resource, tempfile\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "try: tempfile.TemporaryFile()\n"
        "except OSError as error: print(error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True).stdout
    assert is_disk_full(OSError(said)), said


@pytest.mark.exhaustive  # it compiles for half a minute
def test_the_app_writes_without_compiled_code_while_the_disk_is_full(tmp_path: Path) -> None:
    program = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "from core import Generation, SamplingSettings, load_model\n"
        "from core.backends import compiled\n"
        "run = Generation(load_model('storyteller-mini'), 'Once', SamplingSettings(seed=1))\n"
        "run.generate(5)\n"
        "assert not compiled.wait()\n"
        "run.generate(5)\n"
        "import sys; sys.exit(40 + len(run.path))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "TOKEN_VIEWER_COMPILED": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == 50, done.stderr.decode()[-2000:]


def test_a_module_counts_as_compiled_only_once_its_code_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache.subprocess, "run", lambda *_args, **_named: subprocess.CompletedProcess([], 1, b"", b"No space left"))
    with pytest.raises(RuntimeError, match="No space left"):
        cache.compile_module("kernel_step")
    assert not cache.is_compiled("kernel_step")


def test_no_folder_for_temporary_files_is_named_when_a_model_is_loaded() -> None:
    """A library that asks for the folder while it is imported hides this error in one of its own."""
    hidden = ValueError("The configuration cannot be read.")
    hidden.__cause__ = FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")
    with pytest.raises(NoRoom, match="any folder for temporary files"), disk_full.temporary_folder_named():
        raise hidden
