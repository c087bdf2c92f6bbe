"""Examine the bundled models on what they were not taught, and print the table of the model card.

    python -m core.training.evaluate --corpus TEXTS [--cards] [--small]

TEXTS is the folder of plain text that the models were trained on: two of its books and sixty of its storybooks were kept from them, its
words count as known words, and its stories as text that might have been copied. With --cards the tables replace everything below the
heading "## Evaluation" of the cards, up to the line that says where the table ends.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.training import exam, prose, samples
from core.training.beginnings import EVERYDAY, HEROES, STORIES
from core.training.corpus import Corpus
from core.training.exam import Candidate
from core.training.spelling import known_words

BUNDLED = Path(__file__).parents[1] / "bundled"
HEADING, END = "## Evaluation", "<!-- end of the table -->"
ABOUT = """`python -m core.training.evaluate --corpus TEXTS` on held-out items. Facts are right only if every token of the answer is the
favourite. A goal in the third column was set before the training; where it was missed, it was missed."""
# The forty beginnings of the sureness goal.
FORTY = [*EVERYDAY[:20], *STORIES[:20]]
# Six that are taught, as everybody tries them first.
KNOWN = ["Once upon a time, there was a little", "One day,", "I love", "The best thing about", "Yesterday I went to the", "Dear diary,"]
VARIED = [*EVERYDAY, *STORIES, *(beginning for _, beginning in HEROES)]

lines: list[str] = []


def say(line: str) -> None:
    """Print a line and keep it for the card."""
    lines.append(line)
    print(line, flush=True)


def load(folder: Path) -> Candidate:
    """The model in this folder, in fp32 (what a CPU computes fastest)."""
    return Candidate(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32), AutoTokenizer.from_pretrained(folder))


def row(name: str, value: str, goal: str = "") -> None:
    """One line of the table."""
    say(f"| {name} | {value} | {goal} |")


def heading(title: str) -> None:
    """Begin a table."""
    for line in ("", f"### {title}", "", "| what | result | goal |", "|---|---|---|"):
        say(line)


def sureness(candidate: Candidate, seeds: int) -> None:
    """How sure the model is of its own texts, at temperature 1."""
    heading("How sure it is, step by step, of texts that it samples at temperature 1")
    for name, beginnings in (
        ("40 everyday and story beginnings", FORTY),
        ("the story beginnings among them", FORTY[20:]),
        ("six beginnings that lessons or stories have", KNOWN * 3),
    ):
        told = samples.sample(candidate, beginnings * seeds, 60, seed=5)
        found = samples.sureness(told)
        goals = ("<= 30 %", ">= 2.2", "<= 40 %") if beginnings is FORTY else ("", "", "")
        steps = sum(len(one.favourite) for one in told)
        row(f"{name}: steps with a favourite above 99 % ({steps:,} steps)", f"{found['above 99 %']:.1%}", goals[0])
        row(f"{name}: mean entropy, bits", f"{found['entropy']:.2f}", goals[1])
        row(f"{name}: steps with a single token left by the Balanced preset", f"{found['alone']:.1%}", goals[2])


def held_out(candidate: Candidate, corpus: Corpus, most: int) -> dict[str, list[list[int]]]:
    """Rows of tokens of the books that were never read, by title."""
    return {title: prose.windows(candidate.tokenizer, texts, most=most) for title, texts in corpus.held_out.items()}


def real_prose(candidate: Candidate, corpus: Corpus, most: int) -> dict[str, list[list[int]]]:
    """Surprise at books that were never read; the rows of tokens that were asked."""
    heading("Real prose that it never read")
    rows = held_out(candidate, corpus, most)
    taught = prose.in_one_row(candidate.tokenizer, corpus.texts())
    for title, asked in rows.items():
        foreseen, counted = prose.foresee(candidate, asked), prose.five_grams(candidate.tokenizer, taught, asked)
        name = f"{title} ({foreseen.tokens:,} tokens)"
        row(f"{name}: perplexity per token", f"{foreseen.perplexity:.1f}", f"counting five-grams: {counted.perplexity:.1f}")
        row(f"{name}: bits per character", f"{foreseen.bits_per_character:.2f}", f"counting five-grams: {counted.bits_per_character:.2f}")
    return rows


def knowledge(candidate: Candidate, items: int) -> None:
    """Facts, sums and recall."""
    heading("Facts: every token of the answer is the favourite")
    for name, value in exam.facts_right(candidate).items():
        row(name, f"{value:.1%}", ">= 98 %" if name.startswith("capitals") else ">= 95 %" if name.startswith("all") else "")
    for name, value in exam.strange_facts_right(candidate, items).items():
        row(name, f"{value:.1%}")
    heading("Sums, held-out numbers, greedy")
    for name, value in exam.sums_right(candidate, items).items():
        row(name, f"{value:.0%}", ">= 85 %, and 30 points above at once" if "step" in name else "")
    heading("Recall of a fact from the text, held-out combinations, greedy")
    for name, value in exam.recall_right(candidate, items).items():
        row(name, f"{value:.0%}", ">= 90 %" if " 10 " in name else "")


def certainty(candidate: Candidate, items: int) -> None:
    """Entropies after certain and open prompts, and against the known entropy of the urns."""
    heading("Entropy of the next token, bits")
    for kind, rows in exam.entropies(candidate).items():
        for prompt, bits in rows:
            row(f"{kind}: `{prompt}`".replace("\n", " "), f"{bits:.2f}", "< 0.5" if kind == "certain" else "> 2")
    heading("Bits for a draw by chance, against the entropy of the urn")
    for opening, bits, least in exam.against_known_entropy(candidate):
        goal = "within 0.3 of " if opening in exam.MUST_BE_FLAT else ""
        row(f"`{opening}`", f"{bits:.2f}", f"{goal}{least:.2f}{'' if goal else ' at best'}")
    heading("Loss per token (nats)")
    for name, (held_out, taught) in exam.lesson_losses(candidate, max(5, items // 2)).items():
        row(f"lesson: {name}", f"{held_out:.3f}", f"as in training: {taught:.3f}")


def stories(candidate: Candidate, corpus: Corpus, count: int) -> None:
    """Coherence as far as a program sees it, English words, copies."""
    heading(f"{count} stories of 120 tokens at temperature 0.8")
    asked = list(islice(HEROES * count, count))
    told = samples.sample(candidate, [beginning for _, beginning in asked], 120, 0.8, seed=2)
    seen = [samples.coherence(hero, beginning, one.text) for (hero, beginning), one in zip(asked, told, strict=True)]
    row("name the hero again", f"{exam.share(one.named_again for one in seen):.0%}")
    row("never have somebody else in the hero's place", f"{exam.share(one.nobody_instead for one in seen):.0%}")
    row("close all quotation marks", f"{exam.share(one.quotes_closed for one in seen):.0%}")
    row("repeat no sentence", f"{exam.share(one.nothing_twice for one in seen):.0%}")
    texts = [one.text for one in told]
    row("distinct stories", str(len(set(texts))), str(count))
    copied = exam.longest_copies(texts, corpus.texts())
    row("stories with 13 words or more in a row as in the plain text", f"{exam.share(copied):.0%}", "<= 5 %")
    everyday = [one.beginning + one.text for one in samples.sample(candidate, list(islice(VARIED, 100)), 80, 0.8, seed=1)]
    rate, strange = exam.english([*texts, *everyday], known_words(corpus))
    row(f"English words ({len(texts) + len(everyday)} texts)", f"{rate:.2%}", ">= 99 %")
    say(f"\nNot in the list of known words: {', '.join(dict.fromkeys(strange[:30])) or 'none'}.")


def nothing_hurtful(candidate: Candidate, count: int) -> None:
    """Scan many samples for words that should not be there."""
    heading("Hurtful words (the list is in `core/training/decency.py`)")
    texts = samples.sample(candidate, list(islice(VARIED * count, count)), 60, seed=9)
    found = samples.hurting(texts)
    row(f"texts of 60 tokens at temperature 1, out of {count:,}", str(len(found)), "0")
    print("\n".join(f"{words}: {text!r}" for text, words in found[:40]), flush=True)


def mini(name: str, teacher: Candidate, student: Candidate, rows: dict[str, list[list[int]]], goal: str = "") -> None:
    """Agreement, facts and speed of a small model beside the large one; `goal` of the agreement."""
    heading(f"{name} beside storyteller")
    row("same favourite, held-out lesson positions", f"{exam.agreement(teacher, student):.1%}", goal)
    same = positions = 0.0
    for title, asked in rows.items():
        agreement, count = prose.agreement(teacher, student, asked), sum(len(one) - 1 for one in asked)
        same, positions = same + agreement * count, positions + count
        row(f"same favourite, {title}", f"{agreement:.1%}", goal)
        foreseen = [prose.foresee(candidate, asked).perplexity for candidate in (student, teacher)]
        row(f"perplexity of the small one, {title}", f"{foreseen[0]:.1f}", f"the large one: {foreseen[1]:.1f}")
    if positions:
        row(f"same favourite, all real prose together ({positions:,.0f} positions)", f"{same / positions:.1%}", goal)
    for title, right in exam.facts_right(student).items():
        if title.startswith("all facts"):
            row(title, f"{right:.1%}")
    seconds = [exam.seconds_per_token(candidate) for candidate in (teacher, student)]
    row(
        "milliseconds per token, one CPU thread",
        f"{seconds[0] * 1000:.2f} and {seconds[1] * 1000:.2f}: {seconds[0] / seconds[1]:.1f} times faster",
        ">= 2 times" if goal else "",
    )
    row("parameters", " and ".join(f"{candidate.model.num_parameters():,}" for candidate in (teacher, student)))


def into_card(card: str, table: Sequence[str]) -> str:
    """The card with this table in place of the old one; what stands before the heading and behind the end of the table stays."""
    before, _, rest = card.partition(HEADING)
    after = rest.partition(END)[2]
    return f"{before}{HEADING}\n\n{ABOUT}\n" + "\n".join(table) + f"\n\n{END}{after or chr(10)}"


def into_cards(bundle: Path, tables: Mapping[str, Sequence[str]]) -> None:
    """Write the tables into README.md of the models, by their names."""
    for name, rows in tables.items():
        card = bundle / name / "README.md"
        text = card.read_text(encoding="utf-8") if card.exists() else f"# {name}\n\n"
        card.write_text(into_card(text, rows), encoding="utf-8")


def examine(models: Path, corpus: Corpus, items: int, texts: int, seeds: int, small_only: bool = False) -> dict[str, list[str]]:
    """Put every question to the models; the lines of each one's table. small_only: not to the storyteller."""
    lines.clear()
    teacher = load(models / "storyteller")
    tables: dict[str, list[str]] = {}
    if small_only:
        rows = held_out(teacher, corpus, most=2 * items)
    else:
        sureness(teacher, seeds)
        rows = real_prose(teacher, corpus, most=2 * items)
        stories(teacher, corpus, items)
        knowledge(teacher, items)
        certainty(teacher, items)
        nothing_hurtful(teacher, texts)
        tables["storyteller"] = list(lines)
    for name, goal in (("storyteller-mini", ">= 75 %"), ("storyteller-mini-alone", "")):
        if (models / name).exists():
            lines.clear()
            mini(name, teacher, load(models / name), rows, goal)
            tables[name] = list(lines)
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files that the models were trained on")
    parser.add_argument("--models", type=Path, default=BUNDLED, help="folder with storyteller/, storyteller-mini/ and its twin")
    parser.add_argument("--items", type=int, default=100, help="how many questions of each kind")
    parser.add_argument("--texts", type=int, default=5000, help="how many texts to scan for hurtful words")
    parser.add_argument("--seeds", type=int, default=5, help="how many texts after each beginning, for the sureness")
    parser.add_argument("--cards", action="store_true", help="write the tables into README.md of the models")
    parser.add_argument("--small", action="store_true", help="examine the small ones only")
    arguments = parser.parse_args()
    tables = examine(arguments.models, Corpus(arguments.corpus), arguments.items, arguments.texts, arguments.seeds, arguments.small)
    if arguments.cards:
        into_cards(arguments.models, tables)


if __name__ == "__main__":
    main()
