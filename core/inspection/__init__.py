"""Interpretability of one step: logit lens, attention weights, embeddings, and scores of a given text."""
