"""Three prepared talks: three minutes, ten minutes, half an hour. `translated` returns one in the visitor's language.

`choose_examples` finds the seeds and the numbers of tokens, so that a run ends where a sentence ends and has a few real choices.
"""

from __future__ import annotations

from dataclasses import replace

from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import N_, _
from pages.ui.presenting.running_order import Stop, Talk
from pages.ui.session.share_link import encoded

DOUBT = 1.0  # bits: on stage, tokens below it are written without a press
EVERYTHING = 20.0  # bits: the whole text is written at one press


def _written(title: str, say: str, prompt: str = example_texts.FIRST_PROMPT, **settings: str) -> Stop:
    """Return a stop on stage: seed and number of tokens are chosen for the bundled weights."""
    chosen = example_texts.CHOSEN["stage"].get(title, {"seed": 0, "tokens": 12})
    return Stop(
        title, f"stage?{encoded({'prompt': prompt} | settings | {'seed': str(chosen['seed'])})}", say, chosen["tokens"], doubt=DOUBT
    )


def _result(title: str, page: str, say: str, result: str, *, shown: tuple[str, ...] = (), start: str | None = None) -> Stop:
    """Return a stop on a page that shows one experiment, large: its recorded result first, and at the first key a live one."""
    return Stop(title, page, say, shown=(f"result_{result}", *shown), start=f"{result}_start" if start is None else start)


ONE_TOKEN = _written(
    N_("One token at a time"),
    N_("The model runs on this computer, without a network. It writes one token, then it reads everything again and writes the next one."),
)
GUESS_FIRST = _written(
    N_("Guess first"),
    N_("Press G: the audience guesses before the probabilities are shown. The model guesses the same way, for every token it knows."),
    example_texts.BIRD,
)
HOTTER = _written(
    N_("Colder and hotter"),
    N_("The keys up and down change the temperature. The bars change, and the model's own probabilities, the pale bars, do not."),
    example_texts.TRAIN,
)
ANOTHER_WORD = _written(
    N_("Another word"),
    N_("Press C and choose a word that the model did not choose. It continues from there as if it had been its own idea."),
    example_texts.EXAMPLES["A dragon"],
)
THE_END = _written(
    N_("The end"),
    N_("The model repeats this for every token of every answer. What is written is never changed afterwards."),
    example_texts.EXAMPLES["A castle"],
)
TEACH = _result(
    N_("What it learns"),
    "teach",
    N_("One sentence is trained into a copy of the model. Its next-token probabilities change while you watch."),
    "teach",
)
THREE = Talk(N_("Three minutes"), (ONE_TOKEN, GUESS_FIRST, HOTTER, ANOTHER_WORD, TEACH, THE_END))

LOOP = Stop(
    N_("Caught in a loop"),
    "stage?run=loop",
    N_("A recording without dice: the likeliest token is taken every time. The model repeats one sentence and does not stop."),
    34,
    doubt=EVERYTHING,
)
ONE_WORD = Stop(
    N_("One word changes everything"),
    "what_if",
    N_("Both branches use the same dice. One word is different, and the rest of the text follows it."),
    shown=("what_if_view_0", "what_if_view_1", "what_if_view_2"),
    start="what_if_play",
)
INSIDE = Stop(
    N_("Inside one step"),
    "inside",
    N_("Each row is the guess after one layer of the model. The last row is what the dice get. It can be less sure than those above."),
    shown=("strip", "chart_inside_lens"),
)
WHY = _result(
    N_("Why this token?"),
    "why",
    N_("One word is hidden at a time, and the next token is measured again. Its probability falls where it depended on the word."),
    "why_words",
    start="",
)
NOTEPAD = _result(
    N_("The notepad"),
    "cache",
    N_("The same text is written with and without the notepad (KV cache), timed. Without it, every earlier token is computed again."),
    "race",
    start="cache_start",
)
MANY = _result(
    N_("Many at once"),
    "batching",
    N_("Eight requests, first one after the other, then together. One pass through the weights serves all of them."),
    "batching",
)
TEN = Talk(
    N_("Ten minutes"),
    (*THREE.stops[:4], LOOP, ONE_WORD, INSIDE, WHY, NOTEPAD, MANY, TEACH, THE_END),
)
HALF_AN_HOUR = Talk(
    N_("Half an hour"),
    (
        Stop(
            N_("From the prompt to the token"),
            "tour?stop=send",
            N_("This is all that is sent to the model: a list of numbers. Show it, then go on to the stage."),
        ),
        *THREE.stops[:4],
        LOOP,
        ONE_WORD,
        _result(
            N_("Several tries"),
            "candidates",
            N_("Many answers are written at once. One is picked, and all of them are paid for."),
            "candidates",
        ),
        INSIDE,
        Stop(
            N_("Training"),
            "growing",
            N_("Each row is the same model at one moment of its training. At the top all tokens are about equal, at the bottom not."),
            shown=("chart_growing_lens",),
        ),
        TEACH,
        _result(
            N_("Thinking aloud"),
            "think",
            N_("The same sum is asked twice. Written down step by step, each step is an easy one."),
            "think",
        ),
        NOTEPAD,
        _result(
            N_("When it is full"),
            "memory",
            N_("The notepad has a limit. What was dropped cannot be looked up again, and the answer is wrong."),
            "memory",
        ),
        _result(
            N_("The context"),
            "context",
            N_("The longer the text, the longer the wait for the first new token. Every later token costs a little more, too."),
            "context",
        ),
        MANY,
        _result(
            N_("Guess and check"),
            "speculative",
            N_("A small model guesses a few tokens, and the large one checks them in one pass. The text is the large model's."),
            "speculative",
        ),
        _result(
            N_("Fewer bits"),
            "quantization",
            N_("The same model with fewer bits for each weight. Down to a point its probabilities hardly change."),
            "quantization",
        ),
        Stop(
            N_("The bill"),
            "cost",
            N_("This is what the text on the stage cost: work, bytes, seconds, energy and money. Each line says how it is known."),
            shown=("receipt",),
        ),
        THE_END,
    ),
)
TALKS = {talk.name: talk for talk in (THREE, TEN, HALF_AN_HOUR)}


def translated(talk: Talk) -> Talk:
    """Return a prepared talk in the visitor's language."""
    return replace(talk, name=_(talk.name), stops=tuple(replace(stop, title=_(stop.title), say=_(stop.say)) for stop in talk.stops))
