"""Questions with known answers: facts and sums, asked by experiments and taught by the recipe of the bundled models."""
