"""The longer words of the glossary, and of what keys and screen readers are told."""

TITLE = "Words of the field"
TERM = "glossary"
LEAD = "Two sentences each. On every page a dotted line marks such a word: hover it, tap it, or go there with the Tab key."
FIND = "Find a word"
NOTHING = "There is no such word here. Try a shorter one."
WORDS_HERE = "Words of this page, explained"
SEE = "See it happen: {page}"
