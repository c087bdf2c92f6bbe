"""Constrained answers: only tokens with which the text can still take a given form are allowed. llguidance computes them."""
