"""Every sampler against its reference, one line each: `python -m tests.benchmarks.samplers`. Takes about ten minutes.

The references: transformers' processors one after the other, formulas in float64, and a real llama-server with the bundled model in
float32. Last come the milliseconds of a step, without its forward pass, with the usual and with all samplers at a vocabulary of 32,000.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np
import pytest

from core import SamplingSettings, load_model
from core.backends import compiled
from core.sampling import observe_stages
from core.sampling.observation import History
from tests.core.sampling import test_any_order, test_samplers
from tests.core.sampling.chains import logits_like
from tests.servers import conftest, samplers
from tests.servers.build import HOME, SERVER

FORMULAS = "presence_and_frequency dry top_n_sigma xtc dynamic_temperature mirostat".split()
USUAL = SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.95, repetition_penalty=1.1)
EVERYTHING = SamplingSettings(**test_samplers.EVERYTHING)


def main() -> None:
    """Print one line per comparison."""
    test_any_order.test_five_thousand_in_any_order()
    print("transformers' processors, 5,000 settings in random orders, 10 to 4,096 tokens: all kept tokens and probabilities equal")
    test_any_order.test_large_vocabularies_in_any_order()
    print("transformers' processors, 300 settings in random orders, 20,000 to 300,000 tokens: all kept tokens and probabilities equal")
    for name in FORMULAS:
        failed = pytest.main(["-q", "--no-header", "-p", "no:terminal", f"{test_samplers.__file__}::test_{name}"])
        print(f"formula in float64, {name}: {'DIFFERENT' if failed else 'equal'}")
    if SERVER.is_file():
        against_llama_server()
    else:
        print(f"no llama-server in {HOME}: build it with `python -m tests.servers.build`")
    speed()


def against_llama_server() -> None:
    """Print the differences from a llama-server that is started for it."""
    with (
        tempfile.TemporaryDirectory() as place,
        conftest.llama_server(conftest.converted(Path(place)), Path(place), 0) as process,
    ):
        line, model = conftest.client(process), load_model(conftest.MODEL, device="cpu", dtype="float32")
        for name, off in samplers.alone(line, model):
            print(f"llama-server, {name} alone: largest difference of a probability {off:.1e}")
        found = list(samplers.chains(line, model))
        many, off = sum(kept > 1 for _settings, kept, _off in found), max(off for _settings, _kept, off in found)
        print(f"llama-server, {len(found)} random chains ({many} leave several tokens): largest difference {off:.1e}")
        print(f"llama-server, mirostat over {samplers.MIROSTAT_STEPS} tokens: largest difference {samplers.mirostat(line, model):.1e}")


def speed(size: int = 32_000, times: int = 200) -> None:
    """Print the milliseconds of an observation with the usual and with all samplers."""
    compiled.wait()
    text = History(np.random.default_rng(1).integers(0, 2000, 400), 100, lambda token_id: b"%d" % token_id)
    for name, settings in (("the usual samplers", USUAL), ("all samplers", EVERYTHING)):
        taken = []
        for seed in range(times):
            logits = logits_like("ordinary", size, seed)
            started = perf_counter()
            observe_stages.observe(logits, settings, text, 20, roll=0.5)
            taken.append(perf_counter() - started)
        print(f"a step with {name} at {size:,} tokens: {median(taken) * 1e3:.2f} ms")


if __name__ == "__main__":
    main()
