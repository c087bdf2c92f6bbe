"""Inference engine: token ids and a KV cache in, logits out; the model, its shape and its backends."""
