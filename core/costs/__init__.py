"""Cost accounting: FLOPs, bytes, energy and money by formula, this machine as measured; the bill."""
