"""Model registry, hub access, loading and validation: where models come from, whether they fit, how many stay in memory."""
