"""What the server lets in, what the widget promises and what core reads are one number; no page is told that it has something already."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from core.generation.recorded_run import LARGEST_FILE
from core.limits import Limits
from pages.ui.session import upload_field

ROOT = Path(__file__).parents[4]


def config(section: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))[section]


def test_the_server_lets_in_what_the_widget_promises_and_core_reads() -> None:
    promised = upload_field.LARGEST_UPLOAD
    assert promised * 2**20 == LARGEST_FILE
    assert Limits().upload_megabytes == promised
    assert config("server")["maxUploadSize"] == promised + 1, "a file of just this size comes wrapped, and the server counts the wrapping"
