"""Samplers that transformers does not have, and those of its own that depend on the text. Each file holds one of them."""
