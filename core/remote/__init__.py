"""Inference-server clients (vLLM, llama-server): a model elsewhere, watched as if it were here, and which numbers are exact."""
