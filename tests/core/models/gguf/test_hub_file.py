"""Of a repository with many GGUF files one is downloaded, all its parts together, and then used without the hub."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from core.errors import ModelError
from core.models.gguf import hub_file
from core.models.gguf.header import RUN, is_gguf, is_here
from core.models.gguf.hub_file import downloaded_file, files_on_hub, is_hub_file, matching
from core.models.hub_download import Download
from core.models.model_names import checked_name
from tests.core.models.test_hub_download import SmallHub

NAMES = ["m-Q4_K_M.gguf", "m-Q8_0-00001-of-00002.gguf", "m-Q8_0-00002-of-00002.gguf", "mmproj-Q4_K_M.gguf", "README.md"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        (folder / name).write_bytes(bytes([number]) * 100)
    return folder


def test_names_of_files_are_told_from_others() -> None:
    assert is_hub_file(checked_name("org/model-GGUF@main:Q4_K_M"))
    assert is_hub_file("org/model-GGUF:UD-Q4_K_XL")
    assert is_gguf("org/model:Q8_0") and is_gguf(f"{RUN}org/model:Q8_0") and not is_here("org/model:Q8_0")
    for name in ("org/model", "host:8000", "http://host:8000", "/x/org/model:Q4", "org/model:", "org/model:a b", "a:b/c:d"):
        assert not is_hub_file(name), name


def test_one_quantization_is_chosen() -> None:
    assert matching(NAMES, "q4_k_m") == ["m-Q4_K_M.gguf"]
    assert matching(NAMES, "Q8_0") == NAMES[1:3]
    assert matching(["m-UD-Q4_K_XL.gguf", "m-Q4_K_M.gguf"], "UD-Q4_K_XL") == ["m-UD-Q4_K_XL.gguf"]
    assert matching(NAMES, "Q4") == matching(NAMES, "8_0") == []


def test_its_parts_are_downloaded_and_nothing_else(repository: Path, tmp_path: Path) -> None:
    server, name, cache = SmallHub(repository), "some/model:Q8_0", tmp_path / "cache"
    try:
        download = Download(name, server.address, cache, partial(files_on_hub, name, server.address))
        download.wait(30)
        assert download.error is None and download.folder is not None
        assert sorted(path.name for path in download.folder.iterdir()) == NAMES[1:3]
        assert (download.done, download.total) == (200, 200)
        assert downloaded_file(name, cache) == download.folder / NAMES[1]
        (download.folder / NAMES[2]).unlink()
        assert downloaded_file(name, cache) is None
        with pytest.raises(ModelError, match="Q2_K"):
            files_on_hub("some/model:Q2_K", server.address)
    finally:
        server.shutdown()
        server.server_close()


def test_without_a_network_one_sentence_says_so() -> None:
    with pytest.raises(ModelError):
        hub_file.files_on_hub("some/model:Q4_K_M", "http://127.0.0.1:9")
