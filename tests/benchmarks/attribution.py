"""How long "Why this token?" takes, and how exact it is: python -m tests.benchmarks.attribution [--model FOLDER] [--tokens 60]

Seconds of each part on a text of this length, the median of the rounds; seconds of the processor stand beside them, because other work on a
shared machine makes the first number larger. Then the largest difference of each part from an independent computation: plain passes over
changed texts, zeroed weights of the output projection, captum (if it is installed), and the sum of the logit.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
import torch

from core import Generation, load_model
from core.engine.switched_off_heads import head_outputs
from core.inspection import attribution
from tests.benchmarks import programs
from tests.core.plain import plain_logits

TEXT = (
    "Once upon a time, there was a little girl called Lily who lived in a small house near the sea. One day she found a red ball under "
    "the old tree and she was very happy. Her mother came and said: Lily, where did you find that red ball? Lily said that it was hers. "
)


def texts(model: Any, count: int) -> tuple[list[int], list[int], int, int]:
    """Return a text of so many tokens, the same with another word in its middle, and the likeliest token after each."""
    ids = (model.encode(TEXT) * (1 + count // 60))[:count]
    other = [*ids[: count // 2], ids[3] if ids[count // 2] != ids[3] else ids[4], *ids[count // 2 + 1 :]]
    run = Generation(model, TEXT)
    first, second = (candidate.token_id for candidate in run.next_distribution().candidates[:2])
    return ids, other, first, second


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """Return the median of the seconds and of the processor's seconds."""
    found = []
    for _round in range(rounds):
        started, worked = perf_counter(), process_time()
        work()
        found.append((perf_counter() - started, process_time() - worked))
    return median(one for one, _other in found), median(other for _one, other in found)


def speed(model: Any, count: int, rounds: int) -> None:
    """Print the seconds of every part."""
    ids, other, first, second = texts(model, count)
    work: dict[str, Callable[[], Any]] = {
        f"part 1, {way}": partial(attribution.occlusion, model, ids, first, way) for way in ("omit", "mask", "replace")
    }
    work["part 1, integrated gradients"] = lambda: attribution.integrated_gradients(model, ids, first)
    work["part 2, all heads"] = lambda: attribution.head_ablation(model, ids, first)
    work["part 3, all layers and tokens"] = lambda: attribution.activation_patching(model, ids, other, first, second)
    work["part 4, with heads"] = lambda: attribution.logit_parts(model, ids, first, True)
    print(f"{model.name}, {count} tokens, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    for name, job in work.items():
        seconds, worked = timed(job, rounds)
        print(f"{name:34}{seconds:8.2f} s {worked:8.2f} s of the processor")


def exactness(model: Any, count: int) -> None:
    """Print the largest difference of every part from an independent computation, nats or logits."""
    ids, other, first, second = texts(model, count)
    network = model.load_network()

    def log_p(text: list[int], of: Any = network) -> float:
        return float(plain_logits(of, text).double().log_softmax(-1)[first])

    places = range(1, count, max(1, count // 6))
    whole, effects = log_p(ids), attribution.occlusion(model, ids, first).effects
    show("left-out words, plain passes", max(abs(effects[i] - (whole - log_p(ids[:i] + ids[i + 1 :]))) for i in places))
    heads = attribution.head_ablation(model, ids, first).effects
    parts, off = head_outputs(network, model.shape), []
    for layer, head in ((0, 0), (len(parts) // 2, 1), (len(parts) - 1, parts[0].heads - 1)):
        zeroed = copy.deepcopy(network)
        name = next(name for name, module in network.named_modules() if module is parts[layer].projection)
        projection: Any = zeroed.get_submodule(name)
        with torch.no_grad():
            rows = projection.weight if hasattr(projection, "nf") else projection.weight.T
            rows[head * parts[layer].size : (head + 1) * parts[layer].size] = 0
        off.append(abs(heads[layer, head] - (whole - log_p(ids, zeroed))))
    show("switched-off heads, zeroed weights", max(off))
    every = [(range(count), range(count)), ((), ())]
    patched = attribution.activation_patching(model, ids, other, first, second, every).recovered
    show("all positions patched; none", max(np.abs(patched[:, 0] - 1).max(), np.abs(patched[:, 1]).max()))
    total = attribution.logit_parts(model, ids, first)
    show("sum of the logit", abs(total.values.sum() - total.logit))
    try:
        from captum.attr import IntegratedGradients
    except ImportError:
        return
    found = attribution.integrated_gradients(model, ids, first)
    with torch.no_grad():
        text, baseline = (network.get_input_embeddings()(torch.tensor([one])) for one in (ids, [found.baseline_id] * count))
    answer = IntegratedGradients(lambda rows: network(inputs_embeds=rows).logits[:, -1].log_softmax(-1)[:, first])
    expected = answer.attribute(text, baseline, n_steps=32, method="riemann_middle", internal_batch_size=8).sum(-1)[0]
    show("integrated gradients, captum", np.abs(found.effects - expected.detach().numpy()).max())


def show(name: str, difference: float) -> None:
    """Print one difference."""
    print(f"{name:40}{difference:12.2e}")


def main() -> None:
    parser = programs.arguments(__doc__)
    parser.add_argument("--model", default="storyteller")
    parser.add_argument("--tokens", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    model = load_model(wanted.model)
    model.load_network()
    speed(model, wanted.tokens, wanted.rounds)
    exactness(model, wanted.tokens)


if __name__ == "__main__":
    main()
