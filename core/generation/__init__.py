"""Generation: the decode loop, its tree of branches, recordings and their replay. A run, kept and shown again."""
