"""What people ask a model for: a poem, a list, an explanation; and the small talk around it. Poems are couplets that rhyme.

Somebody who asks for a story gets a real one (corpus.py).
"""

from __future__ import annotations

from random import Random

from core.experiments.questions import words
from core.experiments.questions.grammar import capital, expand, listing

_COUPLETS = """The {w} [moon|star|light] is shining [bright|white], / and everything is still at night.
The sun goes up, the sun goes down, / above the [roofs of|houses in] the little town.
A little [bird|mouse|cat|frog] sat in a tree / and looked [with round dark eyes|a long, long time] at me.
The [rain|snow|wind] is falling soft and slow, / the children watch it come and go.
I had a [dog|cat|goat|horse] that knew a song, / we laughed and sang the summer long.
The [sea|lake|river] is wide, the sea is deep, / and all the little fishes sleep.
I take my [boat|bike|coat], I take my hat, / and [wave|say goodbye] to the old grey cat.
The leaves are red, the leaves are brown, / and one by one they tumble down.
The [baker|farmer|teacher] bakes, the [kettle|baker] sings, / and [morning|breakfast] comes with many things.
A [friend|song|smile] is like an open door, / you give a little and get more.
The [spring|summer] is green, the winter white, / the day is long, and short the night.
We [danced|ran|walked] through fields of golden [wheat|hay], / [and we were happy all the day|with dusty shoes upon our feet].
The stars are silver, far and small, / and [no one|nobody] ever counts them all.
My heart is [light|glad], my heart is free, / and [you|the wind] will come along with me.
The robot blinked, the robot said, / "It is so late. Let's go to bed."
The [dragon|bear|lion] yawned and closed its eyes / beneath the dark and starry skies.
The [flowers|roses] bloom beside the wall, / the red one is the best of all.
The clock goes tick, the clock goes tock, / the ship is coming to the dock.
Oh {a}, my friend, where have you been? / I've seen the hills so [tall|far] and green.
And when the day is nearly done, / we wave goodbye to the evening sun.
The moon looks in, the moon looks out, / and shines on [everything|all the world] about.
The sea is singing all day long / its old and never-ending song.
Love is a candle, love is a light, / it keeps you warm throughout the night.
Summer has come, the sun is high, / and swallows dance across the sky.
In winter, when the world is white, / we sit beside the fire at night.
My cat is small, my cat is grey, / she sleeps and dreams the whole long day.
My dog is [quick|brown], my dog is kind, / a better friend you will not find.
The rain is falling on the street / and dances with its tiny feet.
The stars look down, the stars are bright, / a thousand candles in the night.
A friend is somebody who stays / on sunny and on rainy days.
My mother has the [warmest|kindest] hands / and she is one who understands.
A dragon lived beside the lake / and ate for breakfast bread and cake.
The night is quiet, dark and deep, / the houses and the gardens sleep.
In spring the little buds are green, / the finest colour ever seen.
A robot made of [steel|tin] and light / was writing poems every night.
At home the lamp is burning low, / it is the dearest place I know.
The sun is up, the sun is warm, / it shines on garden, field and farm.
A bird sits singing on the wall, / it has the sweetest song of all.
In autumn, when the leaves turn red, / we pick the apples overhead.
The river runs, the river sings, / it tells the sea of many things.""".split("\n")
_SUBJECTS = [
    "the moon",
    "the sea",
    "love",
    "summer",
    "winter",
    "a cat",
    "a dog",
    "the rain",
    "the stars",
    "a friend",
    "my mother",
    "a dragon",
    "the night",
    "spring",
    "a robot",
    "home",
    "the sun",
    "a bird",
    "autumn",
    "the river",
]
_ASKED = """Can you help me?|[Yes, of course. What do you need?|Gladly! What can I do for you?|I will try. Tell me more.]
Are you alive?|[No, I am only a small program that writes words.|I do not think so. I am made of numbers.|That is a good question. I only guess the next word.]
Are you human?|[No, I am a small language model.|No, but I learned from words that people wrote.]
Can you think?|[I can guess the next word. That is all.|Not like you. I only guess one word after another.]
What can you do?|[I can tell stories, add small numbers and answer easy questions.|I can tell you a story or the capital of France.|I can write one word after another.]
Do you love me?|[I am only a small model, but I like your questions.|You are very kind.|I do not know what love is, but I can write about it.]
What is love?|Love is when [somebody thinks of you|you share your last cookie|you are happy because somebody else is happy].
What is the meaning of life?|[To be kind to each other.|Some say it is 42.|Nobody knows, but it helps to have friends.|To love and to be loved.]
How old are you?|[I am {n} years old.|I was trained not long ago.|I do not have an age.]
Where do you live?|[I live near {place}.|I live in a computer.|I live in a small house with my {grown}.]
What are you doing?|[I am reading a book.|I am thinking about {food}.|I am guessing the next word.|I am on my way to {place}.]
What is your favourite food?|[{Food}.|I like {food} most of all.]
Tell me something about yourself.|[My name is {a}, and I like {hobby}.|I am a small language model. I learned from stories and simple sums.]
What time is it?|[It is {num} o'clock.|It is time for {food}.|I do not have a clock.]
What is the weather like?|[It is {w}.|It is {w} today, but tomorrow it will be better.|I cannot see it from here.]
What should I cook today?|[How about {food}?|You could cook {food} with {food2}.|Something with {food}.]
What should I do today?|[Go to {place}.|You could visit {a}.|Take a walk and eat {food}.|Try {hobby}.]
What makes you happy?|[{Hobby} makes me happy.|A {w} day and {food}.|When somebody laughs.]
Who is your best friend?|[My best friend is {a}.|{a} is my best friend.|My {kind} {pet}.]
I am sad.|[I am sorry to hear that. What happened?|Come here, I will make you some tea.|Do you want to hear a story?]
I am hungry.|[There is some {food} {where}.|Then let us eat {food}.|How about {food}?]
I am bored.|[Let us play {game}.|You could go to {place}.|Do you want to hear a joke?]
Goodbye!|[Goodbye! See you soon.|See you on {day}!|Goodbye, and take care.]
Thank you!|[You are welcome.|Gladly!|You are very welcome.]
Good night!|[Good night! Sleep well.|Sleep well and sweet dreams.]
Name three animals.|[{kinds}.]
Name three colours.|[{cols}.]
Name three fruits.|[{fruits}.]
Count to five.|1, 2, 3, 4, 5.
Count to ten.|1, 2, 3, 4, 5, 6, 7, 8, 9, 10.
What is your favourite colour?|[{Col}.|My favourite colour is {col}.]
Who wrote this?|[A small language model wrote this.|Nobody knows. Perhaps it was {a}.]
Why are you so slow?|[Because I write one word after another.|Good things take time.]
Is this true?|[Not always. I sometimes make things up.|Perhaps. You should ask somebody who knows.]
Will robots rule the world?|[I do not think so. Somebody has to clean the floor.|No, they are busy with {food}.|Nobody knows the future.]
Say something nice.|[You have a lovely smile.|It is good that you are here.|Today will be a good day.]
Say hello.|Hello!
Tell me a secret.|[I do not know the next word until I write it.|There is a {col} {thing} {where}.|Sometimes I only guess.]""".split("\n")


def _slots(rng: Random) -> dict[str, str]:
    col, food = rng.choice(words.PLAIN_COLOURS), rng.sample(words.FOODS, 2)
    hobby = rng.choice(words.HOBBIES)
    return {
        "a": rng.choice(words.GIRLS + words.BOYS),
        "n": str(rng.randint(3, 99)),
        "place": rng.choice(words.PLACES),
        "grown": rng.choice(words.FAMILY),
        "food": food[0],
        "Food": capital(food[0]),
        "food2": food[1],
        "hobby": hobby,
        "Hobby": capital(hobby),
        "num": rng.choice(words.NUMBERS[1:13]),
        "w": rng.choice(words.WEATHER),
        "kind": rng.choice(words.CREATURES),
        "pet": rng.choice(words.PETS),
        "where": rng.choice(words.WHERES),
        "game": rng.choice(words.GAMES),
        "day": rng.choice(words.DAYS),
        "kinds": capital(listing(rng.sample(words.CREATURES, 3))),
        "cols": capital(listing(rng.sample(words.PLAIN_COLOURS, 3))),
        "col": col,
        "Col": capital(col),
        "fruits": capital(listing(rng.sample(["apples", "pears", "plums", "grapes", "cherries", "peaches", "bananas"], 3))),
        "thing": rng.choice(words.THINGS),
    }


def poem(rng: Random, exam: bool = False) -> str:
    """A poem of two to four couplets, with or without the wish for it."""
    del exam
    slots = _slots(rng) | {"w": rng.choice(["silver", "golden", "yellow", "pale"])}
    subject = rng.choice(_SUBJECTS)
    fitting = [couplet for couplet in _COUPLETS if subject.split()[-1] in couplet.lower()]
    first = rng.choice(fitting)
    chosen = [first, *rng.sample([couplet for couplet in _COUPLETS if couplet != first], rng.randint(1, 3))]
    lines = [expand(rng, couplet, slots).split(" / ") for couplet in chosen]
    ask = rng.choice(
        [
            "",
            "",
            f"Write a poem about {subject}.\n",
            f"A poem about {subject}:\n",
            f"Poem: {capital(subject)}\n",
            f"Please write me a poem about {subject}.\n",
        ]
    )
    return ask + "\n".join(capital(line) for couplet in lines for line in couplet)


def asked(rng: Random, exam: bool = False) -> str:
    """A short exchange: somebody asks or says something, and gets a friendly answer."""
    del exam
    question, answer = rng.choice(_ASKED).split("|", 1)
    answer = expand(rng, answer, _slots(rng))
    layout = rng.randrange(5)
    if layout == 0:
        return f"Question: {question}\nAnswer: {answer}"
    if layout == 1:
        return f'"{question}" "{answer}"'
    return f"{question}\n{answer}" if layout < 4 else f"{question} {answer}"
