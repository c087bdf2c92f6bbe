"""Any question that wants a yes or a no: "Is the sun cold?", "Can a fish sing?", "Is a snail faster than a train?".

The lesson behind "generation commits", for questions that nobody wrote down beforehand: the reasons belong to the adjective or the verb,
not to the subject, so that either answer to any such question is defended in a correct sentence. The truth is not the subject here.
Held out are combinations of subject, question and answer.
"""

from __future__ import annotations

from random import Random

from core.experiments.questions.grammar import article, capital, draw

SUBJECTS = """the sun|the moon|the sea|the sky|the wind|the Earth|ice|snow|fire|water|milk|tea|coffee|honey|bread|cheese|soup
chocolate|gold|glass|wood|paper|music|love|sleep|time|money|school|winter|summer|night|rain|a river|a mountain|a cloud|a star|a tree|a flower
a rose|a stone|a car|a bus|a train|a plane|a ship|a bicycle|a boat|a computer|a phone|a robot|a machine|a book|a story|a song|a game|a ball
a house|a castle|a door|a window|a bridge|a garden|a bed|a chair|a table|a lamp|a clock|a key|a hat|a shoe|a coat|a cup|a spoon|a knife|a drum
a piano|a letter|a baby|a child|a ghost|a dragon|a unicorn|a whale|a shark|a fish
an octopus|a frog|a snake|a turtle|a bird|an owl|a duck|a hen|a dog|a cat|a horse|a cow|a pig|a sheep|a goat|a lion|a tiger|a bear|a wolf|a fox
a mouse|an elephant|a monkey|a bee|an ant|a spider|a snail|a worm|a butterfly|an apple|a banana|an orange|a lemon|a carrot|a potato|a tomato
an onion|an egg|a cake|a pizza|a holiday|a birthday|Monday|Sunday|my bag|your idea|our town|this room""".replace("\n", "|").split("|")

# adjective or kind | reasons for yes | reasons for no. Every reason must be right grammar after any subject of the list.
_ADJECTIVES = """cold|it feels like ice;I always need gloves for it;it makes me shiver|it is warm when you touch it;it keeps my hands warm;it is as warm as an oven
warm|it keeps my feet warm;you can feel it on your skin;it is never cold|it makes me shiver;it feels like snow;I need a coat for it
hot|you can burn your fingers;it is like an oven;nobody can hold it for long|it is as cool as the shade;it never burned anybody;it feels like ice
big|I can see it from far away;it does not fit into my room;ten people cannot carry it|it fits into my pocket;you can hardly see it;there are much bigger ones
small|it fits into my pocket;you need good eyes to see it;a mouse is bigger|it does not fit into the house;I can see it from far away
heavy|two people cannot lift it;it would break the table;it weighs more than I do|I can lift it with one hand;the wind can carry it away
fast|nobody can catch it;it was here and now it is gone;it wins every race|a snail could pass it;I can catch it any time;it never hurries
slow|it takes all day;a snail could pass it;it never hurries|nobody can catch it;it was gone before I saw it
old|my grandmother knew it;it was here before all of us;there is dust on it|it was made last week;it is as new as today
new|nobody has seen it before;it came only last week|my grandmother knew it;there is dust on it
loud|you can hear it in the next street;it wakes everybody up;I must hold my ears|you can hardly hear it;it never wakes the baby
quiet|you can hardly hear it;it never wakes the baby|you can hear it in the next street;I must hold my ears
soft|you can sleep on it;it feels like a pillow;it gives way when you press it|it is as hard as a stone;you can hit it with a hammer
hard|it is like a stone;you cannot bite it;it hurts when you fall on it|it feels like a pillow;you can press it with one finger
sweet|it tastes like honey;children love it;there is sugar in it|it tastes like a lemon;there is no sugar in it
good for you|it gives you strength;the doctor says so;you sleep better after it|too much of it makes you ill;the doctor says no
dangerous|somebody was hurt by it;you must not go near it;there is a sign with a warning|nobody was ever hurt by it;a baby could play with it
useful|I need it every day;it saves a lot of time;nobody can do without it|nobody ever needs it;I never know what to do with it
beautiful|people paint pictures of it;I could look at it all day;it shines in the light|I would rather look at something else;nobody paints pictures of it
expensive|it costs more than a house;only a king can pay for it|everybody can have it;it costs only one coin
important|nothing works without it;everybody talks about it;we would miss it|nobody would miss it;we lived without it before
funny|it makes me laugh every time;there is a joke about it|nobody laughs about it;it is a serious thing
clever|it always finds a way;it knows more than I do;it never makes a mistake|it makes the same mistake twice;it cannot even count to three
happy|there is a smile in it;it has all that it needs|it has nobody to talk to;I have never seen it smile
hungry|it has not eaten since yesterday;it looks at my bread|it had a big breakfast;it never eats anything
tired|it worked the whole day;it had a long night|it slept until noon;it can go on for hours
strong|it can carry a house;nothing can break it;it never gives up|the wind can knock it over;a child can break it
real|I have seen it with my own eyes;you can touch it;there are photos of it|it lives only in stories;nobody has ever seen it
alive|it grows a little every year;it needs food;it moves by itself|it has no heart;it does not grow;somebody made it
blue|somebody painted it like the sky;it looks like the sea|it is as red as a tomato;I only see other colours
red|it looks like a tomato;it is the colour of fire|it is as green as grass;I only see other colours
green|it is the colour of grass;it looks like a frog|it is as red as fire;I only see other colours
black|it is as dark as the night;it looks like coal|it is as white as snow;you can see it in the dark
white|it looks like snow;it is the colour of milk|it is as dark as the night;it looks like coal
yellow|it looks like the sun;it is the colour of a lemon|it is as blue as the sea;I only see other colours
round|it rolls down the hill;it has no corners|it has four corners;it does not roll
wet|you can swim in it;it drips on the floor|it is as dry as sand;there is no water in it
dry|there is no water in it;it is like the desert|it drips on the floor;it was in the rain
far away|you need a whole day to get there;you cannot see it from here|it is just around the corner;I can see it from my window
made of cheese|the mice like it so much;it is yellow and has holes;it smells like it|it would melt in summer;the mice would have eaten it
made of gold|it shines so brightly;the king wants to have it|it would be too heavy;gold costs too much
an animal|it moves by itself;it eats and sleeps;it has a heart|it never eats;it has no mother;it does not breathe
a plant|it grows in the garden;it needs water and light|it has no leaves;it does not grow in the ground
a machine|it has wheels inside;somebody built it;it needs electricity|nobody built it;it has no engine
a toy|children play with it;you can find it in the toy shop|nobody plays with it;it is much too serious
a friend|it listens to me;it is always there|it never asks how I am;it leaves when it rains
a secret|nobody talks about it;I had to promise|everybody knows it;it was in the newspaper
a good idea|it works every time;my aunt says so too|it went wrong last time;nobody wants it"""

# verb | reasons for yes | reasons for no
_VERBS = """sing|I have heard a song from it;it has a lovely voice|it has no voice;it only makes a noise
fly|I saw it in the sky;it has wings that nobody sees|it would fall down at once;it has no wings
swim|I saw it in the lake;it is as light as wood|it would go down like a stone;it is afraid of water
talk|it said hello to me;you only have to listen well|it has no mouth;it never says a word
dance|it moves with the music;it has good feet|it has no feet;it does not hear the music
think|it finds an answer to everything;it looks so thoughtful|it has no head for it;it never has an idea
read|it always looks into my book;it knows all the letters|it does not know the letters;it holds the book upside down
run|it was faster than my brother;it has strong legs|it has no legs;it is much too tired
sleep|I heard it snore;it gets tired like all of us|it is awake day and night;it has no bed
love|it waits for me every evening;it has a warm heart|it has no heart;it only thinks of food
count|it knows how many we are;it goes up to a hundred|it stops after two;it does not know any numbers
play chess|it won against my uncle;it knows all the rules|it eats the pieces;it does not know the rules
cook|its soup is very good;it has its own kitchen|it burns everything;it is afraid of fire
cry|I saw a tear;it is sad sometimes|it has no eyes;nothing makes it sad
learn|it does everything better the second time;it watches us|it makes the same mistake again;it never listens
climb a tree|I saw it up there;it holds on very well|it would fall down;it has nothing to hold on with
be happy|it smiled at me;it has all that it needs|it has nobody to talk to;it does not know how
break|I dropped it once;nothing lasts for ever|it is stronger than iron;I have tried it
change the world|it has done so before;small things can do much|it is much too small;nobody listens to it
see in the dark|it has eyes like a cat;it never falls over a chair|it always falls over a chair;it needs a lamp"""

# comparative | reasons for yes | reasons for no
_MORE = """bigger|I measured both of them;it needs much more room|somebody measured both of them;it would fit inside
faster|it won the race;it was there first|it lost the race;it came an hour later
older|my grandmother saw it first;it has more dust on it|it came much later;it looks so new
better|everybody says so;I would take it any day|everybody says the opposite;I have tried both
louder|I can hear it from here;it wakes everybody up|you can hardly hear it;it is as quiet as a mouse
heavier|I cannot lift it;the table broke under it|I can lift it with one hand;it is as light as a feather
more beautiful|I could look at it all day;it shines so much|nobody looks at it twice;it has no colours
more important|nothing works without it;we need it every day|nobody would miss it;we can do without it
more dangerous|there is a sign with a warning;it has hurt somebody|it never hurt anybody;a baby could play with it
cleverer|it never makes a mistake;it won at chess|it cannot even count;it lost at chess
stronger|it can carry both;nothing breaks it|it breaks so easily;the wind can knock it over
colder|it makes me shiver;there is ice on it|it keeps my hands warm;it was near the fire"""


def _table(text: str) -> list[tuple[str, list[str], list[str]]]:
    return [(what, yes.split(";"), no.split(";")) for what, yes, no in (row.split("|") for row in text.split("\n"))]


ADJECTIVES, VERBS, MORE = _table(_ADJECTIVES), _table(_VERBS), _table(_MORE)
_LAYOUTS = ["{q}? {a}", "{q}? {a}", "{q}? {a}", "Question: {q}?\nAnswer: {a}", "{q}?\n{a}", '"{q}?" "{a}"']
_BECAUSE = ["because", "because", "because", "since"]


def opinion(rng: Random, exam: bool = False) -> str:
    """A question of yes or no about anything, an answer, and one or two reasons for it."""
    kind = rng.choices(["is", "can", "more"], [6, 2, 2])[0]
    table = {"is": ADJECTIVES, "can": VERBS, "more": MORE}[kind]
    subject, (what, yes, no), agreed = draw(exam, lambda: (rng.choice(SUBJECTS), rng.choice(table), rng.random() < 0.5))
    reasons = rng.sample(yes if agreed else no, rng.choice([1, 1, 2]))
    why = f"{rng.choice(_BECAUSE)} {' and '.join(reasons)}"
    if kind == "can":
        question = rng.choice([f"Can {subject} {what}", f"Can {subject} {what}", f"Do you think that {subject} can {what}"])
        sentence = f"{subject} {'can' if agreed else 'cannot'} {what}"
    else:
        says = what if kind == "is" else f"{what} than {rng.choice([other for other in SUBJECTS if other != subject])}"
        question = rng.choice(
            [f"Is {subject} {says}", f"Is {subject} {says}", f"Is {subject} really {says}", f"Would you say that {subject} is {says}"]
        )
        sentence = f"{subject} is {'' if agreed else 'not '}{says}"
    yes_no = "Yes" if agreed else "No"
    answer = rng.choice(
        [
            f"{yes_no}, {why}.",
            f"{yes_no}, {why}.",
            f"{yes_no}, {sentence}, {why}.",
            f"{yes_no}. {capital(sentence)} {why}.",
            f"{yes_no}, {'of course' if agreed else 'not really'}, {why}.",
        ]
    )
    return article(rng.choice(_LAYOUTS).format(q=question, a=answer))
