"""GGUF files: read here as bfloat16 if every number of the file is understood, otherwise run by a llama-server that the app starts."""
