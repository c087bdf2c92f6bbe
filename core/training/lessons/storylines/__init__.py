"""What happens in the stories: twenty plots, beat by beat, each beat in several ways. The slots are those of plots.py.

A beat is told in one of its ways (one line each); a line of a single dash means that it may be left out. "They" at the beginning of a
sentence always means the hero and the friend, "{He}" the hero and "{Fhe}" the friend: stories.py may put their names instead. No way has
many words in a row without a slot or a choice: what a small model reads a hundred times, it recites.
"""

from __future__ import annotations

from core.training.lessons.storylines import everyday, journeys, mishaps, ventures

PLOTS = everyday.PLOTS | ventures.PLOTS | mishaps.PLOTS | journeys.PLOTS
# The longer plots, in which more hangs together, are told twice as often.
PRACTISED = [*PLOTS, *mishaps.PLOTS, *journeys.PLOTS]
# What may be asked after a story of a plot: question, short answer, answer as a sentence.
QUESTIONS = everyday.QUESTIONS | ventures.QUESTIONS | mishaps.QUESTIONS | journeys.QUESTIONS
