"""A bundled model, loaded early: ready for its first step before transformers' code for its network is imported.

    model = load_early("storyteller")     # None where this is not possible: load_model does it then
    model.network                         # imports what is left, shares the weights, compares its logits with those computed so far

Whatever a stranger brings goes through `core.models.loading`, which trusts nothing.
"""

from __future__ import annotations

import json
import logging
import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from core.models.hub import BUNDLED, bundled_names

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

log = logging.getLogger(__name__)


def load_early(name: str) -> LanguageModel | None:
    """A bundled Llama for a CPU, in float32, without its network; None for any other."""
    import torch
    from safetensors.torch import load_file

    from core.device import device_for
    from core.engine.backends.fast_decoder import FastDecoder
    from core.engine.backends.llama_files import llama_parts
    from core.engine.late_network import LateNetwork
    from core.engine.late_tokenizer import LateTokenizer
    from core.engine.model import LanguageModel, threads_for

    folder = BUNDLED / name
    if name not in bundled_names() or device_for("auto").type != "cpu":
        return None
    told = json.loads((folder / "config.json").read_text("utf-8"))
    weights = {part: weight.float() for part, weight in load_file(folder / "model.safetensors").items()}
    parts = llama_parts(told, weights)
    try:
        tokenizer = LateTokenizer(folder, lambda: _tokenizer(name))
    except ValueError:
        return None
    if parts is None:
        return None
    fast = FastDecoder(parts)
    config = SimpleNamespace(**told)  # transformers' own configuration class brings half of transformers along
    config.get_text_config = lambda: config
    generation = SimpleNamespace(**json.loads((folder / "generation_config.json").read_text("utf-8")))
    torch.set_num_threads(threads_for(sum(weight.numel() for weight in weights.values())))
    late = LateNetwork(config, generation, weights, lambda: _network(name), lambda network: _compare(network, fast, itself))
    model = LanguageModel(name, late, tokenizer, fast)
    itself = weakref.ref(model)
    model.engine.forward([0])
    return model


def _network(name: str) -> Any:
    import torch
    from transformers import LlamaForCausalLM
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    return LlamaForCausalLM.from_pretrained(BUNDLED / name, dtype=torch.float32, use_safetensors=True, local_files_only=True).eval()


def _tokenizer(name: str) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(BUNDLED / name, local_files_only=True)


def _compare(network: Any, fast: Any, itself: weakref.ref[LanguageModel]) -> None:
    """What was computed so far is the network's own arithmetic, or from here on the network computes. It proves compiled code, too."""
    from core.engine.backends import compiled
    from core.engine.backends.transformers_backend import TransformersBackend

    if fast.agrees_with(network):
        compiled.begin(fast)
        return
    log.error("The weights as they were read give other logits than the network")
    model = itself()
    if model is not None:
        model.engine.pool.clear()
        model.engine.backend = TransformersBackend(network)
