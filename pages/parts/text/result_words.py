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
