"""Say the same in other words, so that no sentence of a story is learned by heart.

A small model that reads one sentence a hundred times recites it. Here every sentence is told in other words each time: words that may
stand for one another, who speaks before or after what is said, how it is said, short forms ("don't").
"""

from __future__ import annotations

import re
from random import Random

from core.experiments.questions.grammar import capital, raise_sentences

# Words that may stand for one another wherever a story has them. The first is what the plots write, where it is one of the words.
_SYNONYMS = [
    (re.compile(pattern), options.split("|"))
    for pattern, options in (
        (r"\bAt last,", "At last,|Finally,|In the end,|After a long time,|Much later,"),
        (r"\bThen (?=[A-Z]|they|he|she|the)", "Then |After that, |Soon |A little later, |And then |A moment later, |Now |Next, "),
        (r"\bSuddenly,? ", "Suddenly |All at once |Just then, |All of a sudden, "),
        (r"(?<!\ba )(?<!\bthe )\bvery (?=\w)", "very |so |really |quite |rather "),
        (r"\b(?:began|started) to\b", "began to|started to"),
        (r"\b[Ee]verybody\b", "everybody|everyone"),
        (r"\bfor a long time\b", "for a long time|for a while|for hours|until it was late|and did not know how long"),
        (r"\b(?:every|each) day\b", "every day|each day|every single day|day after day"),
        (r"\ball day\b", "all day|the whole day|from morning to evening"),
        (r"\bwent home\b", "went home|walked home|ran home|set out for home|started for home"),
        (r"\bsaw that\b", "saw that|noticed that|found that"),
        (r"\bwent to (?=the\b|[A-Z])", "went to |walked to |ran to |hurried to |went over to "),
        (r"\bran to (?=the\b|[A-Z])", "ran to |hurried to |rushed to |ran all the way to "),
        (r"\b(?:laughed|smiled) and\b", "laughed and|smiled and|nodded and|grinned and|winked and"),
        (r"\bbeautiful\b", "beautiful|lovely|pretty|wonderful"),
        (r"\bwas afraid\b(?! of)", "was afraid|was frightened|was scared|felt afraid|had a beating heart"),
        (r"\b(?:did not|could not) say (?:a word|anything)\b", "did not say a word|said nothing|was quiet|kept quiet"),
        (r"\bagain and again\b", "again and again|over and over|many times|once more and once more"),
        (r"\bin the evening\b", "in the evening|that evening|before it was dark|when the lamps were lit"),
        (r"\bIn the evening\b", "In the evening|That evening|Before it was dark|When the lamps were lit"),
        (r"\bthe next day\b", "the next day|the next morning|a day later|soon after"),
        (r"\bThe next day\b", "The next day|The next morning|A day later|Soon after"),
        (r"\b(?:took|carried) the (?=\w+ home)", "took the |carried the |brought the "),
        (r"\bthanked\b", "thanked|thanked|said thank you to|smiled at"),
        (r"\bsat down\b", "sat down|sat down on the ground|sat down in the grass|sat on a stone"),
        (r"\bbest friends\b", "best friends|close friends|the best of friends"),
        (r"\bgood friend\b", "good friend|dear friend|true friend|close friend"),
        (r"\bshook (his|her|its) head\b", r"shook \1 head|said no|would not hear of it|only shook \1 head"),
        (r"\bthe first time\b", "the first time|the very first time"),
    )
]
_QUIETLY = """softly|quietly|with a smile|at once|after a while|in a low voice|slowly|quickly|with a nod|in a friendly way|without looking up
with shining eyes|and meant it|after a moment|as if it were nothing|and took a step forward|and looked up|under the trees|kindly
and scratched one ear|with a wink|and came closer""".replace("\n", "|").split("|")
_LOUDLY = """loudly|at once|from far away|with both arms in the air|again and again|out of breath|over the noise|so that all could hear it
and ran on|happily|at the top of the voice|and turned around""".replace("\n", "|").split("|")
_SAID = {",": "said said said said whispered called".split(), "?": "asked asked said".split(), "!": "said cried called shouted".split()}
_VERBS = "said|asked|cried|called|shouted|whispered|answered|thought"
_WHO = r"(?:(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er) (?:\w+ ){0,2})?[\w]+"
_SPEECH = re.compile(rf'(?:(?<=^)|(?<=[.!?] )|(?<=[.!?]" ))"([^"]+)([,!?])" (?:({_VERBS}) ({_WHO})|({_WHO}) ({_VERBS}))\.(?= |$)')
_SPOKEN = re.compile(r'"[^"]*"')
_SHORT_FORMS = [
    (re.compile(pattern), short)
    for pattern, short in (
        (r"\b([Ii]|[Ww]e|[Yy]ou|[Tt]hey) will (?=\w)", r"\1'll "),
        (r"\bI am (?=\w)", "I'm "),
        (r"\b([Ii]t|[Tt]hat|[Hh]e|[Ss]he) is (?=\w)", r"\1's "),
        (r"\b([Dd]o|[Dd]id|[Dd]oes|[Ii]s|[Ww]as|[Cc]ould) not\b", r"\1n't"),
        (r"\b([Cc])annot\b", r"\1an't"),
        (r"\b([Ll])et us (?=\w)", r"\1et's "),
        (r"\b([Yy]ou|[Ww]e|[Tt]hey) are (?=\w)", r"\1're "),
    )
]


def vary(rng: Random, text: str) -> str:
    r"""Say the same in other words, here and there; in three stories of ten people speak in short forms ("don't").

    >>> vary(Random(29), 'At last, it began to rain. "Let us go," said Mia.')
    'In the end, it started to rain. Mia said, "Let\'s go."'
    """
    for pattern, options in _SYNONYMS:
        text = pattern.sub(lambda found, options=options: found[0] if rng.random() < 0.3 else found.expand(rng.choice(options)), text)  # type: ignore[misc]
    text = raise_sentences(_SPEECH.sub(lambda found: _speech(rng, found), text))
    if rng.random() < 0.3:
        for pattern, short in _SHORT_FORMS:
            text = _SPOKEN.sub(lambda found, pattern=pattern, short=short: pattern.sub(short, found[0]), text)  # type: ignore[misc]
    return text


def _speech(rng: Random, found: re.Match[str]) -> str:
    """Who speaks stands before or after what is said; now and then it is told how."""
    words, mark, verb, who = found[1], found[2], found[3] or found[6], found[4] or found[5]
    if verb in ("said", "asked") and rng.random() < 0.6:
        verb = rng.choice(_SAID[mark])
    how = f" {rng.choice(_LOUDLY if verb in ('cried', 'called', 'shouted') else _QUIETLY)}" if rng.random() < 0.1 else ""
    goes_on = found.string.startswith(' "', found.end())
    if rng.random() < 0.25 and not goes_on:
        how = "" if " and " in how or len(how.split()) > 3 else how
        return f'{capital(who)} {verb}{how}, "{words}{"." if mark == "," else mark}"'
    after = f"{verb} {who}" if who not in ("he", "she", "they", "it", "I") else f"{who} {verb}"
    return f'"{words}{mark}" {after}{how}.'
