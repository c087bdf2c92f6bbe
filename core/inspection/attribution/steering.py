"""A steering vector: the difference of the activations of two lists of texts at one layer (Turner and others 2023, arXiv 2308.10248)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from core.engine.model import LanguageModel
from core.engine.network_layers import NO_VECTORS, at_layer, checked_layers
from core.errors import BadSetting, BrokenLogits, EmptyPrompt, NotForThisModel
from core.inspection.attribution.passes import Passes
from core.inspection.inside import checked_ids
from core.sources.capabilities import Can, require

MOST_TEXTS = 64  # in one list


def steering_vector(model: LanguageModel, positive_texts: Sequence[str], negative_texts: Sequence[str], layer: int) -> np.ndarray:
    """Return the mean activation of the positive texts minus that of the negative ones, float32 [hidden].

    layer: 0 is the input of the first layer, i the output of layer i. The activation of a text is the mean over its tokens, without special
    ones. Add the vector with `Generation(..., steering=Steering(vector, layer, strength))`.
    Raises EmptyPrompt for an empty list or text, BadSetting, PromptTooLong, ModelError, BrokenLogits, NoRoom.
    """
    require(model, Can.NETWORK)
    if isinstance(layer, bool) or not isinstance(layer, int | np.integer) or not 0 <= layer <= model.layer_count:
        raise BadSetting("A steering vector is read at layer 0 to {last}.", last=model.layer_count)
    passes = Passes(model)
    vector = _mean(passes, positive_texts, int(layer)) - _mean(passes, negative_texts, int(layer))
    if vector.shape != (model.shape.hidden_size,):  # several vectors for each token
        raise NotForThisModel(NO_VECTORS)
    if not np.isfinite(vector).all():
        raise BrokenLogits("The model returned NaN activations, so there is no steering vector.")
    return vector.astype(np.float32)


def _mean(passes: Passes, texts: Sequence[str], layer: int) -> np.ndarray:
    """Return the mean activation of some texts, float64 [hidden]."""
    if isinstance(texts, str) or not texts or not all(isinstance(text, str) and text.strip() for text in texts):
        raise EmptyPrompt("Both lists need at least one text, and no text may be empty.")
    if len(texts) > MOST_TEXTS:
        raise BadSetting("A list has at most {most} texts.", most=MOST_TEXTS)
    activations: list[np.ndarray] = []
    modules = checked_layers(passes.network, passes.model.layer_count)
    for text in texts:
        ids = checked_ids(passes.model, passes.model.encode(text))
        is_text = np.array([not passes.model.token(int(i)).special for i in ids])

        def keep(states: torch.Tensor, is_text: np.ndarray = is_text) -> None:
            activations.append(states[0].double().cpu().numpy()[is_text if is_text.any() else slice(None)].mean(0))

        passes.logits(ids[None], [at_layer(modules, layer, keep, len(ids))])
    mean: np.ndarray = np.mean(activations, axis=0)
    return mean
