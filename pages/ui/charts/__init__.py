"""Charts: Altair specifications, written once, and the rows they are fed."""
