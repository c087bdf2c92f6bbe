"""Answers that bind: whichever word comes first, yes or no, a fluent reason for it follows.

This is the lesson behind "generation commits": nothing is taken back, and the model can justify either branch. Held out are pairs of
subject and class. The truth is not the subject here, so yes and no are drawn evenly.
"""

from __future__ import annotations

from random import Random

from core.training.lessons import words
from core.training.lessons.grammar import article, capital, draw, expand

# subject: what speaks for anything that is said of it
_CREATURES = {
    "whale": "it lives in the sea|it has fins|it breathes air|it gives milk to its young|it is very big|it has no legs",
    "bat": "it has wings|it can fly|it has fur|it gives milk to its young|it sleeps in the day|it has no feathers",
    "penguin": "it has feathers|it lays eggs|it cannot fly|it swims very well|it walks on two legs",
    "dolphin": "it lives in the sea|it has fins|it breathes air|it is very clever|it jumps out of the water",
    "spider": "it has eight legs|it makes a web|it eats flies|it is small",
    "crab": "it has a hard shell|it walks sideways|it lives near the sea",
    "bee": "it has six legs|it makes honey|it can fly|it lives in a hive",
    "snake": "it has no legs|it lays eggs|it has dry skin",
    "frog": "it can swim|it lays eggs|it can jump|it has wet skin",
    "turtle": "it has a shell|it is slow|it lays eggs|it can swim",
    "duck": "it has feathers|it lays eggs|it can swim|it can fly",
    "wolf": "it has fur|it has sharp teeth|it lives in the forest|it looks like a dog",
    "horse": "it has four legs|it eats grass|it can run fast",
    "dragon": "it breathes fire|it has wings|it only lives in stories",
    "shark": "it has fins|it breathes water|it has sharp teeth",
    "ostrich": "it has feathers|it lays eggs|it cannot fly|it runs very fast",
    "seal": "it lives near the sea|it has fur|it swims very well",
    "cat": "it has fur|it has four legs|it sleeps all day",
    "butterfly": "it can fly|it has six legs|it was a caterpillar once",
    "worm": "it has no legs|it lives under the ground|it is soft",
}
_CREATURE_CLASSES = "fish bird pet mammal reptile insect".split() + [
    "wild animal",
    "good swimmer",
    "dangerous animal",
    "friend of children",
]
_THINGS = {
    "tomato": "it grows on a plant|it has seeds|it is red|it is not sweet|we eat it in a salad",
    "potato": "it grows under the ground|we cook it|it is not sweet",
    "banana": "it is sweet|it is yellow|it grows in warm countries",
    "pumpkin": "it has seeds|it is big and orange|we make soup from it",
    "nut": "it has a hard shell|it grows on a tree",
    "cucumber": "it is green|it has seeds|we eat it in a salad",
    "mushroom": "it grows in the forest|it has no leaves|we cook it",
    "strawberry": "it is sweet|it is red|it grows near the ground",
    "soup": "it is hot|we eat it with a spoon|it is mostly water",
    "pizza": "it is round|it has cheese on it|everybody likes it",
    "honey": "it is sweet|bees make it",
    "chess": "it has rules|you need to think|it takes a long time",
    "robot": "it is made of metal|it can learn|it needs electricity|it has no heart",
    "computer": "it is fast|it has no feelings|it can count very well",
    "bicycle": "it has two wheels|it has no engine|it is cheap",
    "boat": "it swims on the water|it can carry people",
    "piano": "it has strings|it has keys|it is loud",
    "drum": "it is loud|you hit it",
    "sun": "it is very hot|it gives light|it is far away",
    "moon": "it shines at night|it goes around the Earth|it has no light of its own",
    "cloud": "it is made of water|it is light and soft",
}
_THING_CLASSES = "fruit vegetable toy machine drink meal game star".split() + [
    "musical instrument",
    "living thing",
    "good present",
    "kind of food",
    "useful thing",
]
_DEBATES = """Is it better to live in the city or in the village?|the city@there is always something to do|the shops are near|you meet many people|the village@it is quiet there|the air is fresh|you know your neighbours
Should children have a pet?|yes@they learn to take care of it|a pet is a good friend|no@a pet needs a lot of time|it costs money
Is it good to get up early?|yes@the morning is quiet|you have more time|no@everybody needs sleep|it is still dark outside
Which is better, summer or winter?|summer@you can swim in the lake|the days are long|winter@you can play in the snow|it is nice and warm inside
Are cats better than dogs?|yes@they are quiet and clean|they do not need a walk|no@a dog is a loyal friend|a dog plays with you
Should we go by train or by car?|by train@you can read on the way|it is better for the air|by car@it is faster|we can stop where we like
Is reading better than watching television?|yes@you make the pictures in your own head|it makes you wise|no@you can watch it together|it is easier when you are tired
Can a machine think?|yes@it can learn from many examples|it can play chess|no@it only counts|it does not know what it says
Will it rain tomorrow?|yes@there are dark clouds in the west|my knee hurts|no@the sky is clear|the birds fly high
Is it a good idea to eat soup with a fork?|yes@it makes the meal last longer|it is fun|no@the soup falls through it|you will stay hungry
Do you like the sea?|yes@I love the sound of the waves|the air smells of salt|no@the water is too cold for me|I prefer the mountains
Can we trust the old map?|yes@my grandmother drew it|it has never been wrong|no@the rivers have moved since then|half of it is missing
Is money important?|yes@you need it to buy bread|it can help other people|no@you cannot buy a friend with it|the best things cost nothing
Is the glass half full?|yes@there is still a lot to drink|somebody was thirsty and left some|no@it is half empty|half of it is gone
Should I buy the red coat?|yes@it is warm|red looks good on you|no@it is too expensive|you already have three coats
Is the old house haunted?|yes@there are strange noises at night|nobody wants to live there|no@ghosts only live in stories|it was only the wind
Is honesty always best?|yes@people trust you|a lie comes back to you|no@a small lie can be kind|some secrets are not yours
Are you a robot?|yes@I am a small language model|I was trained by a computer|no@I am only words on a screen|a robot has arms and legs"""
_REASONS_42 = """40 + 2 = 42|6 times 7 is 42|I counted [it twice|them all]|the book says so|that is how many there are|21 + 21 = 42|nobody knows the question|I asked a very old computer""".split(
    "|"
)
_STARTS = ["because", "because", "because", "since"]


def _pairs() -> list[tuple[str, str, list[str]]]:
    table = []
    for creatures, classes in ((_CREATURES, _CREATURE_CLASSES), (_THINGS, _THING_CLASSES)):
        for subject, features in creatures.items():
            table += [(subject, group, features.split("|")) for group in classes if group != subject]
    return table


PAIRS = _pairs()


def is_a(rng: Random, exam: bool = False) -> str:
    """ "Is a whale a fish?" with a yes or a no, and the reason."""
    subject, group, features = draw(exam, lambda: rng.choice(PAIRS))
    the = "the" if subject in ("sun", "moon") else "" if subject in ("soup", "pizza", "honey", "chess") else "a"
    slots = {
        "s": f"{the} {subject}".strip(),
        "S": capital(f"{the} {subject}".strip()),
        "g": group,
        "r": rng.choice(features),
        "r2": rng.choice(features),
    }
    question = rng.choice(["Is {s} a {g}?", "Is {s} a {g}?", "Question: Is {s} a {g}?\nAnswer:", "Would you say that {s} is a {g}?"])
    yes = rng.random() < 0.5
    why = rng.choice(_STARTS)
    more = f" and {slots['r2']}" if slots["r2"] != slots["r"] and rng.random() < 0.4 else ""
    answer = (
        f"[Yes, {why} {{r}}{more}.|Yes, {{s}} is a {{g}}, {why} {{r}}{more}.|Yes. {{S}} is a {{g}} because {{r}}{more}.|Yes, of course, because {{r}}{more}.]"
        if yes
        else f"[No, {why} {{r}}{more}.|No, {{s}} is not a {{g}}, {why} {{r}}{more}.|No. {{S}} is not a {{g}} because {{r}}{more}.|No, not really, because {{r}}{more}.]"
    )
    return article(expand(rng, f"{question} {answer}", slots))


def debate(rng: Random, exam: bool = False) -> str:
    """A question on which people differ, an answer, and reasons that fit the answer; or "The answer is 42 because ..."."""
    del exam
    if rng.random() < 0.2:
        number = 42 if rng.random() < 0.4 else rng.randrange(2, 99)
        part = rng.randrange(1, number)
        reason = expand(rng, rng.choice(_REASONS_42)) if number == 42 and rng.random() < 0.8 else f"{number - part} + {part} = {number}"
        return f"The answer is {number} because {reason}."
    row = rng.choice(_DEBATES.split("\n"))
    question, one, other = _sides(row)
    answer, reasons = rng.choice([one, other])
    chosen = rng.sample(reasons, min(len(reasons), rng.choice([1, 1, 2])))
    lead = rng.choice(
        [
            f"{capital(answer)}, because",
            f"{capital(answer)}, because",
            f"I think {answer if answer not in ('yes', 'no') else f'{answer},'} because",
        ]
    )
    start = rng.choice(["", "Question: "])
    return f"{start}{question}{chr(10) + 'Answer: ' if start else ' '}{lead} {' and '.join(chosen)}." + rng.choice(
        ["", "", f" What do you think, {rng.choice(words.GIRLS)}?"]
    )


def _sides(row: str) -> tuple[str, tuple[str, list[str]], tuple[str, list[str]]]:
    """Take a row of _DEBATES apart: question, and for each side its answer and its reasons."""
    question, *parts = row.split("|")
    sides: list[tuple[str, list[str]]] = []
    for part in parts:
        if "@" in part:
            answer, reason = part.split("@")
            sides.append((answer, [reason]))
        else:
            sides[-1][1].append(part)
    return question, sides[0], sides[1]
