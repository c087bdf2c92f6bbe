"""Generation: the decode loop, its tree of branches, recordings of runs and their replay."""
