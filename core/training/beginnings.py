"""Prompts of the evaluation. No lesson begins with any of them.

The sureness of the model is measured on the first twenty of `EVERYDAY` and the twenty of `STORIES`.
"""

from __future__ import annotations

EVERYDAY = """The weather today is|My best friend|Good morning,|Last night I dreamt|Dear grandma,|The scientist said|This recipe needs|Five,
four, three,|Before Tuesday comes|On the way to school|The children laughed because|Mum was angry|I lost my|Our holiday began|The
film last night|Have you ever seen|My little brother never|The train stopped and|At the dentist|Grandpa's old car|I forgot to|The
baby would not|We moved to a new|Once a week|In my dream|My room is full of|The doctor looked at|It rained so hard that|The new
girl in our class|I am afraid of|A letter arrived|Nobody wanted to play with|The soup tasted|At the birthday party|My homework|The
most beautiful thing I|When the lights went out|They say that the sea|The shop was closed|I would never|My neighbour's dog|The
circus came to|Two minutes before midnight|He opened the box and|What a strange|Listen carefully, because|The old clock|She packed
her bag|Breakfast was|The bus driver|I can almost hear|On the moon|If I were a tree|The secret door|My favourite teacher|A storm
was coming|We waited for hours|The cat looked at me|In a hundred years,|Could you please|My grandfather used to|The cake was
so|There is a rumour|Winter came early|The smallest house|Tom's mother wanted|Why does the moon|I bought three|The last page""".replace(
    "\n", " "
).split("|")

STORIES = """Once upon a time, in a village by the sea,|Long ago, when the world was new,|There was once a poor woodcutter who|Early one
morning, the princess|The little train|One evening, as the sun went down,|A mouse and an elephant|The boy could not believe|Deep
under the lake|The king had three daughters,|Maria and her brother|It was the coldest day of|A strange bird|The old woman smiled
and|Far away, behind the mountains,|The tailor's youngest son|When Ali woke up,|"Don't go into the forest,"|Every child in the
village|Nobody had ever opened the""".replace("\n", " ").split("|")
