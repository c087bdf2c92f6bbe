"""A small simulated world and the tellers of what happens in it.

`state.py` knows what is true (who holds what, who is where, who feels how) and what an action needs and changes. `story.py` picks the
cast, does the actions and writes sentences about them. The files `plots_*.py` hold the plots, `registers.py` the other kinds of text
(diary, letter, recipe, joke, dialogue), `ask.py` questions about a story just told. `python -m core.training.world.measure` counts variety.
"""
