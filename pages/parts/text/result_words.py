"""What is said of results: what made them, that they are from before, and why an experiment cannot begin or was ended."""

AGAIN = "Run again"
OUTDATED = "Made before you changed {what}"
AND = " and "
MODEL, PROMPT, SETTINGS = "the model", "the prompt", "the settings"
NO_PROMPT = "no prompt"
SEED = "seed {seed}"

EVERYBODY_BUSY = "As many experiments are running here as this machine can carry. Try again in a minute."
YOU_ARE_BUSY = "You have {count} experiments running. Stop one of them, or wait until it is over."
LASTED = "It was ended after {duration}, the longest an experiment may run here. What it has found stays."
FOUND_ENOUGH = "It was ended after {count} observations, the most that are kept. What it has found stays."
FAILED = "Something went wrong here, and it is our fault. What was found so far stays; you can start it again."

RECORDED = "A recording."
RECORDED_OTHER = "A recording, made with other choices than those above."
RECORDED_ON = "Made on {day}: {told}"
LIVE = "Run it live"
LIVE_HELP = "Do the same here and now, with your model, your prompt and your settings."
PLAY = "Play"
PLAY_HELP = "Show the recording once more, in the time it took."
KEEP_HELP = "Save this experiment as a file. The gallery opens it again, without a model."
PACE = "How fast it plays"


def pace(times: float) -> str:
    """A pace as it is chosen.

    >>> pace(0.5), pace(20.0)
    ('× 0.5', '× 20')
    """
    return f"× {times:g}"
