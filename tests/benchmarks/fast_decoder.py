"""How fast our decoder is: beside transformers' own forward, beside what memory allows, and with a long text behind it.

    python -m tests.benchmarks.fast_decoder [--threads 1] [--rounds 15]

Random weights; only their number counts. Both run in turns, a few steps each, so that whatever else the machine does meets both alike;
times are medians and the ratio is the median of the rounds' ratios. "floor" is the share of the time that reading the weights and the keys
and values once takes at this machine's measured reading speed; a model that fits into the processor's cache can be faster than that.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_limits
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.cache_utils import DynamicCache

from core.backends import compiled
from core.backends.decoder_state import State
from core.backends.fast_decoder import FastDecoder

# hidden size, layers, heads, KV heads, feed-forward size, vocabulary
SHAPES = {
    "5M": (256, 6, 8, 2, 688, 4096),
    "30M": (512, 8, 8, 2, 1408, 8192),
    "150M": (768, 18, 12, 4, 2048, 32000),
}
CONTEXTS = (128, 512, 2048, 8192)  # tokens


def network_of(shape: tuple[int, ...]) -> Any:
    """A Llama of this shape with tied embeddings, as small models have them."""
    hidden, layers, heads, kv_heads, between, vocabulary = shape
    config = LlamaConfig(
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=kv_heads,
        intermediate_size=between,
        vocab_size=vocabulary,
        max_position_embeddings=2 * max(CONTEXTS),
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    return LlamaForCausalLM(config).eval()


def reading_speed(threads: int) -> float:
    """Bytes a second when a matrix of 400 MB is read for a product with a vector; the best of some tries."""
    matrix, vector = np.ones((100_000, 1000), np.float32), np.ones(1000, np.float32)
    with threadpool_limits(threads, user_api="blas"):
        return matrix.nbytes / min(seconds(lambda: matrix @ vector) for _ in range(10))


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    started = perf_counter()
    work()
    return perf_counter() - started


class Pair:
    """The same model twice, with the same number of tokens behind it."""

    def __init__(self, network: Any, context: int) -> None:
        fast = FastDecoder.of(network)
        assert fast is not None
        compiled.wait()
        self.network, self.fast, self.context = network, fast, context
        self.ids = np.random.default_rng(0).integers(0, len(fast.parts.embedding), context)
        self.state: State = fast.new_state()
        self.cache = DynamicCache(config=network.config)
        fast.run(self.ids, self.state)
        self.slow(self.ids)

    def slow(self, ids: np.ndarray) -> None:
        """One pass of transformers' own forward."""
        self.network(torch.from_numpy(ids)[None], past_key_values=self.cache, logits_to_keep=1)

    def rounds(self, count: int, steps: int) -> tuple[np.ndarray, np.ndarray]:
        """Seconds per step [count] of transformers and of ours, each measured right after the other."""
        one = self.ids[:1]
        slow, fast = [], []
        for _ in range(count):
            slow.append(np.median([seconds(lambda: self.slow(one)) for _ in range(steps)]))
            fast.append(np.median([seconds(lambda: self.fast.run(one, self.state)) for _ in range(steps)]))
            self.cache.crop(self.context - self.cache.get_seq_length())
            self.fast.cut(self.state, self.context)
        return np.array(slow), np.array(fast)

    @property
    def bytes_read(self) -> int:
        """What one step has to read: every weight once, the keys and values of all tokens."""
        return sum(weight.nbytes for weight in self.network.parameters()) + self.fast.bytes(self.state)


def report(name: str, pair: Pair, rounds: int, steps: int, speed: float) -> None:
    """One line of the table."""
    slow, fast = pair.rounds(rounds, steps)
    floor = pair.bytes_read / speed
    print(
        f"{name:>14} {1e3 * np.median(slow):>14.2f} {1e3 * np.median(fast):>9.2f} {1 / np.median(fast):>11,.0f}"
        f" {np.median(slow / fast):>8.1f}x {floor / np.median(fast):>8.0%} {pair.fast.bytes(pair.state) / 2**20:>9.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    speed = reading_speed(options.threads)
    print(f"torch {torch.__version__}, NumPy {np.__version__}, threads: {options.threads}, memory reads {speed / 1e9:.1f} GB/s")
    print(f"{'':>14} {'transformers':>14} {'ours':>9} {'ours':>11} {'':>9} {'':>8} {'KV held':>9}")
    print(f"{'':>14} {'ms/step':>14} {'ms/step':>9} {'tokens/s':>11} {'ratio':>9} {'floor':>8} {'MiB':>9}")
    with torch.inference_mode():
        for shape in SHAPES.values():
            network = network_of(shape)
            parameters = sum(weight.numel() for weight in network.parameters())
            report(f"{parameters / 1e6:.0f}M", Pair(network, 64), options.rounds, max(3, int(2e8 / parameters)), speed)
        network = network_of(SHAPES["5M"])
        for context in CONTEXTS:
            report(f"5M behind {context}", Pair(network, context), options.rounds, 10, speed)


if __name__ == "__main__":
    main()
