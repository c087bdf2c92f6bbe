"""Batching of many requests on one model: a scheduler, a pool of KV blocks, and shared forward passes."""
