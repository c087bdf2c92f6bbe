"""What a load tells while it reads, converts, checks and measures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core import load_model
from core.message import Message
from core.models.load_progress import CHECKS, CONVERTS, LOADS, MEASURES, READS, telling
from tests.core.models.gguf import making


def test_a_gguf_file_is_read_converted_loaded_checked_and_measured(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    file = making.converted(tiny_folder("llama"), "llama", tmp_path / "llama.gguf")
    told: list[tuple[Message, float]] = []
    with telling(lambda doing, share: told.append((doing, share))):
        load_model(str(file))
    load_model(str(file))  # nobody listens any more
    shares = [share for _doing, share in told]
    assert list(dict.fromkeys(doing for doing, _share in told)) == [READS, CONVERTS, LOADS, CHECKS, MEASURES]
    assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1
    assert sum(doing == CONVERTS for doing, _share in told) > 3, "one after each tensor"
