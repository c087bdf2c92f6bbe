"""Compiled code gives the same numbers on a processor without AVX. A compiler that crashes does not end the app."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.backends import compiled
from core.backends.compiled import cache

pytestmark = pytest.mark.skipif(not compiled._installed(), reason="numba is not installed")
ROOT = Path(__file__).parents[4]
IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
PRODUCTS = """
import numpy as np, torch
from numba import njit
from core.backends.compiled import kernels as k, kernel_tiles as tiles

@njit
def all_of(bits, out):
    for i in range(len(bits)):
        out[i] = k.from_float16(bits[i])

bits = np.arange(65536).astype(np.uint16)
found, expected = np.empty(65536, np.float32), bits.view(np.float16).astype(np.float32)
all_of(bits, found)
assert np.array_equal(found, expected, equal_nan=True)
assert np.array_equal(np.signbit(found), np.signbit(expected))
for inputs in (64, 67):
    x = np.random.default_rng(0).standard_normal(inputs).astype(np.float32)
    exact = np.random.default_rng(1).standard_normal((10, inputs)).astype(np.float32)
    for dtype, product in (
        (torch.float32, tiles.floats_by_one), (torch.bfloat16, tiles.bfloats_by_one), (torch.float16, tiles.halves_by_one)
    ):
        weight, out = torch.from_numpy(exact).to(dtype), np.empty(10, np.float32)
        product(weight.data_ptr(), weight.itemsize * inputs, 0, 10, inputs, x.ctypes.data, out.ctypes.data, 1)
        assert np.allclose(out, weight.float().numpy() @ x, atol=1e-5), dtype
print(tiles.LANES, k.WIDENS_HALVES)
"""


PROCESSORS = [("", "4 False"), ("+avx", "8 False"), ("+avx,+avx2,+fma,+f16c", "8 True")]


@pytest.mark.skipif(not IS_X86, reason="a question about x86")
@pytest.mark.exhaustive  # each compiles everything once more
@pytest.mark.parametrize(("features", "described"), PROCESSORS)
def test_products_with_halves_are_right_without_the_instructions_for_them(tmp_path: Path, features: str, described: str) -> None:
    asked = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": features, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", PRODUCTS], cwd=ROOT, env=os.environ | asked, timeout=300, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == described


def test_a_compiler_that_takes_its_process_along_is_not_tried_in_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def ended(*_command: Any, **how: Any) -> Any:
        assert "timeout" not in how  # the clock of a busy machine
        return SimpleNamespace(returncode=-6, stderr=b"first\nLLVM ERROR: Symbol not found: __extendhfsf2")

    monkeypatch.setattr(cache, "folder", lambda: tmp_path)
    monkeypatch.setattr(cache, "subprocess", SimpleNamespace(run=ended, DEVNULL=None))
    monkeypatch.setattr(compiled, "_loaded", {})
    compiled._load()
    assert "NumPy goes on" in caplog.text and "Symbol not found" in caplog.text
    assert len(caplog.text.splitlines()) == 1
    assert not compiled.is_ready() and not cache.is_compiled("kernel_step")
