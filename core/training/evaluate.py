"""Examine the bundled models on what they were not taught, and print the table of the model card.

    python -m core.training.evaluate [--corpus TEXTS]

With --corpus the words and stories of the plain text count as known words and as text that might have been copied.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.training import exam
from core.training.corpus import Corpus
from core.training.exam import Candidate
from core.training.lessons import document, stories

BUNDLED = Path(__file__).parents[1] / "bundled"
STARTS = [
    "Once upon a time, there was a little",
    "One day,",
    "Dear diary,",
    "I love",
    "The best thing about",
    "Yesterday I went to",
    "A robot",
    "The dragon",
    "Tom and Mia",
    "My favourite",
    "A football match:",
    "Dear Anna,",
    "Once there was",
    "Last summer",
    "Suddenly,",
    "The weather",
    "How to make",
    "A fox",
    "My grandmother",
    "Knock knock.",
]


def load(folder: Path) -> Candidate:
    """The model in this folder, in fp32 (what a CPU computes fastest)."""
    return Candidate(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder))


def row(name: str, value: str, goal: str = "") -> None:
    """Print one line of the table."""
    print(f"| {name} | {value} | {goal} |", flush=True)


def heading(title: str) -> None:
    """Begin a table."""
    print(f"\n### {title}\n\n| what | result | goal |\n|---|---|---|", flush=True)


def knowledge(candidate: Candidate, items: int) -> None:
    """Facts, sums and recall."""
    heading("Facts: every token of the answer is the favourite")
    for name, value in exam.facts_right(candidate).items():
        row(name, f"{value:.1%}", ">= 95 %" if name.startswith(("all", "capitals")) else "")
    heading("Sums, held-out numbers, greedy")
    for name, value in exam.sums_right(candidate, items).items():
        row(name, f"{value:.0%}", ">= 85 %, and 30 points above at once" if "step" in name else "")
    heading("Recall of a fact from the text, held-out combinations, greedy")
    for name, value in exam.recall_right(candidate, items).items():
        row(name, f"{value:.0%}")


def certainty(candidate: Candidate) -> None:
    """Entropies after certain and open prompts, and against the known entropy of the urns."""
    heading("Entropy of the next token, bits")
    for kind, rows in exam.entropies(candidate).items():
        for prompt, bits in rows:
            row(f"{kind}: `{prompt}`".replace("\n", " "), f"{bits:.2f}", "< 0.5" if kind == "certain" else "> 2")
    heading("Bits for a draw by chance, against the entropy of the urn")
    for opening, bits, least in exam.against_known_entropy(candidate):
        row(f"`{opening}`", f"{bits:.2f}", f"{least:.2f} at best")
    heading("Loss per token (nats)")
    for name, (held_out, taught) in exam.lesson_losses(candidate).items():
        row(f"lesson: {name}", f"{held_out:.3f}", f"as in training: {taught:.3f}")


def language(candidate: Candidate, corpus: Corpus) -> None:
    """English words, distinct stories, verbatim copies."""
    heading("Language at temperature 0.8")
    rng = Random(3)
    lessons = [document(rng) for _ in range(20_000)]
    known = exam.words_of(lessons) | exam.words_of(corpus.stories) | exam.words_of(corpus.prose)
    texts = [start + text for start, text in zip(STARTS * 5, candidate.continuations(STARTS * 5, 80, 0.8, seed=1), strict=True)]
    rate, strange = exam.english(texts, known)
    row(f"English words ({len(texts)} texts)", f"{rate:.2%}", ">= 99 %")
    start = "Once upon a time, there was a little"
    # Without the beginning, which was given, and without questions about the story: the model is judged by the story that it wrote.
    written = [text.split("\nQuestion")[0] for text in candidate.continuations([start] * 100, 160, 0.8, seed=2)]
    row("distinct stories out of 100", str(len(set(written))), "100")
    name = "stories with 13 words or more in a row as in"
    if corpus:
        row(f"{name} the plain text", f"{exam.share(exam.longest_copies(written, corpus.stories + corpus.prose)):.0%}", "< 50 %")
    for many in (5_000, 20_000, 50_000):
        taught = (stories.story(rng) for _ in range(many))
        row(f"{name} {many:,} stories of the lessons", f"{exam.share(exam.longest_copies(written, taught)):.0%}", "< 50 %")
    print(f"\nNot in the list of known words: {', '.join(strange[:30]) or 'none'}.")


def mini(teacher: Candidate, student: Candidate) -> None:
    """Agreement and speed of the distilled model."""
    heading("storyteller-mini beside storyteller")
    row("same favourite, held-out lesson positions", f"{exam.agreement(teacher, student):.1%}", ">= 75 %")
    seconds = [exam.seconds_per_token(candidate) for candidate in (teacher, student)]
    row(
        "milliseconds per token, one CPU thread",
        f"{seconds[0] * 1000:.2f} and {seconds[1] * 1000:.2f}: {seconds[0] / seconds[1]:.1f} times faster",
        ">= 2 times",
    )
    row("parameters", " and ".join(f"{candidate.model.num_parameters():,}" for candidate in (teacher, student)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files that the models were trained on")
    parser.add_argument("--models", type=Path, default=BUNDLED, help="folder with storyteller/ and storyteller-mini/")
    parser.add_argument("--items", type=int, default=100, help="how many questions of each kind")
    arguments = parser.parse_args()
    teacher = load(arguments.models / "storyteller")
    knowledge(teacher, arguments.items)
    certainty(teacher)
    language(teacher, Corpus(arguments.corpus))
    mini(teacher, load(arguments.models / "storyteller-mini"))


if __name__ == "__main__":
    main()
