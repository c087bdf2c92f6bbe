"""Keys and values: whose they are, what they weigh, and what happens when some are torn out or written small."""
