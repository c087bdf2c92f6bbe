"""Forgetting pages of the KV cache: equal to transformers' attention with a mask drawn by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from core.engine.kv_cache.token_eviction import EvictingKVCache
from core.errors import ModelError
from tests.tiny_models import FULL_ATTENTION, some

IDS = list(range(20, 44))
MASKABLE = ["llama", "gpt2", "qwen3", "mixtral", "phi3", "gpt_neox", "olmoe"]


@pytest.mark.parametrize("architecture", some([*FULL_ATTENTION, "deepseek_v3"]))
def test_a_notepad_with_room_gives_the_models_own_odds(architecture: str, tiny: Any, plain: Any) -> None:
    notepad = EvictingKVCache(tiny(architecture))
    notepad.read(IDS[:9])
    for token_id in IDS[9:]:
        logits = notepad.read([token_id])
    with torch.inference_mode():
        expected = plain(architecture)(torch.tensor([IDS])).logits[0, -1]
    assert torch.allclose(logits, expected, atol=2e-4)
    assert notepad.held == list(range(len(IDS)))


def logits_with_mask(network: Any, ids: list[int], visible: Callable[[int, int], bool]) -> torch.Tensor:
    """The logits of the last token, where token `row` sees token `column` if `visible` says so: one pass, no cache."""
    allowed = torch.tensor([[visible(row, column) for column in range(len(ids))] for row in range(len(ids))])
    mask = torch.zeros(1, 1, len(ids), len(ids)).masked_fill(~allowed, torch.finfo(torch.float32).min)
    with torch.inference_mode():
        return network(torch.tensor([ids]), attention_mask=mask, use_cache=False).logits[0, -1]


@pytest.mark.parametrize("architecture", some(MASKABLE, ["llama", "gpt2", "mixtral"]))
@pytest.mark.parametrize("sinks", [0, 3])
def test_forgetting_is_the_same_as_never_looking_there_again(architecture: str, sinks: int, tiny: Any, plain: Any) -> None:
    room = 10
    notepad = EvictingKVCache(tiny(architecture))
    for token_id in IDS:
        if len(notepad.held) == room:
            notepad.evict_oldest(1, sinks)
        logits = notepad.read([token_id])
    last = len(IDS) - 1
    assert notepad.held == [*range(sinks), *range(last - room + sinks + 1, last + 1)]

    def visible(row: int, column: int) -> bool:
        return column <= row and (column < sinks or column > row - room + sinks)

    expected = logits_with_mask(plain(architecture), IDS, visible)
    assert torch.allclose(logits, expected, atol=2e-4)
    with torch.inference_mode():
        remembered = plain(architecture)(torch.tensor([IDS])).logits[0, -1]
    assert not torch.allclose(logits, remembered, atol=1e-2)


def test_several_tokens_behind_a_gap_see_each_other_in_order(tiny: Any, plain: Any) -> None:
    notepad = EvictingKVCache(tiny("llama"))
    notepad.read(IDS[:12])
    assert notepad.evict_oldest(5, sinks=2) == [2, 3, 4, 5, 6]
    logits = notepad.read(IDS[12:18])
    expected = logits_with_mask(plain("llama"), IDS[:18], lambda row, column: column <= row and not (row >= 12 and 2 <= column < 7))
    assert torch.allclose(logits, expected, atol=2e-4)
    assert notepad.held == [0, 1, *range(7, 18)]


@pytest.mark.parametrize("bits", [8, 4])
def test_smaller_pages_can_be_torn_out_too(bits: int, tiny: Any) -> None:
    notepad, whole = EvictingKVCache(tiny("llama"), bits), EvictingKVCache(tiny("llama"))
    notepad.read(IDS)
    whole.read(IDS)
    assert notepad.bytes < whole.bytes / 2
    one = notepad.bytes // len(IDS)
    assert notepad.evict_oldest(3, sinks=1) == [1, 2, 3]
    assert notepad.bytes == (len(IDS) - 3) * one
    notepad.read([50])
    assert notepad.held == [0, *range(4, len(IDS) + 1)]


def test_a_copy_is_written_on_alone(tiny: Any) -> None:
    notepad = EvictingKVCache(tiny("llama"))
    notepad.read(IDS[:5])
    twin = notepad.copied()
    twin.read(IDS[5:9])
    twin.evict_oldest(2)
    assert (notepad.held, notepad.next_position, len(twin.held)) == (list(range(5)), 5, 7)
    assert notepad.bytes == 5 * tiny("llama").cache_bytes_per_token


def test_positions_are_kept_or_closed_up_and_say_so(tiny: Any) -> None:
    assert {name: EvictingKVCache(tiny(name)).positions for name in ("llama", "gpt2", "bloom", "mpt", "falcon")} == {
        "llama": "kept",
        "gpt2": "kept",
        "bloom": "closed up",
        "mpt": "closed up",
        "falcon": "closed up",
    }


@pytest.mark.parametrize("architecture", some(["mistral", "gemma2", "gemma3", "gpt_oss", "mamba", "lfm2"]))
def test_models_without_pages_get_one_sentence(architecture: str, tiny: Any) -> None:
    with pytest.raises(ModelError, match="does not keep one key"):
        EvictingKVCache(tiny(architecture))
