"""Three prepared talks: three minutes, ten minutes, half an hour. `translated` returns one in the visitor's language.

`choose_examples` finds the seeds and the numbers of tokens, so that a run ends where a sentence ends and has a few real choices.
"""

from __future__ import annotations

from dataclasses import replace

from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import N_, _
from pages.ui.presenting.talk_file import Stop, Talk
from pages.ui.session.share_link import encoded

DOUBT = 1.0  # bits: on stage, tokens below it are written without a press
EVERYTHING = 20.0  # bits: the whole text is written at one press


def _written(title: str, say: str, prompt: str = example_texts.FIRST_PROMPT, *acts: str) -> Stop:
    """Return a stop on stage: seed and number of tokens are chosen for the bundled weights."""
    chosen = example_texts.CHOSEN["stage"].get(title, {"seed": 0, "tokens": 12})
    link = f"stage?{encoded({'prompt': prompt, 'seed': str(chosen['seed'])})}"
    return Stop(title, link, say, chosen["tokens"], doubt=DOUBT, acts=acts)


def _result(title: str, page: str, say: str, result: str, *, shown: tuple[str, ...] = (), start: str | None = None) -> Stop:
    """Return a stop on a page that shows one experiment, large. shown: the question, in view before the first key starts the experiment.

    start: key of the button. "" shows the recorded result at once.
    """
    return Stop(title, page, say, shown=(f"result_{result}", *shown), start=f"{result}_start" if start is None else start)


ONE_TOKEN = _written(
    N_("One token at a time"),
    N_(
        "The model runs on this computer, without a network. It writes one token, then it computes the probabilities of the next one.\n"
        "The first token has five parts: read, think, weigh, roll, write. Each press shows the next part. After it, each press is one "
        "choice. Tokens without a choice are written without a press."
    ),
)
GUESS_FIRST = _written(
    N_("Guess first"),
    N_(
        "What comes next? Type what the audience calls out, with Enter after each word. A number takes a suggestion.\n"
        "→ shows the probabilities, → again rolls. The model guesses the same way, for every token it knows."
    ),
    example_texts.BIRD,
    "guess",
)
THE_VOTE = _written(
    N_("The audience votes"),
    N_(
        "Phones scan the code and vote. Without phones, count raised hands: ↓ chooses an option, digits give its number.\n"
        "→ ends the vote and shows the audience's answer beside the model's. 1 continues with the audience's favourite, 2 with the "
        "model's, 3 with the token of the dice."
    ),
    example_texts.DOG,
    "vote",
)
HOTTER = _written(
    N_("Colder and hotter"),
    N_(
        "→ cold, → hot, → back to 0.7, then the text is written.\n"
        "Cold: the likeliest token gets nearly everything. Hot: unlikely tokens are chosen too. The bars change, and the model's own "
        "probabilities, the pale bars, do not."
    ),
    example_texts.TRAIN,
    "temperature 0.2",
    "temperature 1.8",
    "temperature 0.7",
)
ANOTHER_WORD = _written(
    N_("Another word"),
    N_(
        "→ the model chooses a word. → frames another one, and → again takes it in its place (↑ and ↓ move the frame).\n"
        "The model continues from there as if the word had been its own idea."
    ),
    example_texts.EXAMPLES["A dragon"],
    "choose",
)
THE_END = _written(
    N_("The end"),
    N_(
        "The model repeats this for every token of every answer. It never changes what it has written.\n"
        "The last press shows the whole text, a picture for the questions."
    ),
    example_texts.EXAMPLES["A castle"],
)
TEACH = _result(
    N_("What it learns"),
    "teach",
    N_(
        "One sentence is trained into a copy of the model. Its next-token probabilities change while you watch.\n"
        "At the top: what it wrote before, and what it writes now."
    ),
    "teach",
    shown=("teach_text",),
)
THREE = Talk(N_("Three minutes"), (ONE_TOKEN, GUESS_FIRST, HOTTER, ANOTHER_WORD, TEACH, THE_END), minutes=3)

LOOP = Stop(
    N_("Caught in a loop"),
    "stage?run=loop",
    N_(
        "A recording without dice: the likeliest token is taken every time. No press is a choice here, so one press writes all.\n"
        "The model repeats one sentence and does not stop."
    ),
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
    N_(
        "Each row is the guess after one layer of the model, the first row the one before any layer. The last row is what the dice get.\n"
        "The layers in between were not trained to answer, so their tokens can look strange."
    ),
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
    N_(
        "The same text is written with and without the notepad, timed. The notepad is the KV cache: the notes about all earlier tokens.\n"
        "Without it, every earlier token is computed again."
    ),
    "race",
    start="cache_start",
)
MANY = _result(
    N_("Many at once"),
    "batching",
    N_("Eight requests, on the left one after the other. On the right one pass through the weights serves all of them."),
    "batching",
)
TEN = Talk(
    N_("Ten minutes"),
    (*THREE.stops[:2], THE_VOTE, *THREE.stops[2:4], LOOP, ONE_WORD, INSIDE, WHY, NOTEPAD, MANY, TEACH, THE_END),
    minutes=10,
)
HALF_AN_HOUR = Talk(
    N_("Half an hour"),
    (
        Stop(
            N_("From the text to the numbers"),
            "tour?stop=pieces",
            N_(
                "This is all that the model gets: a list of numbers, one for each token. A token is a word or a piece of a word.\n"
                "A rare word becomes several tokens: type one that the audience names, then click beside the field."
            ),
            shown=("tour_widget_pieces",),
        ),
        *THREE.stops[:4],
        LOOP,
        ONE_WORD,
        _result(
            N_("Several tries"),
            "candidates",
            N_("Eight answers are written at once. One is picked, and all of them are paid for: the price is the first line."),
            "candidates",
            shown=("own_text",),
        ),
        INSIDE,
        Stop(
            N_("Training"),
            "growing",
            N_(
                "Each row is the same model at one moment of its training, with its five likeliest next tokens. The number at the left "
                "says how many tokens it had read until then. At the top all tokens are about equal. Below, one answer wins."
            ),
            shown=("growing_prompt", "chart_growing_lens"),
        ),
        TEACH,
        _result(
            N_("Thinking aloud"),
            "think",
            N_("The same sum is asked twice: at once, and step by step. Written down, each step is an easy one."),
            "think",
            shown=("think_question",),
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
        Stop(
            N_("Guess and check"),
            "speculative",
            N_(
                "A small model guesses a few tokens, and the large one checks them in one pass. It replaces the first guess that it "
                "rejects.\n"
                "Several tokens for one pass of the large model. Whether that saves time depends on the machine: the sentence below the "
                "figures says what was measured here."
            ),
            shown=("own_text", "speculative_seen"),
            start="speculative_start",
        ),
        _result(
            N_("Fewer bits"),
            "quantization",
            N_(
                "The same model with fewer bits for each weight. Down to a point its probabilities hardly change.\n"
                "The divergence says how far they are from those of the full model. 0: no difference."
            ),
            "quantization",
        ),
        Stop(
            N_("The bill"),
            "cost",
            N_(
                "This is what the text of the stop “Inside one step” cost: work, bytes, seconds, energy and money. The mark before each "
                "line says how its number is known."
            ),
            shown=("receipt", "receipt_kinds"),
        ),
        THE_END,
    ),
    minutes=30,
)
TALKS = {talk.name: talk for talk in (THREE, TEN, HALF_AN_HOUR)}


def translated(talk: Talk) -> Talk:
    """Return a prepared talk in the visitor's language."""
    return replace(talk, name=_(talk.name), stops=tuple(replace(stop, title=_(stop.title), say=_(stop.say)) for stop in talk.stops))
