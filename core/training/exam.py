"""The examination: one function per question that is put to a bundled model, each returning plain numbers.

Everything asked here is held out of the training text by the lessons' own rule, except where a fact can only be known by having been
taught (then its phrasing is held out). Knows nothing about tables; evaluate.py prints them.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence
from random import Random

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from core.experiments.questions import facts, sums
from core.experiments.questions.atlas import CAPITALS
from core.training.data import IGNORED, Lessons
from core.training.lessons import LESSONS, chance, recall
from core.training.spelling import WORD

CERTAIN = [
    "The capital of France is",
    "The capital of Japan is",
    "The opposite of hot is",
    "After Monday comes",
    "A young dog is called a",
    "Grass is",
    "Question: How much is 2 + 3?\nAnswer:",
    "1, 2, 3, 4,",
    "Mia's key is under the red pot. Where is Mia's key? Mia's key is under the red",
    "Once upon a",
]
OPEN = [
    "My favourite colour is",
    "The weather tomorrow will be",
    "I rolled a die and got a",
    "My name is",
    "Yesterday I went to the",
    "For breakfast I had",
    "Once upon a time, there was a little",
    "I love",
    "The best thing about",
    "When I grow up, I want to be a",
]
# Urns whose entropy is known, for their openings stand in no other lesson.
URNS = [
    "I rolled a die and got a",
    "I threw the dice, and it was a",
    "I pulled a card out of the deck. It was the",
    "For dinner we will eat",
    "I flipped a coin and it came up",
    "We will meet on",
    "My birthday is in",
    "I am thinking of an animal. It is a",
    "Last summer we travelled to",
]

# Where a hall tries its luck.
MUST_BE_FLAT = ("I rolled a die and got a", "I pulled a card out of the deck. It was the", "I flipped a coin and it came up")


class Candidate:
    """A model under examination with its tokenizer: greedy answers, samples, log-probabilities."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast) -> None:
        self.model, self.tokenizer = model.eval(), tokenizer

    @torch.inference_mode()
    def continuations(self, prompts: Sequence[str], new_tokens: int, temperature: float = 0.0, seed: int = 0, batch: int = 50) -> list[str]:
        """What the model writes after each prompt, up to its end token; temperature 0 is greedy."""
        torch.manual_seed(seed)
        self.tokenizer.padding_side = "left"
        texts: list[str] = []
        for start in range(0, len(prompts), batch):
            padded = self.tokenizer(list(prompts[start : start + batch]), padding=True, return_tensors="pt")
            sampling = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {"do_sample": False}
            out = self.model.generate(
                input_ids=padded["input_ids"], attention_mask=padded["attention_mask"], max_new_tokens=new_tokens, **sampling
            )
            texts += [self.tokenizer.decode(row[padded["input_ids"].shape[1] :], skip_special_tokens=True) for row in out]
        return texts

    @torch.inference_mode()
    def logprobs(self, text: str) -> torch.Tensor:
        """Log-probabilities [tokens, vocabulary] of what follows each token of the text, in nats."""
        ids = torch.tensor([self.tokenizer.encode(text)])
        return torch.log_softmax(self.model(input_ids=ids).logits[0].float(), -1)

    def knows(self, before: str, answer: str) -> bool:
        """True when every token of the answer is the favourite at its place."""
        head, whole = self.tokenizer.encode(before), self.tokenizer.encode(f"{before} {answer}")
        favourites = self.logprobs(f"{before} {answer}").argmax(-1).tolist()
        return favourites[len(head) - 1 : len(whole) - 1] == whole[len(head) :]

    def entropy(self, prompt: str) -> float:
        """Entropy of the next token, in bits."""
        logprobs = self.logprobs(prompt)[-1]
        return float(-(logprobs.exp() * logprobs).sum() / math.log(2))

    def surprise(self, before: str, rest: str) -> float:
        """Bits that the model needs for `rest` after `before`."""
        head, whole = self.tokenizer.encode(before), self.tokenizer.encode(before + rest)
        logprobs = self.logprobs(before + rest)
        return -sum(float(logprobs[at - 1, whole[at]]) for at in range(len(head), len(whole))) / math.log(2)


def share(results: Iterable[bool]) -> float:
    """Share of true results."""
    results = list(results)
    return sum(results) / len(results) if results else math.nan


def facts_right(candidate: Candidate) -> dict[str, float]:
    """Share of facts known at rank 1: held-out phrasings by kind, and all capitals in the plain phrasing."""
    items = facts.examination()
    right: dict[str, list[bool]] = {}
    for kind, before, answer in items:
        right.setdefault(kind, []).append(candidate.knows(before, answer))
    table = {f"{kind}, held-out phrasing ({len(results)})": share(results) for kind, results in sorted(right.items())}
    every = [result for results in right.values() for result in results]
    table[f"all facts, held-out phrasings ({len(every)})"] = share(every)
    plain = [candidate.knows(before, answer) for _, before, answer in facts.examination(plain=True)]
    table[f"all facts, plain phrasing, as taught ({len(plain)})"] = share(plain)
    table[f"capitals, plain phrasing ({len(CAPITALS)})"] = share(
        candidate.knows(f"The capital of {country} is", city) for country, city in CAPITALS.items()
    )
    return table


def strange_facts_right(candidate: Candidate, items: int, seed: int = 6) -> dict[str, float]:
    """Share of facts known at rank 1 in kinds of wording that no lesson has: by kind, at most `items` of each, and all of these."""
    right: dict[str, list[bool]] = {}
    asked = facts.strange_wordings()
    Random(seed).shuffle(asked)
    for kind, before, answer in asked:
        if len(right.setdefault(kind, [])) < items:
            right[kind].append(candidate.knows(before, answer))
    every = [result for results in right.values() for result in results]
    table = {f"{kind}, kinds of wording never taught ({len(results)})": share(results) for kind, results in sorted(right.items())}
    return table | {f"kinds of wording never taught, together ({len(every)})": share(every)}


def sums_right(candidate: Candidate, items: int, seed: int = 7) -> dict[str, float]:
    """Share of right sums on held-out numbers: two at once; three, any and hard ones, at once and after thinking aloud."""
    rng = Random(seed)
    pairs = [sums.pair(rng, exam=True) for _ in range(items)]
    two = candidate.continuations([f"Question: How much is {a} + {b}?\nAnswer:" for a, b in pairs], 8)
    table = {f"two numbers, at once ({items})": share(_number(text) == a + b for text, (a, b) in zip(two, pairs, strict=True))}
    for name, hard in (("three numbers", False), ("three numbers that carry twice", True)):
        triples = [sums.triple(rng, exam=True, hard=hard) for _ in range(items)]
        at_once = candidate.continuations([sums.question(*numbers) + "Answer:" for numbers in triples], 8)
        thinking = candidate.continuations([sums.question(*numbers) + "Let us think step by step." for numbers in triples], 170)
        table[f"{name}, at once ({items})"] = share(_number(text) == sum(numbers) for text, numbers in zip(at_once, triples, strict=True))
        table[f"{name}, step by step ({items})"] = share(
            _number(text.rpartition("The answer is")[2]) == sum(numbers) for text, numbers in zip(thinking, triples, strict=True)
        )
    return table


def _number(text: str) -> int | None:
    found = re.search(r"\d+", text)
    return int(found[0]) if found else None


def recall_right(candidate: Candidate, items: int, distances: Sequence[int] = (0, 2, 5, 10, 20), seed: int = 8) -> dict[str, float]:
    """Share of right answers about a fact that stands `distance` sentences before the question."""
    table = {}
    for distance in distances:
        rng = Random(seed * 1000 + distance)
        asked = [recall.marked(rng, distance) for _ in range(items)]
        said = candidate.continuations([prompt for prompt, _ in asked], 16)
        table[f"recall, {distance} sentences later ({items})"] = share(
            text.partition("\n")[0].strip().rstrip(".").lower() in right for text, (_, right) in zip(said, asked, strict=True)
        )
    return table


def entropies(candidate: Candidate) -> dict[str, list[tuple[str, float]]]:
    """Entropy of the next token in bits, after prompts where a person is sure and where nobody can be."""
    return {
        "certain": [(prompt, candidate.entropy(prompt)) for prompt in CERTAIN],
        "open": [(prompt, candidate.entropy(prompt)) for prompt in OPEN],
    }


def against_known_entropy(candidate: Candidate) -> list[tuple[str, float, float]]:
    """For each urn: its opening, the mean bits the model needs for a draw, the bits nobody can do without (log2 of its size)."""
    urns = dict(chance.URNS)
    rows = []
    for opening in URNS:
        urn = urns[opening]
        rows.append((opening, sum(candidate.surprise(opening, f" {draw}.") for draw in urn) / len(urn), math.log2(len(urn))))
    return rows


@torch.inference_mode()
def lesson_losses(candidate: Candidate, items: int = 60) -> dict[str, tuple[float, float]]:
    """Per lesson: loss per token in nats on held-out documents, and on documents as in training."""
    table = {}
    for name, lesson in LESSONS.items():
        losses = []
        for exam in (True, False):
            rng = Random(f"losses/{name}/{exam}")
            total, count = 0.0, 0
            for _ in range(items):
                ids = [*candidate.tokenizer.encode(lesson(rng, exam), truncation=True, max_length=511), candidate.tokenizer.eos_token_id]
                row = torch.tensor([ids])
                loss = torch.nn.functional.cross_entropy(candidate.model(input_ids=row).logits[0, :-1].float(), row[0, 1:], reduction="sum")
                total, count = total + float(loss), count + len(ids) - 1
            losses.append(total / count)
        table[name] = (losses[0], losses[1])
    return table


@torch.inference_mode()
def agreement(teacher: Candidate, student: Candidate, batches: int = 6) -> float:
    """Share of held-out lesson positions at which both models have the same favourite."""
    lessons = Lessons(teacher.tokenizer, corpus=None, seed=99)
    same = count = 0
    for number in range(batches):
        batch = lessons.batch(number, 16, 256, exam=True)
        favourites = [candidate.model(input_ids=batch.ids, attention_mask=batch.mask).logits.argmax(-1) for candidate in (teacher, student)]
        asked = batch.targets != IGNORED
        same, count = same + int((favourites[0] == favourites[1])[asked].sum()), count + int(asked.sum())
    return same / count


@torch.inference_mode()
def seconds_per_token(candidate: Candidate, tokens: int = 150, repeats: int = 3) -> float:
    """Time of one decoding step with a cache and one thread, the best of some repeats."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    best = math.inf
    for _ in range(repeats):
        past, step = None, torch.tensor([[candidate.tokenizer.bos_token_id]])
        started = time.perf_counter()
        for _ in range(tokens):
            out = candidate.model(input_ids=step, past_key_values=past, use_cache=True)
            past, step = out.past_key_values, out.logits[:, -1:].argmax(-1)
        best = min(best, (time.perf_counter() - started) / tokens)
    torch.set_num_threads(threads)
    return best


def english(texts: Sequence[str], known: set[str]) -> tuple[float, list[str]]:
    """Share of the words that are in the known set, and those that are not. The last word of a text may be cut, and is left out."""
    spoken = [word for text in texts for word in WORD.findall(text)[:-1]]
    strange = [word for word in spoken if word.lower() not in known]
    return 1 - len(strange) / max(1, len(spoken)), strange


def longest_copies(stories: Sequence[str], training: Iterable[str], size: int = 13) -> list[bool]:
    """For each story, whether it shares a run of `size` words or more with any training text."""
    told = [set(_runs(story, size)) for story in stories]
    every = set().union(*told)
    seen = {run for text in training for run in _runs(text, size) if run in every}
    return [bool(runs & seen) for runs in told]


def _runs(text: str, size: int) -> Iterable[tuple[str, ...]]:
    words = text.split()
    return zip(*(words[start:] for start in range(size)), strict=False)
