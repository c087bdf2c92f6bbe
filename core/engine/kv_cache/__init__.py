"""KV caches: one per session, pooled under a byte budget, paged with eviction, quantized."""
