"""The frame of the stories: how they begin and end, and what may be asked of them. What happens in between is in storylines.py.

Slots: {n} {kind} {he} {his} {him} the hero; {f} {fkind} {fhe} {fhis} {fhim} the friend who helps; {col} {thing} a thing of one colour;
{place} {home} two places; {where} a hiding place; {food}; {grown} an older person, {ghe} {gher} the words for that person; {trait}; {good}
and {bad} feelings; {time} "one day". A thing that is named early comes back later with the same colour: that is what the stories teach.
"""

from __future__ import annotations

from core.training.lessons.grammar import beats

OPENINGS = beats("""
Once upon a time, there was a [little|little|little|small|young|{trait}] {kind} named {n}.
Once upon a time, there was a [little|little|small|{trait} little] {kind} called {n}.
Once upon a time, there was a little {kind}. [{His}|The {kind}'s] name was {n}.
Once upon a time, a [little|small|{trait}] {kind} named {n} lived [near|close to|not far from] {home}.
Once there was a {trait} {kind} [called|named|whose name was] {n}.
Once, in a [small|quiet|faraway|busy] [town|village|valley|land], there lived a {kind} named {n}.
There was once a {trait} {kind} [named|called] {n}.
A [little|small|young|{trait}] {kind} [named|called] {n} lived [near|beside|close to] {home}.
[Long ago|Many years ago|A long time ago], a {trait} {kind} named {n} lived near {home}.
{n} was a [little|small|young|{trait}|{trait} little] {kind}.
{n} was a {kind} who [lived near|loved|often played at|went every day to] {home}.
In a [little|small|yellow|red|white] house near {home} lived a {kind} named {n}.
[Far away|Not far from here|In a warm country|In a cold country|On a green hill], there lived a {trait} {kind} [named|called] {n}.
This is the story of {n}, a {trait} {kind}.
""")[0]

MIDDLES = beats("""
{He} was always {trait3}.
{He} loved [to play|to sing|to run|to laugh|to explore|to help|to dance|to listen to stories|to look at the stars|to make new friends].
{n} liked {food} more than anything else.
{n} had a good friend, a {fkind} named {f}.
{His} best friend was a {fkind} [named|called] {f}.
[Every morning|Every day|Every evening|On sunny days], {he} [went for a walk|sang a little song|looked out of the window|played near {home}].
Everybody [liked|knew] {n} because {he} was so {trait3}.
{n} lived with {his} {grown} [and {num} birds|and a {wrong}|near {place2}|in a {col2} house].
[On {day}s|In {season}|When it rained], {n} [ate {food}|drank {drink}|went to {place2}] with {his} {grown}.
-
-
-
""")[0]

TIMES = """one day|one morning|one evening|one afternoon|one sunny day|one rainy day|one cold morning|on Monday|on Saturday|one summer day|one windy
day|one snowy morning|on a warm day|last week|after breakfast|before lunch|early in the morning|late in the afternoon""".replace(
    "\n", " "
).split("|")

ENDINGS = beats("""
From that day on, {n} and {f} were [best friends|good friends|always together].
And they lived happily ever after.
{n} and {f} [laughed|smiled|hugged] and went home together.
That night, {n} slept very well.
{n} was [very|so] {good}.
"[Thank you|Thank you so much|You are a true friend], {f}," said {n}. {f} smiled.
{n} [learned|had learned] that [it is good to ask for help|friends help each other|small things can matter a lot|it is never too late to try again|sharing makes people happy|it is good to be kind].
It was the best day of [the week|the year|the summer|{his} life].
[In the evening|At home|At dinner], {n} told {his} {grown} the whole story. {Ghe} [laughed|smiled|listened] and [gave {him} a hug.|said, "Well done!"|made {him} some {food}.]
And to this day, {n} [smiles|laughs] when {he} thinks of it.
They ate {food} together, and everyone was {good}.
The sun went down, and {n} and {f} walked home.
And if you go to {place} on [a {day}|{day}], you may see {n} there.
{n} wrote it all down in a {col2} book.
"[See you on {day}|Good night|Until tomorrow], {f}," said {n}.
That was {num} years ago, and {n} still [remembers it|tells it to everybody|talks about it].
The end.
""")[0]

SKILLS = """swim|ride a bike|sing|dance|paint|bake bread|read|fly a kite|climb trees|whistle|play the drum|skate|jump over the fence|tie a knot
play chess|write letters|cook soup|juggle|row a boat|count to a hundred|tell jokes|draw a horse|stand on one leg|catch a ball""".replace(
    "\n", "|"
).split("|")

# What may be asked after a story, by plot: question, short answer, answer as a sentence.
QUESTIONS = {
    "lost": [
        ("What did {n} lose?", "A {col} {thing}.", "{n} lost a {col} {thing}."),
        ("Where was the {thing}?", "{Where}.", "The {thing} was {where}."),
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
    ],
    "learn": [
        ("What did {n} want to learn?", "To {skill}.", "{n} wanted to learn to {skill}."),
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
    ],
    "gift": [
        ("Whose birthday was it?", "It was {f}'s birthday.", "It was {f}'s birthday."),
        ("What did {n} give to {f}?", "A {col} {thing}.", "{n} gave {f} a {col} {thing}."),
    ],
    "animal": [
        ("What did {n} find?", "A {pet}.", "{n} found a {pet}."),
        ("What was the name of the {pet}?", "{p}.", "The {pet} was called {p}."),
    ],
    "share": [
        ("What did they share?", "{Food}.", "They shared the {food}."),
        ("Who was hungry?", "{f} the {fkind}.", "{f} the {fkind} was hungry."),
    ],
    "storm": [("Who was with {n}?", "{f} the {fkind}.", "{f} the {fkind} was with {n}.")],
    "door": [
        ("What did they find?", "A {col} {thing}.", "They found a {col} {thing}."),
        ("Who lived there?", "An old {old}.", "An old {old} lived there."),
    ],
    "contest": [
        ("Who [helped|was a help to] {n}?", "{f} the {fkind}.", "{f} the {fkind} [helped {n}|did]."),
        ("Who else was in the contest?", "A {rival}.", "A {rival} was in it too."),
    ],
    "sleep": [("Who could not sleep?", "{n}.", "{n} could not sleep.")],
    "build": [
        ("Who built it with {n}?", "{f} the {fkind}.", "{f} the {fkind} built it with {n}."),
        ("What colour was the {thing}?", "{Col}.", "The {thing} was {col}."),
    ],
    "grow": [("What colour were the flowers?", "{Col2}.", "The flowers were {col2}.")],
    "away": [
        ("Where did {n} go?", "To {place}.", "{n} went to {place}."),
        ("What colour was the {thing}?", "{Col}.", "The {thing} was {col}."),
    ],
}
ALWAYS_ASKED = [
    ("[What kind of animal was|What was] {f}?", "A {fkind}.", "{f} was a {fkind}."),
    ("Was {n} a {wrong}?", "No, {n} was a {kind}.", "No, {n} was a {kind}."),
    (
        "What was [the name of the {kind}|the {kind} called|the {kind}'s name]?",
        "{n}.",
        "[The name of the {kind} was|The {kind} was called|It was] {n}.",
    ),
    (
        "[Who|Whom] is [the|this] story about?",
        "{n} the {kind}.",
        "[It is about|It tells of|The story is about] a {kind} [named|called] {n}.",
    ),
]
