"""Compiled products of a few rows and compiled passes of several texts give the numbers of plain NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

pytest.importorskip("numba")

from core.backends import compiled
from core.backends.decoder_parts import Projection
from core.backends.fast_decoder import FastDecoder
from core.batching import batched_compiled
from core.batching.batch_server import passes_are_compiled
from core.batching.batched_compiled import BatchedCompiled
from tests.core.backends.compiled.loaded import load_compiled
from tests.core.backends.families import ACCEPTED, SLIDING, USUAL, network_of
from tests.tiny_models import some

BATCHED = sorted(name for name, (family, _) in ACCEPTED.items() if name not in SLIDING and not family.startswith("Gemma2"))
STORED = [torch.float32, torch.bfloat16, torch.float16]


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    load_compiled()
    compiled.batches_are_ready()
    assert compiled.wait_for_batches()
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@dataclass
class Part:
    """One request's part of a pass."""

    token_ids: list[int]
    start: int
    block_table: list[int]


@dataclass
class Model:
    """As much of a language model as `passes_are_compiled` looks at."""

    backend: FastDecoder

    @property
    def engine(self) -> Model:
        return self


def decoder_of(name: str, dtype: torch.dtype = torch.float32) -> tuple[Any, FastDecoder]:
    family, changes = ACCEPTED[name]
    network = network_of(family, **changes)
    if dtype is not torch.float32:  # numbers that the stored kind can hold
        with torch.no_grad():
            for weight in network.parameters():
                weight.copy_(weight.to(dtype).float())
    decoder = FastDecoder.of(network)
    assert decoder is not None and decoder.is_compiled
    return network, decoder


def runner_of(decoder: FastDecoder, blocks: int = 12) -> BatchedCompiled:
    batch = decoder.compiled_batch()
    assert decoder.can_be_batched and batch is not None
    return BatchedCompiled(batch, blocks)


def ragged() -> list[list[Part]]:
    """Passes over four texts: beginnings of unequal length, one token each, some by one and some by several, one that joins late."""
    tables = [[7, 3, 11], [0, 9], [5, 1], [4, 8]]
    rng = np.random.default_rng(4)

    def some(count: int) -> list[int]:
        return [int(token) for token in rng.integers(0, 211, count)]

    lengths, passes = [0, 0, 0, 0], []
    for counts in ((15, 1, 3, 0), (1, 1, 1, 0), (1, 4, 0, 9), (1, 1, 1, 1), (20, 2, 1, 1), (1, 1, 1, 1)):
        passes.append([Part(some(count), lengths[n], tables[n]) for n, count in enumerate(counts) if count])
        lengths = [length + count for length, count in zip(lengths, counts, strict=True)]
    return passes


@pytest.mark.parametrize("rows", [7, batched_compiled.ROWS])
@pytest.mark.parametrize("name", some(BATCHED, USUAL))
def test_every_family_gets_in_a_compiled_batch_what_transformers_gives_it(name: str, rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batched_compiled, "ROWS", rows)
    network, decoder = decoder_of(name)
    runner, texts = runner_of(decoder), dict[tuple[int, ...], list[int]]()
    for number, parts in enumerate(ragged()):
        every, expected = number % 2 == 0, []
        for part in parts:
            text = texts.setdefault(tuple(part.block_table), [])
            text += part.token_ids
            with torch.inference_mode():
                logits = network(torch.tensor([text]), use_cache=False).logits[0]
            expected.append(logits[-len(part.token_ids) :] if every else logits[-1:])
        torch.testing.assert_close(runner.run(parts, every), torch.cat(expected), atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("name", ["grouped queries, tied", "gpt2"])
def test_a_team_gives_what_one_thread_gives(name: str, threads: int) -> None:
    _, decoder = decoder_of(name)
    alone, shared = runner_of(decoder), runner_of(decoder)
    for parts in ragged():
        torch.set_num_threads(1)
        expected = alone.run(parts)
        torch.set_num_threads(threads)
        assert torch.equal(shared.run(parts), expected)


def test_what_stands_beside_a_text_does_not_change_its_numbers() -> None:
    """Every row is summed in the same order, however many there are."""
    _, decoder = decoder_of("grouped queries, tied")
    alone, crowd = runner_of(decoder, 40), runner_of(decoder, 40)
    for place in range(20):
        own = Part([17 * place % 211], place, [2, 1])
        others = [Part([(place + n) % 211], place, [4 * n, 4 * n + 1]) for n in range(1, 9)]
        assert torch.equal(alone.run([own])[0], crowd.run([*others[:5], own, *others[5:]])[5])


def test_a_broken_model_shows() -> None:
    network, decoder = decoder_of("grouped queries, tied")
    runner = runner_of(decoder)
    with torch.no_grad():
        network.model.layers[1].mlp.down_proj.weight[3, 5] = float("nan")
    assert bool(runner.run([Part([1, 2], 0, [0]), Part([3], 0, [1])]).isnan().all())


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("grouped queries, tied", Part([211], 0, [0])),
        ("grouped queries, tied", Part([-1], 0, [0])),
        ("grouped queries, tied", Part([2**40], 0, [0])),
        ("grouped queries, tied", Part([1], 0, [70])),
        ("grouped queries, tied", Part([1], 0, [-1])),
        ("gpt2", Part([1], 1024, list(range(66)))),  # a position that it has not learned
    ],
)
def test_a_token_block_or_position_out_of_range_is_refused(name: str, part: Part) -> None:
    _, decoder = decoder_of(name)
    runner = runner_of(decoder, 70)
    with pytest.raises(IndexError):
        runner.run([Part([1], 0, [67]), part])


def test_a_batch_that_says_something_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    _, decoder = decoder_of("grouped queries, tied")
    from core.backends.compiled.passes import CompiledBatch

    right = CompiledBatch.__call__
    with monkeypatch.context() as wrong:
        wrong.setattr(CompiledBatch, "__call__", lambda self, *rest: right(self, *rest) + 0.1)
        assert decoder.compiled_batch() is None
    assert decoder.compiled_batch() is None  # it was tried, and is not tried again


@pytest.mark.parametrize("dtype", STORED)
@pytest.mark.parametrize(("outputs", "inputs"), [(37, 101), (1, 16), (600, 64)])
@pytest.mark.parametrize("rows", [1, 3, 8, 15])
def test_products_are_summed_as_float64_sums_them(rows: int, outputs: int, inputs: int, dtype: torch.dtype) -> None:
    from core.backends.compiled import kernel_step
    from core.backends.compiled.passes import Team, columns_of

    generator = torch.Generator().manual_seed(rows)
    weight, x = (torch.randn(size, generator=generator) for size in ((outputs, inputs), (rows, inputs)))
    weight, bias = weight.to(dtype), np.arange(outputs, dtype=np.float32)
    part = Projection(weight, bias)
    out = np.full((rows, outputs), np.nan, np.float32)
    for team in (1, 3):
        Team().run(kernel_step.rows_through, (columns_of(part), x.numpy(), out), team)
        expected = x.double() @ weight.double().T + torch.from_numpy(bias).double()
        torch.testing.assert_close(torch.from_numpy(out).double(), expected, atol=3e-5, rtol=1e-6)


def test_a_batch_that_is_not_loaded_yet_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    _, decoder = decoder_of("grouped queries, tied")
    with monkeypatch.context() as before:
        before.setattr(compiled, "batches_are_ready", lambda: False)
        assert not passes_are_compiled(Model(decoder))  # type: ignore[arg-type]
    assert passes_are_compiled(Model(decoder))  # type: ignore[arg-type]


def test_layers_with_a_window_are_not_batched() -> None:
    _, decoder = decoder_of("mistral with a sliding window")
    assert not decoder.can_be_batched and decoder.compiled_batch() is None
