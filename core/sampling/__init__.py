"""Sampling: transformers' logits processors observed stage by stage, and the dice. From logits to one token."""
