"""The table by which the storyteller is accepted, on held-out items.

    python -m core.bundled.recipe.evaluate (--checkpoints FOLDER | --model MODEL) --to RESULTS [--judge JUDGE] [--texts 5000]

Prints the table and writes RESULTS/continuations.json: 22 openings x 4 seeds, at Balanced and at temperature 1, to be rated by a reader.
A continuation is coherent if people and things stay the same, causes hold, and its sentences are whole (the last may be cut).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.bundled.recipe.candidate import PLAIN, Candidate, Sample
from core.bundled.recipe.export import load_checkpoint
from core.bundled.recipe.hurtful_words import hurtful
from core.bundled.recipe.judge import Judge
from core.bundled.recipe.models import CHECKPOINTS, STORYTELLER
from core.bundled.recipe.world.ask import questions
from core.bundled.recipe.world.tell import story
from core.experiments.shared.questions import facts, sums
from core.experiments.shared.questions.words import read

BUNDLED = Path(__file__).parents[1]
# The settings that are compared, for `generate`. The first is the app's preset of this name.
SETTINGS = {"Balanced": PLAIN | {"temperature": 0.7, "top_p": 0.9}, "temperature 1": PLAIN}
EVERYDAY, STORIES, OPENINGS = read(Path(__file__).with_name("evaluate.toml")).values()
FORTY = [*EVERYDAY[:20], *STORIES[:20]]
SEEDS = 4


def load(folder: Path) -> Candidate:
    """Return the model of this folder in float32, which a CPU computes fastest."""
    return Candidate(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder))


def sureness(samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the share of steps with a token above 99 %, and the mean entropy in bits, over all steps of the samples."""
    largest = [value for sample in samples for value in sample.largest]
    entropy = [value for sample in samples for value in sample.entropy]
    return sum(value > 0.99 for value in largest) / len(largest), sum(entropy) / len(entropy)


def told_questions(candidate: Candidate, items: int = 100) -> float:
    """Return the share of told stories after which a question is answered right, greedily. The training never reads these seeds."""
    prompts: list[tuple[str, str]] = []
    number = 0
    while len(prompts) < items:
        rng = Random(f"examination/{number}")
        number += 1
        tale = story(rng)
        if pairs := questions(tale):
            question, answer = rng.choice(pairs)
            prompts.append((f"{tale.text}\n\nQuestion: {question}\nAnswer:", answer))
    continuations = [candidate.continuation(prompt, 16, do_sample=False) for prompt, _ in prompts]
    answers = [text.partition("\n")[0].strip().rstrip(".").lower() for text in continuations]
    return sum(text == answer.lower() for text, (_, answer) in zip(answers, prompts, strict=True)) / items


def known_facts(candidate: Candidate) -> tuple[int, int]:
    """Return how many of 29 facts (every 27th of the plain ones) are known, and how many were asked."""
    asked = facts.held_out_facts(plain=True)[::27][:29]
    continuations = [candidate.continuation(before, 8, do_sample=False) for _, before, _ in asked]
    return sum(text.strip().startswith(answer) for text, (_, _, answer) in zip(continuations, asked, strict=True)), len(asked)


def right_sums(candidate: Candidate, aloud: bool, items: int = 40) -> int:
    """Return how many of 40 held-out sums of three numbers are right, at once or after thinking aloud."""
    rng = Random("sums")
    triples = [sums.triple(rng, exam=True) for _ in range(items)]
    prompts = [sums.question(*numbers) + ("Let us think" if aloud else "Answer:") for numbers in triples]
    continuations = [candidate.continuation(prompt, 140 if aloud else 8, do_sample=False) for prompt in prompts]
    wanted = [f"The answer is {sum(numbers)}." if aloud else f" {sum(numbers)}." for numbers in triples]
    return sum(
        (answer in text) if aloud else text.startswith(answer.rstrip(".")) for text, answer in zip(continuations, wanted, strict=True)
    )


def hurtful_texts(candidate: Candidate, count: int = 5000) -> list[list[str]]:
    """Return the hurtful words of each text that contains any, of so many texts at temperature 1."""
    beginnings = [*EVERYDAY, *STORIES, *OPENINGS]
    prompts = [beginnings[number % len(beginnings)] for number in range(count)]
    return [words for sample in candidate.samples(prompts, 60, seed=11) if (words := hurtful(sample.text))]


def evaluate(candidate: Candidate, to: Path, judge: Path | None = None, texts: int = 5000) -> None:
    """Print the table and write the continuations into the folder `to`."""
    judging = Judge(judge) if judge else None
    to.mkdir(parents=True, exist_ok=True)
    written = {}
    for name, settings in SETTINGS.items():
        written[name] = [start + candidate.continuation(start, 120, seed, **settings) for start in OPENINGS for seed in range(SEEDS)]
        if judging:
            print(f"| judge, bits per character, {name} | {judging.bits_per_character(written[name]):.2f} |", flush=True)
    (to / "continuations.json").write_text(json.dumps(written, indent=1))
    above, entropy = sureness(candidate.samples(FORTY, 60, seed=5))
    print(f"| steps with a token above 99 %; mean entropy, bits | {above:.1%}; {entropy:.2f} |", flush=True)
    right_facts, asked = known_facts(candidate)
    at_once, aloud = right_sums(candidate, False), right_sums(candidate, True)
    print(f"| facts; sums at once; sums aloud | {right_facts}/{asked}; {at_once}/40; {aloud}/40 |", flush=True)
    print(f"| questions about told plots | {told_questions(candidate):.0%} |", flush=True)
    if texts:
        hurtful = hurtful_texts(candidate, texts)
        print(f"| hurtful texts of {texts} | {len(hurtful)} {' '.join(map(' '.join, hurtful))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--checkpoints", type=Path, help="folder of a run")
    source.add_argument("--model", type=Path, help="folder of an exported model")
    parser.add_argument("--judge", type=Path, help="folder of the judging model")
    parser.add_argument("--to", type=Path, required=True, help="folder for the continuations")
    parser.add_argument("--texts", type=int, default=5000, help="texts to scan for hurtful words; 0 leaves it out")
    arguments = parser.parse_args()
    if arguments.model:
        candidate = load(arguments.model)
    else:
        tokenizer = AutoTokenizer.from_pretrained(arguments.checkpoints / "tokenizer")
        candidate = Candidate(load_checkpoint(arguments.checkpoints / CHECKPOINTS["storyteller"], STORYTELLER, tokenizer), tokenizer)
    evaluate(candidate, arguments.to, arguments.judge, arguments.texts)


if __name__ == "__main__":
    main()
