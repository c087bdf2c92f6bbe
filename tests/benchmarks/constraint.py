"""Milliseconds of constraints at a vocabulary of 32,000 tokens: `python -m tests.benchmarks.constraint`. Takes about ten seconds.

The vocabulary is read once per model, a constraint compiled once, and a mask computed once per step. Last stands how much longer a whole
observed step takes than without a constraint. The hostile constraints are as large as a visitor may send.
"""

from __future__ import annotations

import json
from statistics import median
from time import perf_counter

import numpy as np

from core import SamplingSettings
from core.errors import BadSetting
from core.sampling import observe_stages
from core.sampling.constraint.allowed_tokens import compiled
from core.sampling.observation import History
from core.tokens.token_text import Token, lone_token
from tests.core.sampling.chains import logits_like

SIZE, STEPS, WALKS = 32_000, 40, 5
USUAL = {
    "yes or no": "choices:yes\nno",
    "a date": "regex: ?[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])",
    "name and age": 'example:{"name": "Ann", "age": 7}',
    "any JSON": "schema:{}",
    "any text": "regex:(.|\\n)*",
    "1,000 choices": "choices:" + "\n".join(f"w{number * 7919 % 10007}" for number in range(1000)),
}
PAIRS = " | ".join(f"{first} {second}" for first in "efgh" for second in "efgh")
HOSTILE = {
    "580 rules": "lark:start: r1\n" + "\n".join(f"r{i}: r{i + 1}" for i in range(1, 570)) + '\nr570: "x"',
    "Unicode classes": "regex:" + "\\p{L}" * 1500,
    "repetition of repetitions": "regex:(\\p{L}{0,9999}){9999}",
    "ambiguous and long": 'lark:start: e\ne: e e | /[a-z0-9 ]/',
    "ambiguous at once": "lark:start: e\n" + "\n".join(f"{rule}: {PAIRS} | /[a-z ]/" for rule in "efgh"),
    "ambiguous": 'lark:start: e\ne: e e e e | /[a-z ]*/ | ""',
    "intersections": "lark:start: A\nA: " + " & ".join(f"/(.*{one}){{8}}.*/" for one in "abcdefgh"),
    "500 properties": "schema:" + json.dumps({"type": "object", "properties": {f"p{i}": {} for i in range(500)}}),
}  # fmt: skip


class Words:
    """All bytes, and words of random letters with and without a space."""

    vocabulary_size = SIZE
    end_token_ids = frozenset([SIZE - 1])

    def __init__(self) -> None:
        dice = np.random.default_rng(0)
        letters = np.frombuffer(b"etaoinshrdlucmfwypvbgkjqxz0123456789", dtype=np.uint8)
        words = [b" " * (i % 2) + bytes(letters[dice.integers(0, len(letters), dice.integers(1, 9))]) for i in range(SIZE - 262)]
        self.raws = [*(bytes([byte]) for byte in range(256)), *words, b'":', b'{"', b'", "', b'"}', b'": "', b"<|end|>"]

    def token(self, token_id: int) -> Token:
        return lone_token(token_id, self.raws[token_id], token_id == SIZE - 1)

    def raw_tokens(self) -> tuple[list[bytes], list[int]]:
        return list(self.raws), [SIZE - 1]


def main() -> None:
    """Print one line per constraint."""
    words = Words()
    started = perf_counter()
    compiled(words, "choices:a")
    print(f"reading a vocabulary of {SIZE:,} tokens, once per model: {(perf_counter() - started) * 1e3:.0f} ms")
    for name, constraint in (USUAL | HOSTILE).items():
        try:
            compile_ms, masks, more = measured(words, constraint)
        except BadSetting as error:
            print(f"{name}: refused: {error}")
            continue
        print(f"{name}: compile {compile_ms:.1f} ms, mask {median(masks):.2f} ms, slowest {max(masks):.2f} ms, a step {more:.2f} ms more")


def measured(words: Words, constraint: str) -> tuple[float, list[float], float]:
    """Return the milliseconds of compiling, of every mask of a walk of random tokens, and of a step more than without the constraint."""
    masks, dice = list[float](), np.random.default_rng(1)
    started = perf_counter()
    made = compiled(words, constraint)
    compile_ms = (perf_counter() - started) * 1e3
    for _walk in range(WALKS):
        ids: list[int] = []
        for _step in range(STEPS):
            started = perf_counter()
            allowed = made.after(np.array(ids, dtype=np.int64)).mask(SIZE)
            masks.append((perf_counter() - started) * 1e3)
            ways = np.flatnonzero(allowed[:-1])
            if not len(ways):
                break
            ids.append(int(dice.choice(ways)))
    times: dict[str, list[float]] = {form: [] for form in ("", constraint)}
    for seed in range(30):
        logits, text = logits_like("ordinary", SIZE, seed), History.of(words, [97], 1)
        for form, taken in times.items():
            started = perf_counter()
            observe_stages.observe(logits, SamplingSettings(constraint=form, presence_penalty=0.1, temperature=0.9), text, 20, roll=0.5)
            taken.append((perf_counter() - started) * 1e3)
    return compile_ms, masks, median(times[constraint]) - median(times[""])


if __name__ == "__main__":
    main()
