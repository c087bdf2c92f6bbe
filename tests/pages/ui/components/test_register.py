"""The scripts of components, as the browser loads them."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.ui.components import register
from pages.ui.components.live import live


def test_a_script_is_loaded_once_and_no_other_file_is() -> None:
    assert callable(live.live)
    client = TestClient(Starlette(routes=register.ROUTES))
    files = [file for file in register._MODULES if file.startswith("live-")]
    answer = client.get(f"/script/{files[0]}")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"] and "export default" in answer.text and ".bar" in answer.text
    for other in ("live.js", "..%2Fregister.py", "live-000000000000.js", "x" * 10_000):
        assert client.get(f"/script/{other}").status_code == 404
