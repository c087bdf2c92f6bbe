"""The block of memory that is read to measure its speed: larger than the largest cache, and within the free memory."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from core.costs import measured_hardware

MEGABYTE = 1 << 20


def tell(folder: Path, *sizes: str | bytes) -> None:
    """Caches of these sizes, as Linux has them."""
    for number, size in enumerate(sizes):
        place = folder / f"index{number}"
        place.mkdir()
        (place / "size").write_bytes(size if isinstance(size, bytes) else size.encode())


@pytest.mark.parametrize(
    ("sizes", "largest"),
    [
        ((), 0),
        (("48K\n", "32K\n", "2048K\n", "266240K\n"), 266240 * 1024),
        (("48K", "33M"), 33 * MEGABYTE),
        (("1G",), 1024 * MEGABYTE),
        (("", "K", "many", "12X", "-", b"\xff\xfe", "64K"), 64 * 1024),
    ],
)
def test_the_largest_cache_is_the_one_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sizes: tuple[str | bytes, ...], largest: int
) -> None:
    tell(tmp_path, *sizes)
    monkeypatch.setattr(measured_hardware, "_CACHES", tmp_path)
    assert measured_hardware.largest_cache() == largest


@pytest.mark.parametrize(
    ("cache", "available", "expected"),
    [
        *[(0, 16_000, 64), (20, 16_000, 64), (100, 16_000, 200), (260, 16_000, 512), (4_000, 16_000, 512)],
        *[(100, 400, 100), (100, 10, 64)],  # a quarter of the free memory, at least 64 MB
    ],
)
def test_twice_that_is_read_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch, cache: int, available: int, expected: int) -> None:
    monkeypatch.setattr(measured_hardware, "largest_cache", lambda: cache * MEGABYTE)
    monkeypatch.setattr(measured_hardware.psutil, "virtual_memory", lambda: SimpleNamespace(available=available * MEGABYTE))
    assert measured_hardware.block_bytes() == expected * MEGABYTE
