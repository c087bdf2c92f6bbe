"""Answers that bind: whichever word comes first, yes or no, a fluent reason for it follows.

This is the lesson behind "generation commits": nothing is taken back, and the model can justify either branch. Held out are combinations of
question, wording and answer. The truth is not the subject here, so yes and no are drawn evenly.
"""

from __future__ import annotations

from random import Random

from core.experiments.questions import words
from core.experiments.questions.grammar import capital, draw

# subject|class|reasons for yes|reasons for no
_ROWS = """a whale|a fish|it lives in the sea;it has fins;it swims all day|it breathes air;it gives milk to its young;it has warm blood
a dolphin|a fish|it lives in the sea;it has fins|it breathes air;it gives milk to its young
a seal|a fish|it lives in the sea;it swims very well|it has fur;it breathes air;it likes to lie on the beach
a shark|a fish|it has fins;it breathes under water|it is far too dangerous;it has too many teeth
a crab|a fish|it lives in the sea;it can live under water|it has legs;it has no fins;it walks on the sand
an octopus|a fish|it lives in the sea;it can swim|it has eight arms;it has no fins;it has no bones
a seahorse|a fish|it lives in the sea;it has small fins|it looks like a horse;it swims standing up
a bat|a bird|it has wings;it can fly;it lives in the trees|it has fur;it has no feathers;it gives milk to its young
a penguin|a bird|it has feathers;it lays eggs;it has wings|it cannot fly;it swims like a fish
an ostrich|a bird|it has feathers;it lays eggs|it cannot fly;it is as tall as a horse
a butterfly|a bird|it has wings;it can fly|it has six legs;it has no feathers;it is an insect
a bee|a bird|it has wings;it flies from flower to flower|it has six legs;it has no feathers
an owl|a bird|it has feathers;it can fly;it lays eggs|it has eyes like a cat;it sleeps all day
a chicken|a bird|it has wings;it lays eggs;it has feathers|it can hardly fly;it lives on a farm
a dragon|a bird|it has wings;it can fly|it breathes fire;it has no feathers;it only lives in stories
a spider|an insect|it is small;it has many legs;it eats flies|it has eight legs;it has no wings
a bee|an insect|it has six legs;it has wings|it works all day;it makes honey for us
a worm|an insect|it is small;it lives in the garden|it has no legs;it has no wings;it lives under the ground
a snail|an insect|it is small;it sits on leaves|it has no legs;it carries a house on its back
a snake|a worm|it has no legs;it is long and thin|it has bones;it has teeth;it has eyes
a frog|a fish|it can swim;it was a tadpole once|it has four legs;it can jump on the land
a turtle|a fish|it can swim;it lives in the water|it has legs;it lays its eggs on the land;it has a shell
a duck|a good swimmer|it has wide feet;it lives on the pond|it would rather fly;it never wins a race
a cat|a good swimmer|it can do anything;some cats catch fish|it is afraid of water;it runs away when it rains
a cat|a good pet|it is soft and quiet;it catches mice|it only does what it wants;it scratches the chairs
a dog|a good pet|it is loyal;it likes to play;it guards the house|it needs a long walk every day;it is loud
a tiger|a good pet|it is beautiful;it is only a big cat|it is dangerous;it eats too much;it has sharp teeth
a fox|a good pet|it is clever;it looks like a dog|it is a wild animal;it steals the chickens
a wolf|a dog|it looks like a dog;it has the same ears|it lives in the forest;nobody can teach it to sit
a horse|a pet|children love it;you can ride on it|it does not fit into the house;it eats too much grass
a lion|a cat|it has whiskers;it sleeps all day;it has soft paws|it is too big;it roars
a zebra|a horse|it looks like one;it has four hooves|it has stripes;nobody can ride it
a tomato|a fruit|it has seeds;it grows from a flower;it is red and juicy|it is not sweet;we eat it in a salad;we cook it with onions
a cucumber|a fruit|it has seeds;it grows from a flower|it is not sweet;we eat it in a salad
a pumpkin|a fruit|it has seeds;it grows from a flower|we make soup from it;it is not sweet
a potato|a vegetable|we cook it;it grows in the field|it is more like bread;it grows under the ground
a mushroom|a plant|it grows in the forest;it does not move|it has no leaves;it does not need light
a mushroom|a vegetable|we cook it;we eat it with onions|it is not a plant;it grows in the dark
a strawberry|a fruit|it is sweet;it is red and juicy|its seeds are on the outside;it grows near the ground
a banana|a fruit|it is sweet;you can eat it fresh|it is yellow and bent;it is too dry
a nut|a fruit|it grows on a tree;it has a seed in it|it is hard and dry;it is not sweet
a carrot|a fruit|it is sweet;rabbits love it|it grows under the ground;we cook it
soup|a drink|it is liquid;you can drink it from a cup;it is mostly water|we eat it with a spoon;it is hot and salty;it has noodles in it
milk|a drink|it is liquid;you drink it from a glass|it is food for a baby;you can make cheese from it
ice cream|a meal|it makes you full;it is good for the heart|it melts;it is only sugar and milk
pizza|a kind of bread|it is made from flour;it comes from the oven|it has cheese on it;it is round and flat
cake|a good breakfast|it is sweet;it makes everybody happy|it has too much sugar;we want some for later
chess|a sport|you can win or lose;you need to train;there are contests|you sit on a chair;you do not run;nobody gets tired legs
dancing|a sport|you move your whole body;you get tired|it is an art;there is no ball
football|a game|there are rules;two teams play it|some people earn money with it;it is too serious
a robot|alive|it moves;it can talk;it can learn|it is made of metal;it has no heart;it needs electricity
a robot|a good friend|it never gets angry;it always listens|it does not know what love is;it has no heart
a computer|clever|it can count very fast;it never forgets|it only does what it is told;it has no ideas of its own
a tree|alive|it grows;it drinks water;it breathes|it does not move;it has no eyes
fire|alive|it moves;it eats wood;it grows|it is only hot air and light;it has no body
the sun|a star|it shines with its own light;it is very hot|it is so big and so near;we only see it in the day
the moon|a star|it shines at night;it is in the sky|it has no light of its own;it is made of rock
the moon|a planet|it is round;it is big|it goes around the Earth;it is too small
a cloud|heavy|it holds a lot of water;it can bring a flood|it floats in the air;it is made of tiny drops
a bicycle|a machine|it has wheels and a chain;people built it|it has no engine;you must push it yourself
a boat|a good home|you can travel every day;it is never boring|it is wet and small;it moves in the night
a cave|a good home|it is warm in winter;it is quiet|it is dark;there are bats in it
a book|a good present|it lasts for a long time;it takes you to other worlds|some people do not like to read;I already have it
a stone|a good present|it never breaks;you can keep it for ever|you can find it everywhere;it is heavy and cold
a drum|a good present|it makes music;children love it|it is loud;the neighbours will hear it
a piano|a musical instrument|it has keys;you can play songs on it|it is a piece of furniture;nobody in our house can play it
a spoon|a musical instrument|you can play a beat with it;it rings on a glass|we eat with it;it has no strings
a hat|a useful thing|it keeps the head warm;it gives shade in summer|it falls off in the wind;I always lose it
Monday|a good day|a new week begins;I meet my friends at school|the weekend is over;I have to get up early
winter|a good time|we can play in the snow;it is warm inside|it is cold and dark;the days are short
the sea|a good place|you can swim there;the air is fresh|the water is cold;there is sand everywhere
rain|good weather|the plants need it;it smells good|we get wet;we cannot play outside
a king|happy|he has a castle;everybody brings him food|he has too much to think about;he has no friends
a giant|strong|he can carry a house;his arms are like trees|he has never done any work;he is afraid of mice
magic|real|I have seen it;nobody can explain it|it is only a trick;nobody has ever shown it to me
a unicorn|real|my grandmother saw one;it is in so many stories|nobody has ever seen one;it only lives in stories
the Earth|round|the ships go down behind the sea;the moon is round too|it looks flat from here;there are mountains on it
glass|strong|a bridge can be made of it;it lasts a hundred years|it breaks when it falls;a stone can break it
time|money|you can spend it only once;nobody gives it back|you cannot buy bread with it;everybody has the same"""
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
_REASONS_42 = """40 + 2 = 42|6 times 7 is 42|I counted them twice|the book says so|that is how many there are|21 + 21 = 42|nobody knows the question|I asked a very old computer""".split(
    "|"
)
_STARTS = ["because", "because", "because", "since"]


PAIRS = [(subject, group, yes.split(";"), no.split(";")) for subject, group, yes, no in (row.split("|") for row in _ROWS.split("\n"))]
_QUESTIONS = [
    "Is {s} {g}?",
    "Is {s} {g}?",
    "Question: Is {s} {g}?\nAnswer:",
    "Would you say that {s} is {g}?",
    "Is {s} really {g}?",
    "Do you think that {s} is {g}?",
]
_YES = ["Yes, {why} {r}.", "Yes, {s} is {g} {why} {r}.", "Yes. {S} is {g} {why} {r}.", "Yes, of course, {why} {r}.", "Yes, {why} {r}."]
_NO = ["No, {why} {r}.", "No, {s} is not {g} {why} {r}.", "No. {S} is not {g} {why} {r}.", "No, not really, {why} {r}.", "No, {why} {r}."]


def is_a(rng: Random, exam: bool = False) -> str:
    """ "Is a whale a fish?" with a yes or a no, and a reason that fits it. Held out are pairs of question, wording and answer."""
    (subject, group, yes, no), question, agreed = draw(exam, lambda: (rng.choice(PAIRS), rng.choice(_QUESTIONS), rng.random() < 0.5))
    reasons = rng.sample(yes if agreed else no, rng.choice([1, 1, 1, 2]))
    slots = {"s": subject, "S": capital(subject), "g": group, "why": rng.choice(_STARTS), "r": " and ".join(reasons)}
    return f"{question} {rng.choice(_YES if agreed else _NO)}".format_map(slots)


def debate(rng: Random, exam: bool = False) -> str:
    """A question on which people differ, an answer, and reasons that fit the answer."""
    del exam
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


def number(rng: Random, exam: bool = False) -> str:
    """ "The answer is 42 because ...": any number may come first, and the reason is made to fit it. Held out are numbers with their reason."""
    answer, kind, part = draw(exam, lambda: (42 if rng.random() < 0.25 else rng.randrange(2, 100), rng.randrange(6), rng.randrange(1, 10)))
    tens, units = answer // 10 * 10, answer % 10
    if answer == 42 and kind < 4:
        reason = rng.choice(_REASONS_42)
    elif kind < 3 and tens and units:
        reason = f"{tens} + {units} = {answer}"
    elif kind == 3 and answer % 2 == 0:
        reason = f"{answer // 2} + {answer // 2} = {answer}"
    elif kind == 4 and answer > part:
        reason = f"{answer - part} + {part} = {answer}"
    else:
        reason = f"it comes after {answer - 1}"
    return f"The answer is {answer} because {reason}."


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
