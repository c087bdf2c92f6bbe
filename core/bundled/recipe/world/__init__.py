"""A small simulated world and the tellers of what happens in it.

`state.py` knows what is true (who holds what, who went where) and what an action needs and changes. `story.py` picks the cast, does the
actions and writes sentences about them. The TOML files hold the texts: `plots_*`, `openings` and `beats` are scripts (`scripts.py` says how
they are read), `people`, `settings` and `wording` are lists. `registers.py` has the other kinds of text (diary, letter), `ask.py` questions
about a story just told.
"""
