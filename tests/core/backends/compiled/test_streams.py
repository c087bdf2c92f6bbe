"""The number of streams in which weights are read is measured, the same for a whole model, and changes no sum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from core.backends import compiled, speed_trial
from core.backends.decoder_parts import Projection
from core.backends.fast_decoder import FastDecoder
from core.backends.speed_trial import STREAMS
from core.device import Speed
from tests.core.backends.compiled.loaded import load_compiled
from tests.core.backends.families import network_of

pytest.importorskip("numba")


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    load_compiled()


def test_the_faster_number_of_streams_is_used_for_every_weight(ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = decoder()
    streamed = fast.layers[0].products
    for slow in STREAMS:
        clock, step = [0.0], fast.run

        def timed(ids: np.ndarray, state: Any, slow: int = slow, clock: list[float] = clock, step: Any = step) -> torch.Tensor:
            clock[0] += 2.0 if streamed[0].streams == slow else 1.0
            return step(ids, state)

        with monkeypatch.context() as slowed:
            slowed.setattr(fast, "run", timed)
            slowed.setattr(speed_trial, "perf_counter", lambda clock=clock: clock[0])
            speed = fast.choose_speed([1])
        assert speed.threads == 1 and speed.streams in STREAMS and speed.streams != slow
        assert {product.streams for product in streamed} == {speed.streams}
        assert f"2000.00 ms with 1 threads and {slow} streams" in speed.reason


def test_code_that_is_compiled_after_loading_chooses_its_streams_then(ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "0")
    fast, asked = decoder(), []
    assert fast.choose_speed([2]) == Speed(2, 2) and not fast.is_compiled

    def choose(backend: Any, size: int, threads: list[int], read_in: Any) -> Speed:
        asked.append((threads, read_in is not None))
        return Speed(2, 2, 2)

    monkeypatch.setattr(speed_trial, "choose", choose)
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    fast.compile_in_background()
    assert fast.is_compiled and asked == [([2], True)]


def decoder() -> FastDecoder:
    fast = FastDecoder.of(network_of("Llama"))
    assert fast is not None
    return fast


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("inputs", [3, 64, 101])
@pytest.mark.parametrize("outputs", [1, 8, 37, 600])
def test_a_rows_sums_are_the_same_to_the_last_bit_however_it_is_read(dtype: torch.dtype, inputs: int, outputs: int) -> None:
    generator = torch.Generator().manual_seed(inputs)
    weight, rows = (torch.randn(size, generator=generator) for size in ((outputs, inputs), (15, inputs)))
    weight, bias, every = weight.to(dtype), np.arange(outputs, dtype=np.float32), rows.numpy()
    part = Projection(weight, bias)
    found = [np.stack([_alone(part, row, number) for row in every]) for number in STREAMS]
    for number in STREAMS:
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
    from core.backends.compiled.kernel_tiles import project
    from core.backends.compiled.passes import columns_of

    out = np.empty(part.outputs, np.float32)
    project(columns_of(part, number), row, out, 0, 1)
    return out
