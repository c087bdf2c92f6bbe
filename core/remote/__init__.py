"""Clients of inference servers (vLLM, llama-server), which present a model on a server like a local one."""
