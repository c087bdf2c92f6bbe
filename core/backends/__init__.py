"""Decode backends: faster computations of the same logits, each compared with the network at load."""
