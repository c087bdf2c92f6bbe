"""The record of one step: token distribution, sampling stages, chosen token, forward pass. All charts read it."""
