"""Beginnings for the examination: what a hall calls out, and how a story may start. No lesson begins with any of them.

The first nine of `EVERYDAY` were named by the one who set the goals; the first twenty of it and the twenty of `STORIES` are the forty on
which the sureness of the model is measured.
"""

from __future__ import annotations

EVERYDAY = """The weather today is
My best friend
Good morning,
Last night I dreamt
Dear grandma,
The scientist said
This recipe needs
Five, four, three,
Before Tuesday comes
On the way to school
The children laughed because
Mum was angry
I lost my
Our holiday began
The film last night
Have you ever seen
My little brother never
The train stopped and
At the dentist
Grandpa's old car
I forgot to
The baby would not
We moved to a new
Once a week
In my dream
My room is full of
The doctor looked at
It rained so hard that
The new girl in our class
I am afraid of
A letter arrived
Nobody wanted to play with
The soup tasted
At the birthday party
My homework
The most beautiful thing I
When the lights went out
They say that the sea
The shop was closed
I would never
My neighbour's dog
The circus came to
Two minutes before midnight
He opened the box and
What a strange
Listen carefully, because
The old clock
She packed her bag
Breakfast was
The bus driver
I can almost hear
On the moon
If I were a tree
The secret door
My favourite teacher
A storm was coming
We waited for hours
The cat looked at me
In a hundred years,
Could you please
My grandfather used to
The cake was so
There is a rumour
Winter came early
The smallest house
Tom's mother wanted
Why does the moon
I bought three
The last page""".split("\n")

STORIES = """Once upon a time, in a village by the sea,
Long ago, when the world was new,
There was once a poor woodcutter who
Early one morning, the princess
The little train
One evening, as the sun went down,
A mouse and an elephant
The boy could not believe
Deep under the lake
The king had three daughters,
Maria and her brother
It was the coldest day of
A strange bird
The old woman smiled and
Far away, behind the mountains,
The tailor's youngest son
When Ali woke up,
"Don't go into the forest,"
Every child in the village
Nobody had ever opened the
""".strip().split("\n")

# A hero with a name, whom the story should go on with: name, beginning.
HEROES = [
    (name, beginning.format(n=name))
    for name, beginning in (
        ("Mia", "Once upon a time, there was a little girl named {n}."),
        ("Tom", "Once upon a time, there was a little boy named {n}."),
        ("Sara", "One day, a girl called {n} went for a walk."),
        ("Ben", "{n} was a little boy who lived near the sea."),
        ("Lily", "{n} had a red ball."),
        ("Jack", "There was once a poor boy whose name was {n}."),
        ("Anna", "{n} and her mother lived in a small house."),
        ("Sam", "One morning, {n} could not find his shoes."),
        ("Lucy", "It was {n}'s birthday, and everybody came."),
        ("Max", "{n} was a dog who liked to dig."),
        ("Nina", "{n} wanted to see the world."),
        ("Peter", "{n} lived with his grandfather on a farm."),
        ("Rosa", "Long ago there was a princess named {n}."),
        ("Leo", "{n} the lion was hungry."),
        ("Clara", "Every evening, {n} looked at the moon."),
        ("Tim", "{n} found a little bird in the garden."),
        ("Grace", "{n} was afraid of the dark."),
        ("Oscar", "An old fisherman named {n} had a small boat."),
        ("Ella", "{n} was the youngest of three sisters."),
        ("Will", "On a rainy day, {n} sat at the window."),
    )
]
