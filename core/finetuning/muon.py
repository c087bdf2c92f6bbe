"""Muon for the hidden matrices, AdamW for all other weights, with one common step.

Muon (K. Jordan and others, 2024) replaces the momentum of a matrix by the nearest orthogonal matrix. For the same loss it needs about half
the tokens of AdamW.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from core.device import CPU_MULTIPLIES_BF16


class Muon(torch.optim.Muon):
    """torch's Muon, with the orthogonal matrices computed in float32 on a processor that does not multiply bfloat16.

    torch computes them in bfloat16 only. On such a processor that takes thirty times as long, longer than the rest of a training step.
    """

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> Any:
        """See `torch.optim.Muon.step`."""
        if CPU_MULTIPLIES_BF16 or any(parameter.device.type != "cpu" for group in self.param_groups for parameter in group["params"]):
            return super().step(closure)
        if closure is not None:
            raise ValueError("a closure is not called here")
        for group in self.param_groups:
            parameters: list[Tensor] = []
            gradients: list[Tensor] = []
            momenta: list[Tensor] = []
            self._init_group(group, parameters, gradients, momenta)
            for parameter, gradient, momentum in zip(parameters, gradients, momenta, strict=True):
                momentum.lerp_(gradient, 1 - group["momentum"])
                wanted = gradient.lerp(momentum, group["momentum"]) if group["nesterov"] else momentum
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                rate = group["lr"] * 0.2 * math.sqrt(max(parameter.shape))  # match_rms_adamw
                parameter.add_(orthogonal(wanted, group["ns_coefficients"], group["ns_steps"], group["eps"]), alpha=-rate)
        return None


def orthogonal(matrix: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """Return the matrix [m, n] with its singular values brought close to 1 by Newton and Schulz's iteration, in its own dtype."""
    high = matrix.shape[0] > matrix.shape[1]
    near = matrix.T if high else matrix
    near = near / near.norm().clamp(min=eps)
    a, b, c = coefficients
    for _ in range(steps):
        gram = near @ near.T
        near = torch.addmm(near, torch.addmm(gram, gram, gram, beta=b, alpha=c), near, beta=a)
    return near.T if high else near


class Optimizers:
    """Muon and AdamW with one common step."""

    def __init__(self, model: nn.Module, muon_rate: float, adam_rate: float, weight_decay: float) -> None:
        matrices = [p for name, p in model.named_parameters() if p.ndim == 2 and "embed" not in name and "lm_head" not in name]
        chosen = {id(p) for p in matrices}
        others = [p for p in model.parameters() if id(p) not in chosen]
        # match_rms_adamw: the two optimizers then take steps of the same size, and one rate is as good as two.
        muon = Muon(matrices, lr=muon_rate, weight_decay=weight_decay, momentum=0.95, nesterov=True, adjust_lr_fn="match_rms_adamw")
        adam = torch.optim.AdamW(others, lr=adam_rate, weight_decay=0.0, betas=(0.9, 0.95))
        self.all: list[torch.optim.Optimizer] = [muon, adam]
        self.rates = [muon_rate, adam_rate]

    def step(self, scale: float) -> None:
        """Update the weights with both rates times `scale`, then clear the gradients."""
        for optimizer, rate in zip(self.all, self.rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * scale
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)

    def state_dict(self) -> list[dict]:
        return [optimizer.state_dict() for optimizer in self.all]

    def load_state_dict(self, states: list[dict]) -> None:
        for optimizer, state in zip(self.all, states, strict=True):
            optimizer.load_state_dict(state)
