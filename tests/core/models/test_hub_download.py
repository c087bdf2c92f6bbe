"""Downloads: a small hub on this machine answers in the protocol of the real one."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from core import load_model
from core.errors import ModelError, NoRoom
from core.models import hub_download
from core.models.hub_download import Download
from tests.core.refusals import reads_as_one_sentence

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class SmallHub(ThreadingHTTPServer):
    """A hub with one model, whose files are those of a folder.

    gate: what is sent of each file waits for it after the first piece. refusal: status and error code for every request.
    """

    daemon_threads = True

    def __init__(self, folder: Path, gate: threading.Event | None = None, refusal: tuple[int, str] | None = None) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.folder, self.gate, self.refusal = folder, gate, refusal
        self.asked: list[str] = []
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Answer(BaseHTTPRequestHandler):
    server: SmallHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        path = self.path.split("?")[0]
        self.server.asked.append(path)
        if self.server.refusal:
            return self._refuse(*self.server.refusal)
        files = sorted(p for p in self.server.folder.iterdir() if p.is_file())
        if re.match(r"/api/models/some/model(/revision/\w+)?$", path):
            listed = [{"rfilename": p.name, "size": p.stat().st_size} for p in files]
            return self._send(json.dumps({"id": "some/model", "modelId": "some/model", "sha": COMMIT, "siblings": listed}).encode(), body)
        if "/tree/" in path:
            tree = [{"type": "file", "path": p.name, "size": p.stat().st_size, "oid": _hash(p)} for p in files]
            return self._send(json.dumps(tree).encode(), body)
        found = re.match(r"/some/model/resolve/\w+/([\w.-]+)$", path)
        if found and (self.server.folder / found[1]).is_file():
            return self._send((self.server.folder / found[1]).read_bytes(), body, etag=_hash(self.server.folder / found[1]))
        return self._refuse(404, "RepoNotFound")

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, data: bytes, body: bool, etag: str = "") -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("X-Repo-Commit", COMMIT)
        if etag:
            self.send_header("ETag", f'"{etag}"')
        self.end_headers()
        if not body:
            return
        for start in range(0, len(data), 4096):
            try:
                self.wfile.write(data[start : start + 4096])
            except OSError:
                return
            if self.server.gate and etag:
                self.server.gate.wait(30)


def _hash(path: Path) -> str:
    return hashlib.sha1(path.read_bytes()).hexdigest()


@pytest.fixture
def hub(tiny_folder: Callable[[str], Path]) -> Iterator[Callable[..., SmallHub]]:
    """Opens a hub with the tiny Llama in it; closed after the test."""
    opened: list[SmallHub] = []

    def open_hub(gate: threading.Event | None = None, refusal: tuple[int, str] | None = None) -> SmallHub:
        opened.append(SmallHub(tiny_folder("llama"), gate, refusal))
        return opened[-1]

    yield open_hub
    for server in opened:
        server.shutdown()
        server.server_close()


def test_a_download_brings_a_model_that_loads_and_counts_its_bytes(
    hub: Callable[..., SmallHub], tiny_folder: Callable[[str], Path]
) -> None:
    download = Download("some/model", endpoint=hub().address)
    download.wait(30)
    assert download.error is None
    assert download.folder is not None
    assert load_model(str(download.folder)).layer_count == load_model(str(tiny_folder("llama"))).layer_count
    wanted = sum(p.stat().st_size for p in tiny_folder("llama").iterdir() if p.suffix in (".json", ".safetensors"))
    assert (download.done, download.total) == (wanted, wanted)
    assert download.bytes_per_second > 0
    assert not download.running


def test_a_download_can_be_stopped(hub: Callable[..., SmallHub], tmp_path: Path) -> None:
    gate = threading.Event()
    download = Download("some/model@slow", hub(gate).address, tmp_path)
    download.stop()
    gate.set()
    download.wait(30)
    assert not download.running
    assert download.folder is None
    assert isinstance(download.error, ModelError)


def test_nothing_is_fetched_that_the_disk_has_no_room_for(
    hub: Callable[..., SmallHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 5 * 10**9 + 1000})
    monkeypatch.setattr(hub_download.shutil, "disk_usage", lambda _: usage)
    server = hub()
    download = Download("some/model", server.address, tmp_path)
    download.wait(30)
    assert isinstance(download.error, NoRoom)
    assert "TOKEN_VIEWER_FREE_GIGABYTES" in str(download.error)
    assert not [path for path in server.asked if "/resolve/" in path]


def test_nothing_is_fetched_that_is_larger_than_the_operator_allows(
    hub: Callable[..., SmallHub], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    download = Download("some/model", hub().address, tmp_path)
    download.wait(30)
    assert download.error is None
    with pytest.raises(NoRoom, match="50 GB"):
        download._announced(51 * 10**9)
    monkeypatch.setenv("TOKEN_VIEWER_DOWNLOAD_GIGABYTES", "1")
    download.total, download.done = 0, 10**9  # a hub that announced less than it sends
    with pytest.raises(NoRoom, match="1 GB"):
        download.count(hub_download.ROOM_CHECK)


@pytest.mark.parametrize(
    ("refusal", "kind"),
    [
        ((404, "RepoNotFound"), ModelError),
        ((404, "RevisionNotFound"), ModelError),
        ((403, "GatedRepo"), ModelError),
        ((403, ""), ModelError),
    ],
)
def test_what_the_hub_answers_is_passed_on_in_one_sentence(
    refusal: tuple[int, str], kind: type[ModelError], hub: Callable[..., SmallHub], tmp_path: Path
) -> None:
    download = Download("some/model", hub(refusal=refusal).address, tmp_path)
    download.wait(60)
    assert type(download.error) is kind
    reads_as_one_sentence(download.error)


def test_no_network_is_one_sentence(tmp_path: Path) -> None:
    download = Download("some/model", "http://127.0.0.1:9", tmp_path)
    download.wait(60)
    assert isinstance(download.error, ModelError)
    assert "bundled models work without a network" in str(download.error)
