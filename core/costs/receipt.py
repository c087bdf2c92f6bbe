"""The receipt of a run: its costs, each marked as measured, computed or assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.costs.assumptions import Assumptions  # at run time, as Peak, because recorded results are read by these types
from core.costs.measured_hardware import Peak
from core.costs.operations_and_bytes import ASSUMED, COMPUTED, MEASURED, pass_bytes, pass_multiply_adds
from core.message import Message, Number

if TYPE_CHECKING:
    from core.engine.shape import ModelShape
    from core.record.step import Step

TTFT, TPOT = Message("Time to the first token"), Message("Time per further token")


@dataclass(frozen=True, slots=True)
class Amount:
    """One number of the receipt. kind: "measured", "computed" or "assumed"; how: the clock, the formula or the assumption it comes from."""

    name: str
    value: float
    unit: str
    kind: str
    how: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """The costs of a text, from the records of its steps.

    prompt_tokens, new_tokens, passes, computed, reused: counts. seconds: in forward passes; queue_seconds: waiting for a turn.
    first_token_seconds: of these, until the first token. multiply_adds, bytes_read: computed from the shape, None without one, NaN where
    the shape does not tell them.
    cache_bytes: of the tokens in the notepad; held_bytes: of the arrays that hold them, None where they are not here (served: on a server).
    joules: from the device's own counter, None without a counter or a reading. server_seconds: of these seconds, what an inference
    server says it took; None if it does not say so for every pass.
    has_experts: whether each token uses only some experts, so that the bytes of a pass are a mean.
    """

    prompt_tokens: int
    new_tokens: int
    passes: int
    computed: int
    reused: int
    seconds: float
    queue_seconds: float
    first_token_seconds: float
    multiply_adds: float | None
    bytes_read: float | None
    cache_bytes: int
    assumptions: Assumptions
    peak: Peak | None = None
    joules: float | None = None
    held_bytes: int | None = None
    served: bool = False
    server_seconds: float | None = None
    has_experts: bool = False

    @classmethod
    def of(
        cls,
        path: Sequence[Step],
        shape: ModelShape | None,
        *,
        item_size: float = 4,
        assumptions: Assumptions | None = None,
        peak: Peak | None = None,
        joules: float | None = None,
    ) -> Receipt:
        """Return the receipt of these steps. item_size: bytes per number, of weights and cache. Without steps all costs are 0."""
        return Account(shape, item_size).bill(path, assumptions=assumptions, peak=peak, joules=joules)

    @property
    def flops(self) -> float | None:
        """Floating point operations: two for each multiply-add, as the field counts them. None without a shape."""
        return None if self.multiply_adds is None else 2 * self.multiply_adds

    @property
    def flops_per_second(self) -> float | None:
        """Floating point operations per second that were reached."""
        return None if self.flops is None or not self.seconds else self.flops / self.seconds

    @property
    def seconds_per_token(self) -> float | None:
        """Return the seconds per token after the first, waiting included; None before the second."""
        later = self.seconds + self.queue_seconds - self.first_token_seconds
        return max(0.0, later) / (self.new_tokens - 1) if self.new_tokens > 1 else None

    @property
    def bytes_per_second(self) -> float | None:
        """Bytes per second that were fetched."""
        return None if self.bytes_read is None or not self.seconds else self.bytes_read / self.seconds

    @property
    def watt_hours(self) -> Amount:
        """Energy: from the device's counter if it was read, else assumed watts times measured seconds."""
        if self.joules is not None:
            return Amount(Message("Energy"), self.joules / 3600, "Wh", MEASURED, Message("the device's own energy counter"))
        watts = self.assumptions.watts
        how = Message("{watts} watts x {seconds} seconds", watts=Number(watts, "g"), seconds=Number(self.seconds, ".3g"))
        return Amount(Message("Energy"), watts * self.seconds / 3600, "Wh", ASSUMED, how)

    @property
    def token_price(self) -> Amount:
        """Dollars as a service would bill them, by tokens read and written."""
        paid = self.assumptions
        value = (self.prompt_tokens * paid.price_input + self.new_tokens * paid.price_output) / 1e6
        how = Message(
            "{read} x ${input} + {written} x ${output}, per million",
            read=self.prompt_tokens,
            input=Number(paid.price_input, "g"),
            written=self.new_tokens,
            output=Number(paid.price_output, "g"),
        )
        return Amount(Message("Price, by the token"), value, "$", ASSUMED, how)

    @property
    def hardware_price(self) -> Amount:
        """Dollars for the time the hardware was busy."""
        price, seconds = self.assumptions.price_hour, Number(self.seconds, ".3g")
        how = Message("${price} an hour x {seconds} seconds", price=Number(price, "g"), seconds=seconds)
        return Amount(Message("Price, by the hour"), price * self.seconds / 3600, "$", ASSUMED, how)

    @property
    def _notepad(self) -> Amount:
        """Return the bytes of the tokens in the KV cache. A server does not report the bits per number."""
        if self.served:
            return Amount(
                Message("KV cache"),
                self.cache_bytes,
                "B",
                ASSUMED,
                Message("the size that this model would need; the server does not report it"),
            )
        return Amount(Message("KV cache"), self.cache_bytes, "B", COMPUTED, Message("keys and values of the cached tokens"))

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """Return all lines of the receipt. Unknown values are left out."""
        lines = [
            Amount(Message("Forward passes"), self.passes, "", MEASURED, Message("one for each new token")),
            Amount(Message("Positions computed"), self.computed, "", MEASURED, Message("tokens computed by a forward pass")),
            Amount(Message("Positions reused"), self.reused, "", MEASURED, Message("tokens taken from the KV cache")),
            Amount(Message("Time computing"), self.seconds, "s", MEASURED, Message("measured around every forward pass")),
        ]
        lines += self._times()
        lines.append(self._notepad)
        if self.held_bytes is not None:
            lines.append(
                Amount(
                    Message("Memory of the KV cache"), self.held_bytes, "B", MEASURED, Message("its arrays, with space for further tokens")
                )
            )
        lines += self._work()
        return (*lines, self.watt_hours, self.token_price, self.hardware_price)

    def _times(self) -> list[Amount]:
        lines = []
        if self.server_seconds is not None:
            lines.append(
                Amount(
                    Message("Of this, on the server"),
                    self.server_seconds,
                    "s",
                    MEASURED,
                    Message("measured by the server; all else is the network"),
                )
            )
        if self.new_tokens:
            lines.append(
                Amount(
                    TTFT,
                    self.first_token_seconds,
                    "s",
                    MEASURED,
                    Message("TTFT: the wait in the queue and the pass that computes the prompt"),
                )
            )
        if self.seconds_per_token is not None:
            lines.append(
                Amount(TPOT, self.seconds_per_token, "s", MEASURED, Message("TPOT: the mean of all later passes, including waiting"))
            )
        return lines

    def _work(self) -> list[Amount]:
        lines = []
        if self.flops is not None and math.isnan(self.flops):
            return [
                Amount(
                    Message("Operations"),
                    self.flops,
                    "FLOP",
                    COMPUTED,
                    Message("not known: the formula and torch's own counter differ for this architecture"),
                )
            ]
        if self.flops is not None and self.bytes_read is not None:
            how = Message("2 x (weights used x positions + attention: layers x heads x (key size + value size) x positions attended to)")
            read = Message("weights once per pass + KV cache once per pass")
            if self.has_experts:
                read = Message("used weights once per pass, on average if tokens choose experts independently + KV cache once per pass")
            lines += [
                Amount(Message("Operations"), self.flops, "FLOP", COMPUTED, how),
                Amount(Message("Bytes read"), self.bytes_read, "B", COMPUTED, read),
            ]
        if self.flops_per_second is not None and self.bytes_per_second is not None:
            lines += [
                Amount(
                    Message("Operations per second"), self.flops_per_second, "FLOP/s", COMPUTED, Message("operations / measured seconds")
                ),
                Amount(Message("Bytes read per second"), self.bytes_per_second, "B/s", COMPUTED, Message("bytes read / measured seconds")),
            ]
            if self.peak is not None:
                mfu, mbu = self.flops_per_second / self.peak.flops, self.bytes_per_second / self.peak.bytes_per_second
                how_read = Message("MBU: {how}", how=self.peak.how)
                if mbu > 1:
                    how_read = Message(
                        "MBU: {how}. Above 100 %: some of the bytes came from a cache, not from the memory.", how=self.peak.how
                    )
                lines += [
                    Amount(Message("Share of this machine's arithmetic"), mfu, "share", COMPUTED, Message("MFU: {how}", how=self.peak.how)),
                    Amount(Message("Share of this machine's memory speed"), mbu, "share", COMPUTED, how_read),
                ]
        return lines

    def per_token(self, amount: Amount) -> float | None:
        """This line divided by the tokens written; None where that makes no sense (speeds, shares, the notepad)."""
        nowhere = ("KV cache", "Memory of the KV cache", TTFT, TPOT)
        if not self.new_tokens or amount.unit in ("FLOP/s", "B/s", "share") or amount.name in nowhere:
            return None
        return amount.value / self.new_tokens


@dataclass(slots=True)
class Account:
    """Keeps the receipt of a growing text, so that each step is counted only once.

    shape: of the model, None where it is not known. item_size: bytes per number of the weights; cache_item_size: of keys and values, None
    where it is the same.
    """

    shape: ModelShape | None
    item_size: float = 4
    cache_item_size: float | None = None
    _counted: int = 0
    _last: Step | None = None
    _computed: int = 0
    _reused: int = 0
    _seconds: float = 0.0
    _queued: float = 0.0
    _served: float = 0.0
    _told: int = 0
    _adds: float = 0
    _moved: float = 0

    def bill(
        self, path: Sequence[Step], *, assumptions: Assumptions | None = None, peak: Peak | None = None, joules: float | None = None
    ) -> Receipt:
        """Return the receipt of these steps. New steps are added to the last receipt; after a step back all are counted again."""
        if self._counted and (self._counted > len(path) or path[self._counted - 1] is not self._last):
            self._counted = self._computed = self._reused = self._adds = self._moved = 0
            self._seconds = self._queued = self._served = 0.0
            self._told = 0
        for step in path[self._counted :]:
            self._add(step)
        self._counted, self._last = len(path), path[-1] if path else None
        first = path[0].forward if path else None
        return Receipt(
            prompt_tokens=path[0].position - path[0].index if path else 0,
            new_tokens=len(path),
            passes=len(path),
            computed=self._computed,
            reused=self._reused,
            seconds=self._seconds,
            queue_seconds=self._queued,
            first_token_seconds=first.seconds + first.queue_seconds if first else 0.0,
            multiply_adds=None if self.shape is None else self._adds,
            bytes_read=None if self.shape is None else self._moved,
            cache_bytes=path[-1].forward.cache_bytes if path else 0,
            assumptions=assumptions or Assumptions(),
            peak=peak,
            joules=joules,
            held_bytes=path[-1].forward.held_bytes if path else None,
            served=bool(path) and path[-1].top_logprobs_count > 0,
            server_seconds=self._served if path and self._told == len(path) else None,
            has_experts=self.shape is not None and 0 < self.shape.active_experts < self.shape.expert_count,
        )

    def _add(self, step: Step) -> None:
        forward = step.forward
        self._computed += forward.computed_tokens
        self._reused += forward.reused_tokens
        self._seconds += forward.seconds
        self._queued += forward.queue_seconds
        if forward.server_seconds is not None:
            self._served, self._told = self._served + forward.server_seconds, self._told + 1
        if self.shape is not None:
            self._adds += pass_multiply_adds(self.shape, forward.computed_tokens, forward.reused_tokens)
            item_size = self.item_size if self.cache_item_size is None else self.cache_item_size
            self._moved += pass_bytes(self.shape, forward.computed_tokens, forward.reused_tokens, self.item_size, item_size)
