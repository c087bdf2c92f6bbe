"""The number of streams in which weights are read is measured, the same for a whole model, and changes no sum."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core.backends import compiled
from core.backends.compiled import streams
from core.backends.decoder_parts import Projection
from tests.core.backends.compiled.loaded import load_compiled

pytest.importorskip("numba")
COLUMN = 6


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    load_compiled()


@pytest.mark.parametrize("slow", streams.CHOICES)
def test_the_faster_number_of_streams_is_taken_for_every_projection(slow: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [np.zeros(7, np.int64) for _ in range(3)]
    seen, clock = set(), [0.0]

    def project(row: np.ndarray, x: np.ndarray, out: np.ndarray, me: int, team: int, sync: int) -> None:
        seen.add((row is rows[2], len(x), len(out)))
        clock[0] += 2.0 if row[COLUMN] == slow else 1.0

    monkeypatch.setattr(streams, "perf_counter", lambda: clock[0])
    widths = [(5, 7), (10_000, 5_000), (3, 4)]  # the second has all the bytes that one measurement needs
    best = streams.fastest(rows, COLUMN, project, widths)
    assert best == ({*streams.CHOICES} - {slow}).pop()
    assert [row[COLUMN] for row in rows] == [best] * 3
    assert seen == {(False, 5, 7), (False, 10_000, 5_000)}


def test_a_model_without_such_weights_needs_no_measurement() -> None:
    assert streams.fastest([], COLUMN, lambda *_: None, []) in streams.CHOICES


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("inputs", [3, 64, 101])
@pytest.mark.parametrize("outputs", [1, 8, 37, 600])
def test_a_rows_sums_are_the_same_to_the_last_bit_however_it_is_read(dtype: torch.dtype, inputs: int, outputs: int) -> None:
    generator = torch.Generator().manual_seed(inputs)
    weight, rows = (torch.randn(size, generator=generator) for size in ((outputs, inputs), (15, inputs)))
    weight, bias, every = weight.to(dtype), np.arange(outputs, dtype=np.float32), rows.numpy()
    part = Projection(weight, bias)
    found = [np.stack([_alone(part, row, number) for row in every]) for number in streams.CHOICES]
    for number in streams.CHOICES:
        for count in (1, 2, 4, 15):
            out = np.empty((15, outputs), np.float32)
            for begin in range(0, 15, count):
                assert compiled.rows_product(part, every[begin : begin + count], out[begin : begin + count], number)
            found.append(out)
    expected = rows.double() @ weight.double().T + torch.arange(outputs)
    torch.testing.assert_close(torch.from_numpy(found[0]).double(), expected, atol=5e-5, rtol=0)
    for out in found[1:]:
        np.testing.assert_array_equal(out, found[0])


def _alone(part: Projection, row: np.ndarray, number: int) -> np.ndarray:
    """One row through a projection as a step takes it."""
    from core.backends.compiled import kernel_step
    from core.backends.compiled.kernel_tables import columns_of

    out = np.empty(part.outputs, np.float32)
    kernel_step.row_through(columns_of(part, number), row, out, 0, 1, 0)
    return out
