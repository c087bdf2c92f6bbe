"""Costs: FLOPs, bytes, energy and money by formula, the measured peak of this machine, and the receipt of a run."""
