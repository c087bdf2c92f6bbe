"""The receipt adds up the records, every amount says how it was found, and prices are those worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.costs.assumptions import Assumptions
from core.costs.measured_hardware import Peak, energy_joules
from core.costs.operations_and_bytes import CARDS, MODELS, answer_multiply_adds, tensor_parallel_size, weight_bytes
from core.costs.receipt import TPOT, TTFT, Account, Receipt

LLAMA_70B = MODELS["llama-3.1-70b"].shape


@pytest.fixture(scope="module")
def written(tiny: Callable[[str], Any]) -> Generation:
    run = Generation(tiny("mixtral"), "Once upon a time", SamplingSettings(seed=3))
    for _ in range(6):
        run.step()
    return run


def test_a_receipt_adds_up_the_records(written: Generation) -> None:
    path = written.path
    bill = Receipt.of(path, written.model.known_shape, item_size=4)
    prompt = len(written.prompt_tokens)
    assert (bill.prompt_tokens, bill.new_tokens, bill.passes) == (prompt, len(path), len(path))
    assert bill.computed == prompt + len(path) - 1
    assert bill.reused == sum(range(prompt, prompt + len(path) - 1))
    assert bill.seconds == pytest.approx(sum(step.forward.seconds for step in path))
    assert bill.multiply_adds == answer_multiply_adds(written.model.known_shape, prompt, len(path))
    assert bill.cache_bytes == path[-1].forward.cache_bytes
    assert bill.flops_per_second == pytest.approx(2 * bill.multiply_adds / bill.seconds)


def test_every_amount_says_what_kind_of_number_it_is(written: Generation) -> None:
    peak = Peak(1e12, 1e11, "cpu", "float32", 1)
    bill = Receipt.of(written.path, written.model.known_shape, peak=peak)
    kinds = {amount.name: amount.kind for amount in bill.amounts}
    assert kinds["Time computing"] == kinds["Memory of the KV cache"] == "measured"
    assert kinds["Operations"] == kinds["Bytes read"] == kinds["KV cache"] == "computed"
    assert kinds["Energy"] == kinds["Price, by the token"] == "assumed"
    share = next(amount for amount in bill.amounts if amount.name == "Share of this machine's arithmetic")
    assert share.value == pytest.approx(bill.flops_per_second / 1e12)  # type: ignore[operator]
    assert all(amount.how for amount in bill.amounts)
    read = {amount.name: amount.how for amount in bill.amounts}["Bytes read"]
    assert "on average if tokens choose experts independently" in read, "Mixtral has experts"
    dense = next(amount for amount in Receipt.of(written.path, LLAMA_70B).amounts if amount.name == "Bytes read")
    assert dense.how == "weights once per pass + KV cache once per pass"


def test_the_memory_for_the_notepad_is_what_the_arrays_take_and_on_a_server_nobody_knows(written: Generation) -> None:
    path = written.path
    bill = Receipt.of(path, None)
    amounts = {amount.name: amount for amount in bill.amounts}
    state: Any = written.cache.state
    assert amounts["Memory of the KV cache"].value == sum(
        part.untyped_storage().nbytes() for layer in state.cache.layers for part in (layer.keys, layer.values)
    )
    there = [replace(step, top_logprobs_count=20, forward=replace(step.forward, held_bytes=None)) for step in path]
    served = {amount.name: amount for amount in Receipt.of(there, None).amounts}
    assert served["KV cache"].kind == "assumed"
    assert "Memory of the KV cache" not in served


def test_first_token_and_further_tokens_are_told_apart(written: Generation) -> None:
    peak = Peak(1e12, 1e11, "cpu", "float32", 1)
    bill = Receipt.of(written.path, written.model.known_shape, peak=peak)
    amounts = {amount.name: amount for amount in bill.amounts}
    first, *further = (step.forward.seconds + step.forward.queue_seconds for step in written.path)
    assert amounts[TTFT].value == pytest.approx(first)
    assert amounts[TPOT].value == pytest.approx(sum(further) / len(further))
    assert amounts[TTFT].kind == amounts[TPOT].kind == "measured"
    assert "MFU" in amounts["Share of this machine's arithmetic"].how
    share = "Share of this machine's memory speed"
    assert "MBU" in amounts[share].how and "cache" not in amounts[share].how
    slow = Receipt.of(written.path, written.model.known_shape, peak=replace(peak, bytes_per_second=1.0))
    above = next(amount for amount in slow.amounts if amount.name == share)
    assert above.value > 1 and "came from a cache" in above.how
    assert bill.per_token(amounts[TTFT]) is bill.per_token(amounts[TPOT]) is None
    one = Receipt.of(written.path[:1], None)
    assert one.seconds_per_token is None
    assert TTFT in {amount.name for amount in one.amounts}
    assert not {TTFT, TPOT} & {amount.name for amount in Receipt.of([], LLAMA_70B).amounts}


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
    shape = MODELS[model].shape
    assert tensor_parallel_size(shape, weight_bytes(shape, 2), CARDS[card]) == cards
    assert shape.head_count % cards == 0


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


def test_an_energy_counter_counts_up_or_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.costs.measured_hardware._RAPL", tmp_path)
    assert energy_joules("cpu") is None
    for name, value in (("intel-rapl:0", "3000000"), ("intel-rapl:1", "1500000"), ("intel-rapl:0:0", "99")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "energy_uj").write_text(value)
    assert energy_joules("cpu") == 4.5
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("nonsense")
    assert energy_joules("cpu") is None
    assert energy_joules("mps") is None


def same(one: Receipt, other: Receipt) -> bool:
    mine, theirs = asdict(one), asdict(other)
    return all(mine[name] == pytest.approx(theirs[name]) for name in mine if name != "assumptions")


def test_after_a_way_back_or_to_another_branch_the_bill_is_that_of_the_path(tiny: Callable[[str], Any]) -> None:
    model = tiny("gpt2")
    run, account = Generation(model, "Once", SamplingSettings(seed=3)), Account(model.shape)
    for _ in range(8):
        run.step()
    end = run.here
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    run.go_to(3)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    for candidate in (4, 5, 6, 7, 8):
        run.force(run.next_distribution().candidates[candidate].token_id)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape)), "as long as before, but another branch"
    run.switch(end)
    assert same(account.bill(run.path), Receipt.of(run.path, model.shape))
    run.go_to(-1)
    assert same(account.bill(run.path), Receipt.of([], model.shape))
    assert account.bill([]).multiply_adds == 0
    assert Account(None).bill(run.path).multiply_adds is None


def test_work_that_no_formula_tells_is_said_and_not_counted(written: Generation) -> None:
    bill = Receipt.of(written.path, replace(written.model.known_shape, work_known=False))
    (work,) = [amount for amount in bill.amounts if amount.unit == "FLOP"]
    assert math.isnan(work.value) and "not known" in work.how
    assert not any(amount.unit in ("FLOP/s", "B/s", "share") for amount in bill.amounts)
