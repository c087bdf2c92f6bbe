"""Interpretability: logit lens, attention weights, embeddings, and a given text scored. Looking into one step."""
