"""The losses on misspelt and hurtful tokens, by hand."""

from __future__ import annotations

import math

import pytest
import torch

from core.training.spelling import DETERRED_TO, deterred, misspelt


def test_the_loss_is_what_lies_on_wrong_tokens() -> None:
    logits = torch.tensor([[0.5, 0.25, 0.125, 0.125], [0.25, 0.25, 0.25, 0.25], [1.0, 1e-9, 1e-9, 1e-9]]).log()
    wrong = torch.tensor([[False, True, False, False], [False, False, False, False], [True, True, False, True]])
    asked = torch.tensor([True, True, False])
    assert misspelt(logits, wrong, asked).item() == pytest.approx(-math.log(0.75) / 2, rel=1e-5)


def test_hurtful_tokens_are_pushed_as_hard_where_they_are_rare_down_to_a_floor() -> None:
    hurtful = torch.tensor([[False, True, False], [False, True, False], [False, True, False], [False, False, False], [True, True, True]])
    odds = torch.tensor([[0.5, 0.5, 0.0], [1.0, 1e-5, 0.0], [1.0, 1e-9, 0.0], [0.3, 0.3, 0.4], [0.3, 0.3, 0.4]])
    logits = (odds + 1e-12).log().requires_grad_()
    asked = torch.tensor([True, True, True, True, False])
    loss = deterred(logits, hurtful, asked)
    assert loss.item() == pytest.approx((math.log(0.5) + math.log(1e-5) - 2 * DETERRED_TO) / 4, rel=1e-3)
    loss.backward()
    assert logits.grad is not None and torch.isfinite(logits.grad).all()
    assert logits.grad[1, 1].item() == pytest.approx(1 / 4, rel=1e-3), "a ten-thousandth is pushed like a tenth"
    assert not logits.grad[2:].any(), "below the floor, where nothing hurts and where nothing is asked there is no push"
