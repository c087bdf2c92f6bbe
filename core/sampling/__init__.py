"""Sampling: transformers' logits processors observed stage by stage, and the random numbers. From logits to one token."""
