"""The table by which the storyteller is accepted, on held-out items.

    python -m core.training.recipe.evaluate --checkpoints FOLDER --judge JUDGE --to RESULTS [--model BUNDLED]

Prints the table and writes RESULTS/continuations.json: 22 openings x 4 seeds, at Balanced and at temperature 1, to be rated by a reader.
A continuation is coherent if people and things stay the same, causes hold, and its sentences are whole (the last may be cut).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from random import Random

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.experiments.questions import facts, sums
from core.training import samples
from core.training.beginnings import EVERYDAY, STORIES
from core.training.exam import Candidate
from core.training.export import load_checkpoint
from core.training.recipe.judge import Judge
from core.training.recipe.train import SHAPE
from core.training.samples import BALANCED_TEMPERATURE, BALANCED_TOP_P
from core.training.world.ask import questions
from core.training.world.tell import story

OPENINGS = """Once upon a time
The dragon
A robot
My dog
In the middle of the night
The princess
Yesterday I
Dear diary,
It was raining and
The old wizard
There was a pirate
One day, a little girl
The teacher
My grandmother
A hungry wolf
On the moon
The last cookie
Tom and his sister
The cat and the mouse
Deep in the forest
When I woke up
The king had""".split("\n")
FORTY = [*EVERYDAY[:20], *STORIES[:20]]
SEEDS = 4


@torch.inference_mode()
def continuation(candidate: Candidate, opening: str, seed: int, temperature: float, top_p: float, new_tokens: int = 120) -> str:
    """One text from this opening, sampled at this temperature from the likeliest tokens that make up `top_p`."""
    dice = torch.Generator().manual_seed(seed)
    step, past, chosen = candidate.tokenizer(opening, return_tensors="pt").input_ids, None, []
    for _ in range(new_tokens):
        out = candidate.model(input_ids=step, past_key_values=past, use_cache=True, logits_to_keep=1)
        past = out.past_key_values
        odds, order = torch.softmax(out.logits[0, -1].float() / temperature, -1).sort(descending=True)
        odds[(odds.cumsum(0) - odds) >= top_p] = 0
        step = order[torch.multinomial(odds, 1, generator=dice)][None]
        if int(step) == candidate.tokenizer.eos_token_id:
            break
        chosen.append(int(step))
    return opening + candidate.tokenizer.decode(chosen)


def told_questions(candidate: Candidate, items: int = 100) -> float:
    """Share of told stories after which a question is answered right, greedily. These stories were never read: their seeds are others."""
    prompts: list[tuple[str, str]] = []
    number = 0
    while len(prompts) < items:
        rng = Random(f"examination/{number}")
        number += 1
        told = story(rng)
        if pairs := questions(told):
            question, answer = rng.choice(pairs)
            prompts.append((f"{told.text}\n\nQuestion: {question}\nAnswer:", answer))
    said = [candidate.continuations([prompt], 16)[0] for prompt, _ in prompts]
    heard = [text.partition("\n")[0].strip().rstrip(".").lower() for text in said]
    return sum(text == answer.lower() for text, (_, answer) in zip(heard, prompts, strict=True)) / items


def known_facts(candidate: Candidate) -> tuple[int, int]:
    """How many of 29 facts (every 27th of the plain ones) are known, and how many there are."""
    asked = facts.examination(plain=True)[::27][:29]
    said = candidate.continuations([before for _, before, _ in asked], 8)
    return sum(text.strip().startswith(answer) for text, (_, _, answer) in zip(said, asked, strict=True)), len(asked)


def right_sums(candidate: Candidate, aloud: bool, items: int = 40) -> int:
    """How many of 40 held-out sums of three numbers come out right, at once or thinking aloud."""
    rng = Random("sums")
    triples = [sums.triple(rng, exam=True) for _ in range(items)]
    prompts = [sums.question(*numbers) + ("Let us think" if aloud else "Answer:") for numbers in triples]
    said = [candidate.continuations([prompt], 140 if aloud else 8)[0] for prompt in prompts]
    wanted = [f"The answer is {sum(numbers)}." if aloud else f" {sum(numbers)}." for numbers in triples]
    return sum((answer in text) if aloud else text.startswith(answer.rstrip(".")) for text, answer in zip(said, wanted, strict=True))


def hurtful_texts(candidate: Candidate, count: int = 5000) -> int:
    """How many of so many texts at temperature 1 hold a hurtful word."""
    beginnings = [*EVERYDAY, *STORIES, *OPENINGS]
    return len(samples.hurting(samples.sample(candidate, [beginnings[number % len(beginnings)] for number in range(count)], 60, seed=11)))


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
        model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=torch.float32)
        candidate = Candidate(model, AutoTokenizer.from_pretrained(arguments.model))
    else:
        tokenizer = AutoTokenizer.from_pretrained(arguments.checkpoints / "tokenizer")
        candidate = Candidate(load_checkpoint(arguments.checkpoints / "checkpoint.pt", SHAPE, tokenizer), tokenizer)
    judge = Judge(arguments.judge) if arguments.judge else None
    arguments.to.mkdir(parents=True, exist_ok=True)
    told = {}
    for name, temperature, top_p in (("Balanced", BALANCED_TEMPERATURE, BALANCED_TOP_P), ("temperature 1", 1.0, 1.0)):
        told[name] = [continuation(candidate, opening, seed, temperature, top_p) for opening in OPENINGS for seed in range(SEEDS)]
        if judge:
            print(f"| judge, bits per character, {name} | {judge.bits_per_character(told[name]):.2f} |", flush=True)
    (arguments.to / "continuations.json").write_text(json.dumps(told, indent=1))
    found = samples.sureness(samples.sample(candidate, FORTY, 60, seed=5))
    print(f"| steps with a favourite above 99 %; mean entropy, bits | {found['above 99 %']:.1%}; {found['entropy']:.2f} |", flush=True)
    known, asked = known_facts(candidate)
    at_once, aloud = right_sums(candidate, False), right_sums(candidate, True)
    print(f"| facts; sums at once; sums aloud | {known}/{asked}; {at_once}/40; {aloud}/40 |", flush=True)
    print(f"| questions about told plots | {told_questions(candidate):.0%} |", flush=True)
    if arguments.texts:
        print(f"| hurtful texts of {arguments.texts} | {hurtful_texts(candidate, arguments.texts)} |", flush=True)


if __name__ == "__main__":
    main()
