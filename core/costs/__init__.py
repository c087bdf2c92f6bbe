"""What it costs: formulas, published shapes and cards, this machine as measured, and the bill."""
