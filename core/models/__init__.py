"""Models: registry, access to the hub, loading, validation and memory estimates."""
