"""A network that comes later: its weights are here and computed with, transformers' code for it is imported when somebody asks for it.

That import takes as long as everything else that a first step needs, torch among it. A decode backend that has read the weights itself
(`core.engine.backends.llama_files`) does not wait for it; inspection, training and whoever needs the modules do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import torch

from core.late_imports import LATE_IMPORTS


class LateNetwork:
    """What `LanguageModel` and `ModelShape` ask of a causal language model with tied embeddings, before the network itself is there.

    config: transformers' own; generation_config: whatever has `eos_token_id`. weights: by name, as the network will name them.
    fetch: makes the network, with weights of its own, which are then exchanged for these; arrived: is called once with it.
    """

    def __init__(
        self,
        config: Any,
        generation_config: Any,
        weights: Mapping[str, torch.Tensor],
        fetch: Callable[[], Any],
        arrived: Callable[[Any], None],
    ) -> None:
        self.config = config
        self.generation_config = generation_config
        self._weights = weights
        self._fetch, self._arrived = fetch, arrived
        self._network: Any = None

    def arrive(self) -> Any:
        """The network, on the weights that were here before it: made once, whoever asks waits for it."""
        with LATE_IMPORTS:
            if self._network is None:
                network = self._fetch()
                for name, weight in network.named_parameters():
                    weight.data = self._weights[name]
                self._arrived(network)
                self._network = network
            return self._network

    def named_parameters(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Every weight once, by its name."""
        yield from self._weights.items()

    def parameters(self) -> Iterator[torch.Tensor]:
        """Every weight once."""
        yield from self._weights.values()

    def modules(self) -> Iterator[Any]:
        """None is there yet."""
        return iter(())

    def get_input_embeddings(self) -> Any:
        """The table of embeddings, as `.weight`."""
        return SimpleNamespace(weight=self._weights["model.embed_tokens.weight"])

    def get_output_embeddings(self) -> Any:
        """The last matrix, as `.weight`; the table itself where they are tied."""
        return SimpleNamespace(weight=self._weights.get("lm_head.weight", self._weights["model.embed_tokens.weight"]))
