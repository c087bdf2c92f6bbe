"""Load a bundled model without importing transformers, which takes longer than the rest of the start.

model = load_without_network("storyteller")   # None if this is not possible here: then use load_model
model.load_network()                          # imports transformers and puts its network on the same weights
"""

from __future__ import annotations

import json
from threading import Timer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from core.models.hub import BUNDLED, bundled_names

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

COMPILE_AFTER = 5.0  # seconds; earlier, loading compiled code would slow down the first page


def load_without_network(name: str) -> LanguageModel | None:
    """Return a bundled Llama for a CPU, in float32, with a decoder that reads the weight file itself; None for other models or devices."""
    from safetensors.torch import load_file

    from core.backends.fast_decoder import FastDecoder
    from core.backends.llama_weights import llama_parts
    from core.device import device_for
    from core.engine.model import LanguageModel, NetworkFacts
    from core.tokens.tokenizer import PlainTokenizer

    folder = BUNDLED / name
    if name not in bundled_names() or device_for("auto").type != "cpu":
        return None
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    weights = {part: weight.float() for part, weight in load_file(folder / "model.safetensors").items()}
    parts = llama_parts(settings, weights)
    try:
        tokenizer = PlainTokenizer(folder)
    except ValueError:
        return None
    if parts is None:
        return None
    decoder = FastDecoder(parts)
    decoder.prove_by_itself()
    table = weights["model.embed_tokens.weight"]
    head = weights.get("lm_head.weight", table)
    ends = [json.loads((folder / "generation_config.json").read_text("utf-8")).get("eos_token_id"), settings.get("eos_token_id")]
    facts = NetworkFacts.from_weights(SimpleNamespace(**settings), weights.items(), table, head, (*ends, tokenizer.eos_token_id))
    model = LanguageModel(name, None, tokenizer, decoder, facts, lambda: _network(name, weights, decoder))
    model.engine.speed = decoder.choose_speed([1])
    model.engine.forward([0])  # the first pass takes longer than the others
    compiling = Timer(COMPILE_AFTER, decoder.compile_in_background)
    compiling.daemon = True
    compiling.start()
    return model


def _network(name: str, weights: dict[str, Any], decoder: Any) -> Any:
    """Return transformers' network with these tensors as its weights. Raises ModelError if its logits differ from the decoder's."""
    import torch

    from core.errors import ModelError, quoted
    from core.models.loading import READING

    with READING:
        from transformers import LlamaForCausalLM
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        network = LlamaForCausalLM.from_pretrained(BUNDLED / name, dtype=torch.float32, use_safetensors=True, local_files_only=True).eval()
    for part, weight in network.named_parameters():
        weight.data = weights[part]
    if not decoder.agrees_with(network):
        raise ModelError("The weights of {name} do not fit its configuration.", name=quoted(name))
    return network
