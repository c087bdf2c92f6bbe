"""KV caches: one per session, pooled under a byte budget, with eviction, quantized."""
