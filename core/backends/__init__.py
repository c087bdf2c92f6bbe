"""Decode backends: faster ways to the same logits, each checked against the network at load."""
