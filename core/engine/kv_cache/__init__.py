"""KV caches: per session, pooled under a byte budget, paged with eviction, quantized. The notepad."""
