"""Streamlit's files from memory: what a browser gets is what lies on disk, and whatever is no such file is not ours to answer."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path
from typing import Any

import pytest
from streamlit.file_util import get_static_dir

from pages.parts.runtime.static_files import StaticFiles

SCRIPT = "/static/js/index.abc.js"


async def behind(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 299, "headers": []})
    await send({"type": "http.response.body", "body": b"behind"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, body in (
        ("js/index.abc.js", b"let word = 'fox';\n" * 500),
        ("js/small.abc.js", b"1"),
        ("css/look.abc.css", b"a{color:red}" * 200),
        ("media/font.abc.woff2", bytes(range(256)) * 8),
    ):
        path = tmp_path / "static" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (tmp_path / "index.html").write_bytes(b"<html>")
    (tmp_path / "secret.js").write_bytes(b"let secret;" * 300)
    return tmp_path


def asked(files: StaticFiles, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of the answer."""
    told = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    answers: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        answers.append(message)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    asyncio.run(files({"type": "http", "path": path, "method": method, "headers": told}, receive, send))
    start, body = answers
    return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]


def test_a_script_is_packed_once_and_is_what_lies_on_disk(folder: Path) -> None:
    files = StaticFiles(behind, folder)
    status, headers, body = asked(files, SCRIPT, accept_encoding="gzip, deflate, br, zstd")
    original = (folder / SCRIPT[1:]).read_bytes()
    assert status == 200 and gzip.decompress(body) == original and len(body) < len(original) / 10
    assert headers["content-encoding"] == "gzip" and headers["content-length"] == str(len(body))
    assert headers["content-type"].split(";")[0] in ("text/javascript", "application/javascript")
    assert headers["vary"] == "accept-encoding" and "immutable" in headers["cache-control"]
    (folder / SCRIPT[1:]).unlink()
    assert asked(files, SCRIPT, accept_encoding="gzip")[2] is body, "from memory"
    assert asked(files, SCRIPT, "HEAD", accept_encoding="gzip")[::2] == (200, b"")


def test_what_does_not_pack_is_sent_as_it_is(folder: Path) -> None:
    files = StaticFiles(behind, folder)
    for name in ("js/small.abc.js", "media/font.abc.woff2"):
        status, headers, body = asked(files, f"/static/{name}", accept_encoding="gzip")
        assert status == 200 and body == (folder / "static" / name).read_bytes() and "content-encoding" not in headers


STRANGE = [
    "/",
    "/index.html",
    "/secret.js",
    "/static/js/",
    "/static/js/../../secret.js",
    "/static/js/%2e%2e/%2e%2e/secret.js",
    "//static/js/index.abc.js",
    "/static/js/index.abc.js/",
    "/static/js/no.js",
    "/static/js/index.abc.js\x00",
    "/base/static/js/index.abc.js",
    "/STATIC/js/index.abc.js",
    "/" + "a" * 100_000,
]
TOLD = [
    {},
    {"accept_encoding": ""},
    {"accept_encoding": "identity"},
    {"accept_encoding": "gzip;q=0"},
    {"accept_encoding": "br"},
    {"accept_encoding": "gzip", "range": "bytes=0-9"},
]


@pytest.mark.parametrize("path", STRANGE, ids=range(len(STRANGE)))
def test_whatever_is_no_such_file_goes_to_the_app(folder: Path, path: str) -> None:
    assert asked(StaticFiles(behind, folder), path, accept_encoding="gzip")[0] == 299


@pytest.mark.parametrize("told", TOLD, ids=range(len(TOLD)))
def test_who_cannot_take_it_or_wants_a_part_is_answered_by_the_app(folder: Path, told: dict[str, str]) -> None:
    assert asked(StaticFiles(behind, folder), SCRIPT, **told)[0] == 299


def test_other_methods_and_files_that_have_gone_are_left_to_the_app(folder: Path) -> None:
    files = StaticFiles(behind, folder)
    assert asked(files, SCRIPT, "POST", accept_encoding="gzip")[0] == 299
    (folder / "static/css/look.abc.css").unlink()
    assert asked(files, "/static/css/look.abc.css", accept_encoding="gzip")[0] == 299
    assert asked(StaticFiles(behind, folder / "nowhere"), SCRIPT, accept_encoding="gzip")[0] == 299


def test_streamlits_own_files_are_found_where_they_are_looked_for() -> None:
    files = StaticFiles(behind)
    scripts = [path for path in files._files if path.endswith(".js")]
    assert len(scripts) > 50
    index = (Path(get_static_dir()) / "index.html").read_text("utf-8")
    assert any(path[1:] in index for path in scripts)
