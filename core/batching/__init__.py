"""Many requests, one model: a scheduler and a pool of KV blocks made to be watched, and forward passes that really are shared."""
