"""What a token costs: every formula against torch's own flop counter, the tensors of real caches, and examples worked by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch.utils.flop_counter import FlopCounterMode
from transformers.cache_utils import DynamicCache

from core import Generation, SamplingSettings
from core.costs.formulas import (
    CARDS,
    MODELS,
    ModelShape,
    answer_multiply_adds,
    attention_multiply_adds,
    cache_bytes,
    context_that_fits,
    forecast,
    multiply_adds,
    pass_bytes,
    pass_multiply_adds,
    readers_that_fit,
    tensor_parallel_size,
    weight_bytes,
)
from core.costs.machine import Peak, energy_joules, measure
from core.costs.receipt import TPOT, TTFT, Assumptions, Receipt
from core.errors import BadSetting
from core.kv_cache.kv_cache import KVCache
from tests.core.models.test_shape import LLAMAS
from tests.tiny_models import ARCHITECTURES

LLAMA_70B = ModelShape.named("llama-3.1-70b")
ATTENTION_ONLY = [name for name in ARCHITECTURES if name not in ("mamba", "lfm2")]  # scans and convolutions are no matrices


@pytest.fixture(scope="module")
def open_network(tiny_folder: Callable[[str], Path]) -> Callable[[str], Any]:
    """The network with attention and experts written out in plain operations, so that torch's flop counter sees all of them."""

    def load(architecture: str) -> Any:
        network = transformers.AutoModelForCausalLM.from_pretrained(tiny_folder(architecture), attn_implementation="eager").eval()
        if hasattr(network, "set_experts_implementation"):
            network.set_experts_implementation("eager")
        return network

    return cache(load)


def flops(network: Any, tokens: int, **extra: Any) -> int:
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        network(torch.arange(10, 10 + tokens)[None], logits_to_keep=1, **extra)
    counts = counter.get_flop_counts()["Global"]
    return sum(count for operation, count in counts.items() if "convolution" not in str(operation))


@pytest.mark.parametrize("architecture", ATTENTION_ONLY)
def test_multiply_adds_of_one_token_are_what_torch_counts(architecture: str, open_network: Any) -> None:
    network = open_network(architecture)
    shape, held = ModelShape.from_config(network.config), DynamicCache(config=network.config)
    flops(network, 12, past_key_values=held, use_cache=True)
    for position in (13, 14):  # behind a window of 8, too
        counted = flops(network, 1, past_key_values=held, use_cache=True)
        assert 2 * multiply_adds(shape, position) == 2 * pass_multiply_adds(shape, 1, position - 1) == counted


@pytest.mark.parametrize("architecture", [name for name in ATTENTION_ONLY if "sliding_window" not in ARCHITECTURES[name][1]])
def test_multiply_adds_of_a_prefill_are_what_torch_counts_less_the_masked_half(architecture: str, open_network: Any) -> None:
    network, count = open_network(architecture), 9
    shape = ModelShape.from_config(network.config)
    per_pair = attention_multiply_adds(shape, 1)
    masked = count * (count - 1) // 2 * per_pair
    assert 2 * (pass_multiply_adds(shape, count) + masked) == flops(network, count, use_cache=False)


def test_matrices_of_recurrent_models_are_what_torch_counts(open_network: Any) -> None:
    network = open_network("mamba")
    held = DynamicCache(config=network.config)
    with torch.inference_mode():
        network(torch.arange(12)[None], cache_params=held)
        with FlopCounterMode(display=False) as counter:
            network(torch.arange(1)[None], logits_to_keep=1, cache_params=held)
    by_matrix = {str(operation): count for operation, count in counter.get_flop_counts()["Global"].items()}["aten.mm"]
    assert 2 * multiply_adds(ModelShape.from_config(network.config), 1) == by_matrix


def test_multiply_adds_of_a_real_70_billion_network_without_its_memory() -> None:
    config = transformers.LlamaConfig(**LLAMAS["llama-3.1-70b"], attn_implementation="eager")
    with torch.device("meta"):
        network = transformers.AutoModelForCausalLM.from_config(config)
        with FlopCounterMode(display=False) as counter, torch.inference_mode():
            network(torch.zeros(1, 1, dtype=torch.long))
    assert counter.get_total_flops() == 2 * multiply_adds(LLAMA_70B, 1)


def test_the_example_of_the_articles() -> None:
    """70 billion parameters, 1,000 tokens, about 70 trillion multiply-adds."""
    by_tokens = sum(multiply_adds(LLAMA_70B, context) for context in range(1, 1001))
    assert by_tokens == answer_multiply_adds(LLAMA_70B, 1, 1000)
    assert by_tokens == pytest.approx(70e12, rel=0.005)


def test_a_mixture_of_experts_costs_its_active_parameters() -> None:
    mixtral = ModelShape.named("mixtral-8x7b")
    assert mixtral.parameter_count > 46e9
    assert multiply_adds(mixtral, 1) == pytest.approx(12.75e9, rel=0.005)


@pytest.mark.parametrize("architecture", [name for name in ARCHITECTURES if name not in ("mamba", "lfm2")])
def test_cache_bytes_are_those_of_the_tensors(architecture: str, plain: Any) -> None:
    network = plain(architecture)
    shape = ModelShape.from_config(network.config)
    for count in (1, 6, 7, 8, 9, 20):
        kept = DynamicCache(config=network.config)
        with torch.inference_mode():
            network(torch.arange(count)[None], past_key_values=kept, use_cache=True)
        assert cache_bytes(shape, count, 4) == sum(layer.keys.nbytes + layer.values.nbytes for layer in kept.layers)


def test_cache_bytes_of_known_models_per_token() -> None:
    per_token = {name: cache_bytes(ModelShape.named(name), 1, 2) for name in ("llama-3.1-70b", "llama-3.1-8b", "llama-2-7b", "gpt-2")}
    assert per_token == {"llama-3.1-70b": 327_680, "llama-3.1-8b": 131_072, "llama-2-7b": 524_288, "gpt-2": 36_864}


def test_a_window_stops_growing() -> None:
    gemma = ModelShape.named("gemma-2-9b")
    growth = cache_bytes(gemma, 8000, 2) - cache_bytes(gemma, 7999, 2)
    assert growth * 2 == cache_bytes(gemma, 1, 2)  # only the full half of the layers goes on growing
    assert multiply_adds(gemma, 8000) - multiply_adds(gemma, 7999) == 21 * 16 * 512


def test_a_pass_is_the_sum_of_its_positions() -> None:
    for name in ("llama-3.1-8b", "gemma-2-9b", "mixtral-8x7b"):
        shape = ModelShape.named(name)
        for computed, reused in ((1, 0), (5000, 0), (3, 4094), (200, 4200)):
            singly = sum(multiply_adds(shape, reused + index) for index in range(1, computed + 1))
            assert pass_multiply_adds(shape, computed, reused) == singly - (computed - 1) * shape.head_parameters
    assert pass_multiply_adds(LLAMA_70B, 0, 10) == 0


def test_without_a_cache_every_token_reads_everything_again() -> None:
    shape = ModelShape.named("smollm2-135m")
    assert answer_multiply_adds(shape, 10, 3, cached=False) == sum(pass_multiply_adds(shape, count) for count in (10, 11, 12))
    assert answer_multiply_adds(shape, 10, 1) == answer_multiply_adds(shape, 10, 1, cached=False)
    assert answer_multiply_adds(shape, 10, 0) == 0


def test_bytes_of_a_pass_by_hand() -> None:
    llama = ModelShape.named("llama-2-7b")
    matrices = 32 * (4 * 4096**2 + 3 * 4096 * 11008) + 32000 * 4096
    assert pass_bytes(llama, 1, 100, 2, 2) == 2 * (matrices + 4096) + 100 * 524_288
    mixtral = ModelShape.named("mixtral-8x7b")
    one, few, many = (pass_bytes(mixtral, count, 0, 2, 2) for count in (1, 2, 1000))
    assert one == 2 * (mixtral.matrix_parameters + 4096)
    assert one < few < many
    assert many == 2 * (mixtral.matrix_parameters + mixtral.feed_forward_parameters - mixtral.active_feed_forward_parameters + 4096_000)


def test_readers_that_fit_by_hand() -> None:
    llama = ModelShape.named("llama-3.1-8b")
    memory = weight_bytes(llama, 2) + 10 * 4096 * 131_072
    assert readers_that_fit(llama, memory, 4096, 2, 2) == 10
    assert readers_that_fit(llama, memory - 1, 4096, 2, 2) == 9
    assert readers_that_fit(llama, memory, 4096, 2, 1) == 20
    assert readers_that_fit(llama, 1e9, 4096, 2, 2) == 0
    assert context_that_fits(llama, memory, 10, 2, 2) == 4096
    assert context_that_fits(llama, memory - 1, 10, 2, 2) == 4095
    assert context_that_fits(llama, 1e9, 1, 2, 2) == 0
    assert context_that_fits(llama, 1e15, 1, 2, 2) == llama.context_length


@pytest.mark.parametrize("wrong", [-1, 1.5, math.nan, math.inf, -math.inf, 10**30, "12", None, True])
def test_impossible_counts_get_one_sentence(wrong: Any) -> None:
    for formula in (
        lambda: multiply_adds(LLAMA_70B, wrong),
        lambda: pass_multiply_adds(LLAMA_70B, wrong),
        lambda: cache_bytes(LLAMA_70B, wrong, 2),
        lambda: answer_multiply_adds(LLAMA_70B, 1, wrong),
        lambda: forecast(LLAMA_70B, wrong, 5, CARDS["h100"]),
    ):
        with pytest.raises(BadSetting) as caught:
            formula()
        assert len(str(caught.value)) < 120 and str(caught.value).count("\n") == 0


def test_a_forecast_by_hand() -> None:
    """One token behind another on one H100: memory is the bottleneck, and the 8-billion model takes 16 GB / 3.35 TB/s."""
    llama, card = ModelShape.named("llama-3.1-8b"), CARDS["h100"]
    alone = forecast(llama, 1, 1, card)
    moved = pass_bytes(llama, 1, 0, 2, 2)
    assert (alone.cards, alone.bytes_read) == (1, moved)
    assert alone.seconds == pytest.approx(moved / 3350e9)
    assert alone.watt_hours == pytest.approx(700 * alone.seconds / 3600)
    large = forecast(ModelShape.named("llama-3.1-405b"), 10, 20, card)
    assert large.cards == 16  # 812 GB are eleven cards' worth, and no one can split 128 heads over eleven
    assert large.multiply_adds == answer_multiply_adds(ModelShape.named("llama-3.1-405b"), 10, 20)
    long_prompt = forecast(llama, 100_000, 1, card)
    assert long_prompt.seconds == pytest.approx(2 * long_prompt.multiply_adds / card.flops)  # arithmetic is the bottleneck


@pytest.fixture(scope="module")
def written(tiny: Callable[[str], Any]) -> Generation:
    run = Generation(tiny("mixtral"), "Once upon a time", SamplingSettings(seed=3))
    for _ in range(6):
        run.step()
    return run


def test_a_receipt_adds_up_the_records(written: Generation) -> None:
    path = written.path
    bill = Receipt.of(path, written.model.shape, item_size=4)
    prompt = len(written.prompt_tokens)
    assert (bill.prompt_tokens, bill.new_tokens, bill.passes) == (prompt, len(path), len(path))
    assert bill.computed == prompt + len(path) - 1
    assert bill.reused == sum(range(prompt, prompt + len(path) - 1))
    assert bill.seconds == pytest.approx(sum(step.forward.seconds for step in path))
    assert bill.multiply_adds == answer_multiply_adds(written.model.shape, prompt, len(path))
    assert bill.cache_bytes == path[-1].forward.cache_bytes
    assert bill.flops_per_second == pytest.approx(2 * bill.multiply_adds / bill.seconds)


def test_every_amount_says_what_kind_of_number_it_is(written: Generation) -> None:
    peak = Peak(1e12, 1e11, "cpu", "float32", 1)
    bill = Receipt.of(written.path, written.model.shape, peak=peak)
    kinds = {amount.name: amount.kind for amount in bill.amounts}
    assert kinds["Time computing"] == kinds["Notepad"] == "measured"
    assert kinds["Operations"] == kinds["Bytes fetched"] == "computed"
    assert kinds["Energy"] == kinds["Price, by the token"] == "assumed"
    share = next(amount for amount in bill.amounts if amount.name == "Share of this machine's arithmetic")
    assert share.value == pytest.approx(bill.flops_per_second / 1e12)  # type: ignore[operator]
    assert all(amount.how for amount in bill.amounts)


def test_first_token_and_further_tokens_are_told_apart(written: Generation) -> None:
    peak = Peak(1e12, 1e11, "cpu", "float32", 1)
    bill = Receipt.of(written.path, written.model.shape, peak=peak)
    amounts = {amount.name: amount for amount in bill.amounts}
    first, *further = (step.forward.seconds + step.forward.queue_seconds for step in written.path)
    assert amounts[TTFT].value == pytest.approx(first)
    assert amounts[TPOT].value == pytest.approx(sum(further) / len(further))
    assert amounts[TTFT].kind == amounts[TPOT].kind == "measured"
    assert "MFU" in amounts["Share of this machine's arithmetic"].how
    assert "MBU" in amounts["Share of this machine's memory speed"].how
    assert bill.per_token(amounts[TTFT]) is bill.per_token(amounts[TPOT]) is None
    one = Receipt.of(written.path[:1], None)
    assert one.seconds_per_token is None
    assert TTFT in {amount.name for amount in one.amounts}
    assert not {TTFT, TPOT} & {amount.name for amount in Receipt.of([], LLAMA_70B).amounts}


def test_work_is_counted_in_one_unit(written: Generation) -> None:
    bill = Receipt.of(written.path, written.model.shape)
    amounts = {amount.name: amount for amount in bill.amounts}
    assert amounts["Operations"].unit == "FLOP"
    assert amounts["Operations"].value == 2 * answer_multiply_adds(written.model.shape, len(written.prompt_tokens), 6)
    assert amounts["Speed of arithmetic"].value == pytest.approx(amounts["Operations"].value / bill.seconds)
    assert not any("multiply" in amount.name.lower() for amount in bill.amounts)


@pytest.mark.parametrize(
    ("model", "card", "cards"),
    [
        ("llama-3.1-8b", "h100", 1),
        ("llama-3.1-70b", "h100", 2),
        ("llama-3.1-70b", "l4", 8),  # 141 GB, 24 GB each: six would do
        ("llama-3.1-405b", "h100", 16),
        ("llama-3.1-405b", "l4", 64),
        ("mixtral-8x7b", "l4", 4),
    ],
)
def test_cards_come_in_numbers_that_split_the_heads(model: str, card: str, cards: int) -> None:
    shape = ModelShape.named(model)
    assert tensor_parallel_size(shape, weight_bytes(shape, 2), CARDS[card]) == cards
    assert shape.head_count % cards == 0


def test_more_cards_than_heads_are_whole_groups() -> None:
    small = ModelShape.named("smollm2-135m")  # nine heads: they cannot be halved
    assert tensor_parallel_size(small, 5 * CARDS["l4"].memory_bytes, CARDS["l4"]) == 5
    gpt = ModelShape.named("gpt-2")  # twelve heads: groups of four
    assert tensor_parallel_size(gpt, 9 * CARDS["l4"].memory_bytes, CARDS["l4"]) == 12


def test_a_model_shipped_in_four_bits_is_counted_so() -> None:
    """OpenAI's model card: 116.83 billion parameters, a checkpoint of 60.8 GiB, 4.25 bits for each weight of an expert."""
    known = MODELS["gpt-oss-120b"]
    assert weight_bytes(known.shape, known.item_size) / 2**30 == pytest.approx(60.8, rel=0.005)
    assert readers_that_fit(known.shape, CARDS["h100"].memory_bytes, 8000, known.item_size, 2) > 0  # "runs on a single 80 GB GPU"
    assert readers_that_fit(known.shape, CARDS["h100"].memory_bytes, 8000, 2, 2) == 0
    assert {name for name, model in MODELS.items() if model.item_size != 2} == {"gpt-oss-120b"}


def test_energy_is_measured_where_there_is_a_counter_and_else_assumed(written: Generation) -> None:
    assumed = Receipt.of(written.path, None, assumptions=Assumptions(watts=36)).watt_hours
    assert (assumed.kind, assumed.value) == ("assumed", pytest.approx(36 * Receipt.of(written.path, None).seconds / 3600))
    measured = Receipt.of(written.path, None, joules=7200).watt_hours
    assert (measured.kind, measured.value) == ("measured", 2.0)


def test_prices_by_hand(written: Generation) -> None:
    bill = Receipt.of(written.path, None, assumptions=Assumptions(price_input=2, price_output=10, price_hour=3600))
    assert bill.token_price.value == pytest.approx((bill.prompt_tokens * 2 + 6 * 10) / 1e6)
    assert bill.hardware_price.value == pytest.approx(bill.seconds)


def test_a_receipt_without_a_shape_or_without_steps_guesses_nothing(written: Generation) -> None:
    without = Receipt.of(written.path, None)
    assert without.multiply_adds is without.bytes_read is without.flops_per_second is without.bytes_per_second is None
    assert "Operations" not in {amount.name for amount in without.amounts}
    empty = Receipt.of([], LLAMA_70B)
    assert (empty.new_tokens, empty.seconds, empty.multiply_adds, empty.flops_per_second) == (0, 0, 0, None)
    assert all(empty.per_token(amount) is None for amount in empty.amounts)


def test_amounts_per_token(written: Generation) -> None:
    bill = Receipt.of(written.path, written.model.shape)
    per_token = {amount.name: bill.per_token(amount) for amount in bill.amounts}
    assert per_token["Forward passes"] == 1
    assert per_token["Operations"] == pytest.approx(2 * bill.multiply_adds / 6)  # type: ignore[operator]
    assert per_token["Notepad"] is per_token["Speed of arithmetic"] is None


@pytest.mark.parametrize("wrong", [-1, math.nan, math.inf, 1e9, "45", None, True])
def test_impossible_assumptions_get_one_sentence(wrong: Any) -> None:
    with pytest.raises(BadSetting, match="The watts must be a number from 0 to a million, not"):
        Assumptions(watts=wrong)


def test_a_receipt_of_a_run_without_a_cache_counts_the_work_it_really_did(tiny: Callable[[str], Any]) -> None:
    run = Generation(tiny("llama"), "Once upon a time", SamplingSettings(seed=1), use_cache=False)
    for _ in range(4):
        run.step()
    bill = Receipt.of(run.path, run.model.shape)
    assert bill.multiply_adds == answer_multiply_adds(run.model.shape, len(run.prompt_tokens), 4, cached=False)
    assert (bill.reused, bill.cache_bytes) == (0, 0)


def test_the_bytes_on_the_bill_are_those_of_the_cache(tiny: Callable[[str], Any]) -> None:
    model = tiny("qwen3")
    forward = model.engine.forward(list(range(10, 30)), KVCache())
    assert forward.cache_bytes == cache_bytes(model.shape, 20, 4)


def test_this_machine_can_do_something() -> None:
    peak = measure()
    assert peak.flops > 1e8 and peak.bytes_per_second > 1e8
    assert "cpu" in peak.how and "thread" in peak.how


def test_an_energy_counter_counts_up_or_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.costs.machine._RAPL", tmp_path)
    assert energy_joules("cpu") is None
    for name, value in (("intel-rapl:0", "3000000"), ("intel-rapl:1", "1500000"), ("intel-rapl:0:0", "99")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text(value)
    assert energy_joules("cpu") == 4.5
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("nonsense")
    assert energy_joules("cpu") is None
    assert energy_joules("mps") is None


def test_numbers_of_the_bill_are_plain(written: Generation) -> None:
    bill = Receipt.of(written.path, written.model.shape)
    json.dumps([[amount.name, amount.value, amount.unit, amount.kind, amount.how] for amount in bill.amounts])
