"""What a token's probability depended on: something is taken away or changed, and real passes show what changes.

    >>> from core import load_model
    >>> from core.inspection import attribution
    >>> model = load_model("storyteller")
    >>> ids = model.encode("The opposite of hot is")
    >>> attribution.occlusion(model, ids, model.token_of(" cold").token_id).effects.shape
    (6,)

Token ids are lists, `target_id` is the token to explain. Effects are in nats; positive: the part spoke for the token. Passes run on
transformers' network, not on the compiled one.
"""

from core.engine.network_changes import Steering
from core.inspection.attribution.gradients import IntegratedGradients, integrated_gradients, rank_correlation
from core.inspection.attribution.head_effects import HeadAblation, head_ablation
from core.inspection.attribution.logit_parts import LogitPart, LogitParts, logit_parts
from core.inspection.attribution.occlusion import Occlusion, occlusion
from core.inspection.attribution.patching import ActivationPatching, activation_patching
from core.inspection.attribution.steering import steering_vector

__all__ = [
    "ActivationPatching",
    "HeadAblation",
    "IntegratedGradients",
    "LogitPart",
    "LogitParts",
    "Occlusion",
    "Steering",
    "activation_patching",
    "head_ablation",
    "integrated_gradients",
    "logit_parts",
    "occlusion",
    "rank_correlation",
    "steering_vector",
]
