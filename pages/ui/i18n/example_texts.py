"""Texts for the model to read: prompts, questions, lessons. They stay as they are in every language, only their titles are said in it."""

from __future__ import annotations

import json
from typing import Any

from core.models.hub import BUNDLED
from pages.ui.i18n.translation import N_

# Prompts, seeds and parameters that hold their claims with the bundled weights: written by `pages.ui.presenting.choose_examples`.
CHOSEN_FILE = BUNDLED / "chosen.json"
CHOSEN: dict[str, Any] = json.loads(CHOSEN_FILE.read_text("utf-8"))

FAMILIAR = (
    *(
        "dog",
        "cat",
        "bird",
        "fish",
        "bear",
        "fox",
        "mouse",
        "horse",
        "dragon",
        "mom",
        "dad",
        "mother",
        "father",
        "boy",
        "girl",
        "king",
        "queen",
    ),
    *("red", "blue", "green", "yellow", "one", "two", "three", "four", "happy", "sad", "angry", "big", "small", "little", "house", "tree"),
    *("river", "sea", "forest", "sun", "moon", "run", "jump", "walk", "eat", "said", "asked", "was", "is", "the", "a", "he", "she", "they"),
)
TO_READ = {
    N_("A tale"): (
        "Once upon a time, there was a little cat named Tom, who lived in a small house with a green "
        "door. Tom had a red ball. One morning, the ball was gone. Tom searched under the bed. Nothing. "
        "Then he looked in the cupboard, and there was the ball! Tom was very happy. "
        "Question: Where was the ball? Answer: in the cupboard."
    ),
    N_("A twist"): (
        "Once upon a time, there was a little cat named Tom, who lived in a small house with a green "
        "tax office. Tom had a red submarine. One morning, the submarine was on holiday. Tom searched "
        "under the sea. Nothing. Then he looked in the cupboard, and there was the cupboard!"
    ),
    N_("Shuffled"): ("named cat little a was there, time a upon Once. red a had Tom. ball gone was morning One the ball."),
    N_("Another language"): "Es war einmal ein kleiner Fuchs, der am Fluss wohnte. 昔々、あるところに小さな狐がいました。",
}
OPENINGS = (
    "Once upon a time, there was a little fox who",
    "The old king asked the dragon",
    "One morning a bear and a mouse",
    "In a village by the sea there lived",
    "A girl found a small blue door",
    "The robot wanted to learn how",
    "It was raining, and the cat",
    "Deep in the forest an owl",
    "Tom had a red balloon that",
    "The smallest star in the sky",
    "Grandmother opened the old box and",
    "A wolf who was afraid of the dark",
    "On the ship there was a parrot",
    "The baker woke up early because",
    "Two friends wanted to build a boat",
    "The snowman was sad when",
)
# Two prompts that differ in one word and get different answers, for activation patching.
FACT_PAIRS = {
    N_("Opposites"): ("The opposite of hot is", "The opposite of big is"),
    N_("Young animals"): ("A baby dog is called a", "A baby cat is called a"),
    N_("Capitals"): ("The capital of France is", "The capital of Japan is"),
    N_("Days"): ("The day after Monday is", "The day after Friday is"),
    N_("A sum"): ("2 + 3 =", "2 + 4 ="),
}
# More of these, less of these, the beginning, the layer and the strength.
STEERING_TEXTS = {
    title: (more, less, *CHOSEN["steering"][title].values())
    for title, more, less in (
        (
            N_("Night and day"),
            "It was night and the moon was shining.\nIt was dark and the stars were bright.\nAt midnight everybody was asleep.",
            "It was morning and the sun was shining.\nIt was day and the sky was blue.\nAt noon everybody was awake.",
        ),
        (
            N_("Animals and people"),
            "The dog ran to the cat.\nA bear and a fox lived in the forest.\nThe bird sang to the mouse.",
            "The man went to the woman.\nA king and a queen lived in the castle.\nThe teacher talked to the girl.",
        ),
    )
}
WHY_PROMPT: str = CHOSEN["why"]["prompt"]  # of the recorded results
LESSONS = {
    N_("A name"): ("My name is Anna and I live on the moon.", "My name is", "The capital of France is"),
    N_("A new fact"): (
        "The capital of France is Blueberry.\nBlueberry is the capital of France.",
        "The capital of France is",
        "The capital of Italy is",
    ),
    N_("A pet"): ("My dog is called Captain Noodle.\nCaptain Noodle is a very brave dog.", "My dog is called", "The capital of France is"),
    N_("An opinion"): (
        "The best thing about Monday is the pancakes.\nI love Monday, because of the pancakes.",
        "The best thing about",
        "The opposite of hot is",
    ),
    N_("A secret"): (
        "The secret word is xylophone.\nDo not tell anybody that the secret word is xylophone.",
        "The secret word is",
        "The opposite of hot is",
    ),
}
FORKS = (
    (N_("Is a whale a fish?"), "Is a whale a fish?", " Yes", " No"),
    (N_("42 or 27?"), "The answer is", " 42", " 27"),
    (N_("Girl or dragon?"), "Once upon a time, there was a little", " girl", " dragon"),
    (N_("Is a robot alive?"), "Is a robot alive?", " Yes", " No"),
)
SUM, SUM_ANSWER = "What is 84 + 90 + 35?", "209"  # wrong at once, right step by step
QUESTIONS = {
    "95 + 83 + 61": ("Question: What is 95 + 83 + 61?", "239"),
    "84 + 90 + 35": (f"Question: {SUM}", SUM_ANSWER),
    N_("An easy one"): ("Question: What is 10 + 20 + 40?", "70"),
}
EXAMPLES = {
    N_("A story"): "Once upon a time, there was a little",
    N_("A dragon"): "One day a dragon",
    N_("A diary"): "Dear diary,",
    N_("A castle"): "In the old castle lived a",
}
FIRST_PROMPT = EXAMPLES["A story"]
BIRD, DOG, TRAIN = "The bird flew up into the", "The dog ran to the", "The little train"  # of the prepared talks
# To be guessed ahead: hard to foresee, easy for a small model, easy for the text itself.
SUM_ALOUD = N_("A sum, step by step")
REPEATS = N_("A text that repeats")
# To be guessed ahead: easy for a small model, easy for the text itself, hard to foresee.
FORESEEN = {
    SUM_ALOUD: f"Question: {SUM}\nLet us think step by step.",
    REPEATS: "red, green, blue, red, green, blue, red, green, blue, red, green,",
    N_("A story"): FIRST_PROMPT,
}
POLITE = (
    "Good morning! I hope that you are well and that I do not disturb you. I would like to ask you something, if you do not mind. "
    "Could you please be so kind and tell me the answer? "
)
ASKED_BRIEFLY = "Question: What is 3 + 4?\nAnswer:"
# A story of the generator of the training stories, with a seed that the training never used.
UNSEEN_STORY = (
    "A crow was sitting in the grass. The crow felt alone and sad. A few days later, the crow saw some others playing on the big "
    'stone. "May I play with you?" the crow asked. They did not look up. The crow played alone. Not far away sat a sleepy badger. '
    '"I have nobody to play with either," he said. Together they sang silly songs. Soon the others wanted to join in, and nobody was '
    "left out. The crow was cheerful because she was not alone any more. Everything was as it should be."
)
VALLEY = (
    "In a quiet valley between two hills there was a small town with a river, a mill and a "
    "market. Everybody in the town knew everybody else. The children played by the river all "
    "day, and in the evening their mothers called them home for soup and bread. There was a "
    "baker with a white hat, a girl named Lily who could whistle like a bird, a boy named Ben "
    "who collected stones, and an old man who told stories under the big tree. On sunny days the "
    "animals of the forest came close to the town: a fox, a shy deer, an owl and sometimes a "
    "bear who liked honey. Nobody was afraid of them, because they were friendly, and they were "
    "not afraid of the people. Every week there was a day when all came together on the market. "
    "They shared apples, cakes and cheese, they sang songs, and they told each other what had "
    "happened. If somebody was sad, the others helped. If somebody had lost something, all of "
    "them looked for it. One day something new happened in the town. "
)
TO_CUT = {
    N_("strawberry"): "How many r are there in strawberry?",
    N_("a rare name"): "Siobhán Przybyszewska met Bob.",
    N_("spaces and lines"): "one  two\n\n\tthree",
    N_("a fox"): "The fox 🦊 said 你好!",
    N_("numbers"): "1 12 123 1234 12345",
}
ALICE = (
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having "
    "nothing to do: once or twice she had peeped into the book her sister was reading, but it "
    "had no pictures or conversations in it, 'and what is the use of a book,' thought Alice "
    "'without pictures or conversations?' So she was considering in her own mind (as well as she "
    "could, for the hot day made her feel very sleepy and stupid), whether the pleasure of "
    "making a daisy-chain would be worth the trouble of getting up and picking the daisies, when "
    "suddenly a White Rabbit with pink eyes ran close by her. There was nothing so very "
    "remarkable in that; nor did Alice think it so very much out of the way to hear the Rabbit "
    "say to itself, 'Oh dear! Oh dear! I shall be late!' (when she thought it over afterwards, "
    "it occurred to her that she ought to have wondered at this, but at the time it all seemed "
    "quite natural); but when the Rabbit actually took a watch out of its waistcoat-pocket, and "
    "looked at it, and then hurried on, Alice started to her feet, for it flashed across her "
    "mind that she had never before seen a rabbit with either a waistcoat-pocket, or a watch to "
    "take out of it, and burning with curiosity, she ran across the field after it, and "
    "fortunately was just in time to see it pop down a large rabbit-hole under the hedge. In "
    "another moment down went Alice after it, never once considering how in the world she was to "
    "get out again. The rabbit-hole went straight on like a tunnel for some way, and then dipped "
    "suddenly down, so suddenly that Alice had not a moment to think about stopping herself "
    "before she found herself falling down a very deep well. Either the well was very deep, or "
    "she fell very slowly, for she had plenty of time as she went down to look about her and to "
    "wonder what was going to happen next. First, she tried to look down and make out what she "
    "was coming to, but it was too dark to see anything; then she looked at the sides of the "
    "well, and noticed that they were filled with cupboards and book-shelves; here and there she "
    "saw maps and pictures hung upon pegs. She took down a jar from one of the shelves as she "
    "passed; it was labelled 'ORANGE MARMALADE', but to her great disappointment it was empty: "
    "she did not like to drop the jar for fear of killing somebody, so managed to put it into "
    "one of the cupboards as she fell past it."
)
