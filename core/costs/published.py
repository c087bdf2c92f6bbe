"""Published shapes of well-known models and data sheets of accelerators.

Shapes are verified: a test builds each in transformers without memory and counts. Data sheets are not verified, so all values computed from
them are marked as assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.engine.shape import ModelShape
from core.message import Message


@dataclass(frozen=True, slots=True)
class Published:
    """A model by the name people use, its shape, and how its maker ships it: bits per weight of the experts and of all other weights."""

    title: str
    shape: ModelShape
    expert_bits: float = 16.0
    other_bits: float = 16.0

    @property
    def item_size(self) -> float:
        """Return the published bytes per weight, the mean over all weights."""
        experts = self.shape.expert_parameters
        remainder = self.shape.parameter_count - experts
        return (experts * self.expert_bits + remainder * self.other_bits) / 8 / self.shape.parameter_count


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card on paper: memory in bytes, bytes and floating point operations (bfloat16, dense) a second at best, watts at most."""

    title: str
    memory_bytes: int
    bytes_per_second: float
    flops: float
    watts: float


TITLES = {
    "gpt-2": "GPT-2 (2019)",
    "smollm2-135m": "SmolLM2 135M",
    "llama-2-7b": "Llama 2 7B",
    "mistral-7b": "Mistral 7B v0.3",
    "llama-3.1-8b": "Llama 3.1 8B",
    "gemma-2-9b": "Gemma 2 9B",
    "mixtral-8x7b": "Mixtral 8x7B",
    "llama-3.1-70b": "Llama 3.1 70B",
    "gpt-oss-120b": "gpt-oss-120b",
    "llama-3.1-405b": "Llama 3.1 405B",
}
MXFP4_BITS = 4.25  # four bits for each number, and eight for the scale that 32 of them share (OCP Microscaling Formats 1.0)
SHIPPED = {"gpt-oss-120b": MXFP4_BITS}  # bits per weight of the experts, where they are not sixteen
MODELS: dict[str, Published] = {name: Published(title, ModelShape.named(name), SHIPPED.get(name, 16.0)) for name, title in TITLES.items()}

CARDS: dict[str, Card] = {
    "laptop": Card(Message("A laptop with 16 GB"), 16 * 10**9, 100e9, 4e12, 45),
    "l4": Card("NVIDIA L4, 24 GB", 24 * 10**9, 300e9, 121e12, 72),
    "rtx-4090": Card("NVIDIA RTX 4090, 24 GB", 24 * 10**9, 1008e9, 165e12, 450),
    "a100": Card("NVIDIA A100, 80 GB", 80 * 10**9, 2039e9, 312e12, 400),
    "h100": Card("NVIDIA H100, 80 GB", 80 * 10**9, 3350e9, 989e12, 700),
    "h200": Card("NVIDIA H200, 141 GB", 141 * 10**9, 4800e9, 989e12, 700),
}
