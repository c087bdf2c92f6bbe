"""Facts that a child knows, each told in several phrasings: capitals, animals, colours, opposites, days, the body, the sky.

A fact is (kind, key, values); a phrasing is a template. Held out are pairs of key and phrasing: every fact is taught, but some of its
phrasings only appear in the examination. The plainest phrasing of each kind (number 0) is always taught. Held out too are whole kinds of
wording (`NEVER_TAUGHT`): no fact at all is taught in them.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from core.experiments.questions import words
from core.experiments.questions.atlas import CAPITALS, CONTINENTS
from core.experiments.questions.grammar import article, capital, held_out
from core.experiments.questions.wordings import PHRASINGS

# Taught, but never marked: after "Open and" a hundred words are right.
_AMBIGUOUS = {("opposite", 3)}
# In these "A" is a letter and never an article.
_LETTERS = ("after", "before")

_SOUNDS = "cow:moo dog:woof cat:meow duck:quack sheep:baa pig:oink horse:neigh rooster:cock-a-doodle-doo bee:buzz snake:hiss owl:hoot mouse:squeak lion:roar frog:ribbit crow:caw bird:tweet"
_YOUNG = "dog:puppy cat:kitten cow:calf horse:foal sheep:lamb pig:piglet duck:duckling hen:chick goat:kid bear:cub lion:cub fox:cub wolf:cub deer:fawn kangaroo:joey elephant:calf whale:calf goose:gosling frog:tadpole swan:cygnet rabbit:bunny owl:owlet"
_HOMES = "bird:a nest|bee:a hive|dog:a kennel|horse:a stable|spider:a web|fish:the water|whale:the sea|rabbit:a burrow|bear:a cave|camel:the desert|monkey:the jungle|penguin:the cold south|squirrel:a tree|frog:a pond|cow:a barn|shark:the sea|polar bear:the ice and snow|mouse:a small hole|king:a castle|crocodile:the river"
_LEGS = "dog:four cat:four horse:four bird:two spider:eight bee:six ant:six cow:four person:two fly:six octopus:eight chicken:two beetle:six duck:two snake:no fish:no worm:no elephant:four"
_COLOUR = "the sky:blue|grass:green|snow:white|the sun:yellow|blood:red|milk:white|coal:black|chocolate:brown|an orange:orange|a lemon:yellow|a banana:yellow|a strawberry:red|a cucumber:green|a carrot:orange|the night:black|a frog:green|a polar bear:white|a crow:black|an elephant:grey|a flamingo:pink|a fire engine:red|a ripe tomato:red|a pea:green|a plum:purple|ink:blue|salt:white|sugar:white|gold:yellow|a pig:pink|a cherry:red|a leaf in spring:green|the sea:blue|wood:brown|a bear:brown|a mouse:grey|a pumpkin:orange|a rain cloud:grey|a swan:white"
_COLOURS = "bananas:yellow|tomatoes:red|leaves:green|clouds:white|carrots:orange|strawberries:red|lemons:yellow|cherries:red|peas:green|elephants:grey|roses:red|violets:blue|flamingos:pink|crows:black|cucumbers:green|pumpkins:orange"
_OPPOSITES = "big:small|hot:cold|up:down|day:night|good:bad|happy:sad|fast:slow|old:young|open:closed|light:dark|full:empty|high:low|left:right|loud:quiet|long:short|new:old|rich:poor|strong:weak|wet:dry|hard:soft|early:late|near:far|yes:no|black:white|first:last|clean:dirty|thick:thin|easy:difficult|inside:outside|before:after|begin:end|win:lose|buy:sell|push:pull|give:take|true:false|wide:narrow|heavy:light|brave:afraid|sweet:sour|always:never|north:south|east:west|summer:winter|tall:short|deep:shallow|awake:asleep|alive:dead|question:answer|right:wrong|over:under|smooth:rough"
_IS = """the sun|rises in the east;the sun|sets in the west;ice|is frozen water;snow|is frozen water that falls from the sky;rain|falls from the clouds;the moon|shines at night;the sun|shines during the day;the Earth|goes around the sun;the moon|goes around the Earth;water|boils at one hundred degrees;water|freezes at zero degrees;a week|has seven days;a year|has twelve months;a day|has twenty-four hours;an hour|has sixty minutes;a minute|has sixty seconds;a year|has four seasons;a hand|has five fingers;a foot|has five toes;a person|has two eyes;a person|has one nose;a triangle|has three sides;a square|has four sides;a circle|is round;bees|make honey;cows|give milk;hens|lay eggs;birds|have feathers;birds|have wings;fish|live in water;fish|breathe with gills;bread|is made from flour;cheese|is made from milk;butter|is made from milk;honey|is made by bees;paper|is made from wood;wool|comes from sheep;wood|comes from trees;apples|grow on trees;potatoes|grow under the ground;grapes|grow on vines;a book|is made of paper;a window|is made of glass;glass|is made from sand;fire|is hot;ice|is cold;sugar|is sweet;lemons|are sour;salt|is salty;honey|is sweet;a car|has four wheels;a bicycle|has two wheels;we|see with our eyes;we|hear with our ears;we|smell with our nose;we|taste with our tongue;we|walk with our feet;we|think with our brain;we|write with a pen;we|cut with a knife;we|sleep in a bed;the heart|pumps blood through the body;the opposite of war|is peace;a doctor|helps people who are ill;a baker|bakes bread;a teacher|works in a school;a farmer|works on a farm;a pilot|flies a plane;a fisherman|catches fish;a cook|works in a kitchen;a firefighter|puts out fires;plants|need water and light;a rainbow|has seven colours;winter|is cold;summer|is warm;a camel|has a hump;an elephant|has a trunk;a giraffe|has a long neck;a zebra|has black and white stripes;a spider|has eight legs;the biggest animal in the world|is the blue whale;the fastest animal on land|is the cheetah;the tallest animal|is the giraffe;the highest mountain in the world|is Mount Everest;the largest ocean|is the Pacific Ocean;the planet we live on|is called Earth;the first month of the year|is January;the last month of the year|is December;the first day of the week|is Monday;two and two|make four;the alphabet|begins with the letter A;the alphabet|has twenty-six letters;a dozen|is twelve;half of ten|is five;our planet|is called Earth"""
_QUESTIONS = """What is ice?|Ice is frozen water;Where does the sun rise?|The sun rises in the east;Where does the sun set?|The sun sets in the west;How many days are in a week?|There are seven days in a week;How many months are in a year?|There are twelve months in a year;What do bees make?|Bees make honey;What do cows eat?|Cows eat grass;What do we need to breathe?|We need air to breathe;Why is the sky blue?|Because the air scatters the blue light of the sun;What is rain?|Rain is water that falls from the clouds;How many fingers are on one hand?|There are five fingers on one hand;What do you call frozen water?|We call it ice;Where do fish live?|Fish live in the water;What is the sun?|The sun is a star;What is the moon?|The moon is a ball of rock that goes around the Earth;What is a volcano?|A volcano is a mountain that can spit fire;Why do we sleep?|Because our body and our brain need rest;What is a language model?|A language model is a program that guesses the next word again and again;What is a token?|A token is a small piece of text;Why do leaves fall in autumn?|Because the trees rest in winter;What is the largest planet?|The largest planet is Jupiter;What is the biggest animal?|The biggest animal is the blue whale;How many legs does a spider have?|A spider has eight legs;What do plants need?|Plants need water, light and air;What is a desert?|A desert is a very dry place;Who makes bread?|The baker makes bread;What comes after night?|After night comes day;What is bread made of?|Bread is made of flour and water;How many seasons are there?|There are four seasons: spring, summer, autumn and winter;What are the days of the week?|Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday;What is snow?|Snow is frozen water that falls from the sky;How many hours are in a day?|There are twenty-four hours in a day;Who flies a plane?|A pilot flies a plane;What do we see with?|We see with our eyes;What do we hear with?|We hear with our ears;What is wood made from?|Wood comes from trees;What colours are in a rainbow?|Red, orange, yellow, green, blue, indigo and violet"""


def _pairs(text: str, separator: str | None = None) -> list[tuple[str, str]]:
    return [(key, value) for key, value in (row.rsplit(":", 1) for row in text.split(separator))]


def _both_ways(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Opposites of opposites too, the first one where there are two ("short")."""
    known = {key for key, _ in pairs}
    back: dict[str, str] = {}
    for key, value in pairs:
        if value not in known:
            back.setdefault(value, key)
    return pairs + list(back.items())


def _build() -> dict[str, list[tuple[str, str]]]:
    order = [words.DAYS, words.MONTHS, words.NUMBERS, words.SEASONS, list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
    after = [pair for row in order for pair in pairwise(row)] + [("Sunday", "Monday"), ("December", "January"), ("winter", "spring")]
    return {
        "capital": list(CAPITALS.items()),
        "country": [(city, country) for country, city in CAPITALS.items()],
        "continent": list(CONTINENTS.items()),
        "sound": _pairs(_SOUNDS),
        "young": _pairs(_YOUNG),
        "home": _pairs(_HOMES, "|"),
        "legs": _pairs(_LEGS),
        "colour": _pairs(_COLOUR, "|"),
        "colours": _pairs(_COLOURS, "|"),
        "opposite": _both_ways(_pairs(_OPPOSITES, "|")),
        "after": after,
        "before": [(b, a) for a, b in after],
        "next": [pair for pair in after if pair[0] in NOUNS],
        "last": [(b, a) for a, b in after if b in NOUNS],
        "is": [(k, v) for k, v in (row.split("|") for row in _IS.split(";"))],
        "qa": [(k, v) for k, v in (row.split("|") for row in _QUESTIONS.split(";"))],
    }


# What a day, a month and a season are called together.
NOUNS = {name: noun for noun, names in (("day", words.DAYS), ("month", words.MONTHS), ("season", words.SEASONS)) for name in names}
FACTS = _build()
# How often a kind of fact is drawn: the many capitals need more turns than the few seasons.
_WEIGHTS = {
    "capital": 8, "country": 4, "continent": 3, "sound": 4, "young": 2, "home": 2, "legs": 3, "colour": 4, "colours": 2, "opposite": 15, "after": 19,
    "before": 17, "next": 7, "last": 7, "is": 3, "qa": 2.5,
}  # fmt: skip


def statement(kind: str, key: str, value: str, phrasing: int) -> str:
    """One fact in one of its phrasings.

    >>> statement("capital", "France", "Paris", 0)
    'The capital of France is Paris.'
    """
    return _said(kind, PHRASINGS[kind][phrasing], key, value)


def _said(kind: str, wording: str, key: str, value: str) -> str:
    text = wording.format(k=key, K=capital(key), v=value, V=capital(value), w=NOUNS.get(key, "thing"))
    return text if kind in _LETTERS else article(text)


def taught(kind: str, key: str, phrasing: int) -> bool:
    """True when this fact in this phrasing belongs to the training text. One answer has one key, so "Sunday" may stand twice."""
    return phrasing == 0 or not held_out(kind, key, phrasing)


def examination(plain: bool = False) -> list[tuple[str, str, str]]:
    """All held-out (kind, text before the answer, answer), in a fixed order; with `plain`, every fact in its plainest phrasing instead."""
    items = []
    for kind, pairs in FACTS.items():
        # "no legs" and facts with several right ends ("the sun rises", "the sun sets") cannot be marked by rank 1.
        keys = [key for key, _ in pairs]
        for key, value in pairs:
            if kind in ("is", "qa") or keys.count(key) > 1:
                continue
            told = [statement(kind, key, value, phrasing) for phrasing in range(len(PHRASINGS[kind]))]
            for phrasing, text in enumerate(told):
                wanted = phrasing == 0 if plain else not taught(kind, key, phrasing)
                if not wanted or (kind, phrasing) in _AMBIGUOUS:
                    continue
                answer = next(one for one in (value, capital(value)) if text.rfind(one) > 0)
                before = text[: text.rfind(answer)].rstrip()
                # "What comes after May? June." and "What comes after May? After May comes June." begin alike: both are right.
                if not any(other.startswith(before) and not other.startswith(f"{before} {answer}") for other in told):
                    items.append((kind, before, answer))
    return items


def facts(rng: Random, exam: bool = False) -> str:
    """A handful of facts, one after another, about one subject or about many."""
    kinds = list(_WEIGHTS)
    kind = rng.choices(kinds, list(_WEIGHTS.values()))[0]
    one_subject, one_phrasing = rng.random() < 0.5, rng.random() < 0.3
    lines: list[str] = []
    phrasing = None
    wanted = rng.choice([1, 1, 2, 3, 4, 6])
    while len(lines) < wanted:
        if not one_subject:
            kind = rng.choices(kinds, list(_WEIGHTS.values()))[0]
        key, value = rng.choice(FACTS[kind])
        if phrasing is None or not one_phrasing or phrasing >= len(PHRASINGS[kind]):
            phrasing = 0 if rng.random() < 0.25 else rng.randrange(len(PHRASINGS[kind]))
        if taught(kind, key, phrasing) != exam:
            lines.append(statement(kind, key, value, phrasing))
        elif one_phrasing:
            phrasing = None
    multiline = any("\n" in line for line in lines) or rng.random() < 0.4
    return ("\n" if multiline else " ").join(lines)


_ROWS = [
    words.DAYS,
    words.MONTHS,
    words.SEASONS,
    words.NUMBERS[1:11],
    list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ["red", "orange", "yellow", "green", "blue", "indigo", "violet"],
    ["north", "east", "south", "west"],
]
_ROW_NAMES = [
    "The days of the week are",
    "The months of the year are",
    "The seasons are",
    "I can count to ten:",
    "The alphabet:",
    "The colours of the rainbow are",
    "The four directions are",
]


def rows(rng: Random, exam: bool = False) -> str:
    """Things that have an order: the days, the months, counting by ones, twos, fives or tens, up or down."""
    if rng.random() < 0.4:
        number = rng.randrange(len(_ROWS))
        row = _ROWS[number]
        start = rng.randrange(len(row) - 2) if rng.random() < 0.4 else 0
        said = row[start:]
        return (f"{_ROW_NAMES[number]} " if start == 0 and rng.random() < 0.7 else "") + ", ".join(said) + "."
    if rng.random() < 0.25:
        return _down(rng)
    step = rng.choice([1, 1, 1, 1, 2, 2, 5, 10, 3, 100])
    start = rng.randrange(0, 90) if step < 5 else step * rng.randrange(0, 6)
    if rng.random() < 0.4:
        start = step if step > 1 else 1
    numbers = [str(start + step * i) for i in range(rng.randint(6, 14))]
    if rng.random() < 0.2:
        numbers.reverse()
    opening = rng.choice(["", "", "Counting: ", "Let us count. ", f"Count by {step}s: " if step > 1 else "Count: "])
    return opening + ", ".join(numbers) + "."


def _down(rng: Random) -> str:
    """Count down, in words or digits, or go backwards through the days or the months."""
    row = rng.choice([words.DAYS, words.MONTHS, words.NUMBERS, words.NUMBERS, words.NUMBERS, [str(number) for number in range(21)]])
    start = rng.randint(3, len(row) - 1)
    said = row[start : None if rng.random() < 0.3 else 0 : -1][: rng.randint(3, 21)]
    opening = rng.choice(["", "", "", "Counting down: ", "Backwards: ", "Now backwards: "])
    return (
        (opening or "")
        + (", ".join(said) if opening else capital(", ".join(said)))
        + rng.choice([".", ".", ", go!" if said[-1] in ("one", "1") else "."])
    )
