"""Two branches of one run: the same dice and settings, and distances that agree with the textbook."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from core import Generation, SamplingSettings
from core.errors import BadToken, EmptyPrompt, InputError, ViewerError
from core.experiments.shared.continuation import continuation
from core.experiments.what_if import Aligner, Drift, Fork, TopProbabilities, bounds, side_by_side
from core.sampling.dice import roll
from tests.core.experiments.impossible import TEXT, refused
from tests.core.plain import plain_odds
from tests.tiny_models import some

SETTINGS = SamplingSettings(temperature=0.9, top_k=40, seed=5)


def run_of(tiny: Any, architecture: str = "llama", top_n: int = 12) -> Generation:
    """A run of three steps."""
    run = Generation(tiny(architecture), "The sea looked", SETTINGS, top_n=top_n)
    for _ in range(3):
        run.step()
    return run


def textbook(p: np.ndarray, q: np.ndarray) -> float:
    """The Jensen-Shannon distance from entropies: H((p + q) / 2) - (H(p) + H(q)) / 2, in bits, and its root."""

    def entropy(x: np.ndarray) -> float:
        return -sum(v * math.log2(v) for v in x.tolist() if v > 0)

    return math.sqrt(max(0.0, entropy((p + q) / 2) - (entropy(p) + entropy(q)) / 2))


@pytest.mark.parametrize("architecture", some(["llama", "gpt2", "mistral", "mamba"], ["llama", "mamba"]))
def test_both_branches_are_what_each_would_be_alone(architecture: str, tiny: Any) -> None:
    run = run_of(tiny, architecture)
    pairs = list(side_by_side(Fork.at(run, 1, [101], [102]), 8))
    assert [pair.index for pair in pairs] == list(range(1, 9))
    for side, forced in (("left", 101), ("right", 102)):
        alone = Generation(tiny(architecture), "The sea looked", SETTINGS, top_n=12)
        alone.step()
        alone.force(forced)
        while len(alone.path) < 9 and not alone.finished:
            alone.step()
        ours = [step.token_id for pair in pairs if (step := getattr(pair, side))]
        assert ours == [step.token_id for step in alone.path[1:]]


def test_a_branch_that_is_there_is_followed_with_its_own_settings_and_throws(tiny: Any) -> None:
    run = run_of(tiny)
    run.settings = SamplingSettings(temperature=1.7, seed=9)
    run.step(attempt=4)
    run.settings = SETTINGS
    written = [step.token_id for step in run.path]
    nodes = len(run.nodes)
    pairs = list(side_by_side(Fork.at(run, 1, None, [102]), 5))
    assert [pair.left.token_id for pair in pairs[:3] if pair.left] == written[1:4]
    assert len(run.nodes) == nodes + 5 + 2  # five new words on the right, two more on the left
    thrown = pairs[2]
    assert thrown.right
    assert thrown.right.attempt == 4
    assert thrown.right.settings.temperature == 1.7
    assert thrown.right.roll == roll(9, 3, 4)
    assert run.settings == SETTINGS


def test_the_tree_holds_both_and_the_run_stands_on_the_second(tiny: Any) -> None:
    run = run_of(tiny)
    fork = Fork.at(run, 0, [101], [102, 103])
    list(side_by_side(fork, 4))
    left, right = fork.ends()
    assert run.here == right
    assert [step.token_id for step in run.path_to(right)][:2] == [102, 103]
    assert run.path_to(left)[0].token_id == 101
    again = Fork.between(run, left, right)
    assert again.parts_at == 0
    assert [(p.left and p.left.token_id, p.right and p.right.token_id) for p in side_by_side(again, 4)] == [
        (p.left and p.left.token_id, p.right and p.right.token_id) for p in fork.pairs
    ]


def test_the_drift_is_exact_over_the_whole_vocabulary(tiny: Any, plain: Any) -> None:
    run = run_of(tiny, top_n=3)
    left, right = [101, 110, 111, 112, 113], [102, 103, 110, 111, 112, 114]  # the second one says the same, one token later
    fork = Fork.at(run, 1, left, right)
    list(side_by_side(fork, 6))
    fork._aligner.forced = (1, 2)
    alignment = fork._aligner.alignment()
    prompt = [token.token_id for token in run.prompt_tokens] + [run.path[0].token_id]
    assert [(place.left, place.right, place.same) for place in alignment.places] == [
        (0, 0, False),
        (2, 3, True),
        (3, 4, True),
        (4, 5, False),
    ]
    for place in alignment.places:
        expected = textbook(
            plain_odds(plain("llama"), prompt + left[: place.left]), plain_odds(plain("llama"), prompt + right[: place.right])
        )
        assert place.drift.exact
        assert place.drift.middle == pytest.approx(expected, abs=2e-4)
    assert alignment.places[0].drift == Drift(0.0, 0.0)
    assert alignment.shared == 3


def test_texts_that_differ_by_one_token_are_near_each_other() -> None:
    """Twenty tokens with sharp odds, the same on both sides, but one side begins with one token more: by position they never agree."""
    words = list(range(20, 40))

    def before(token: int) -> TopProbabilities:
        logits = torch.zeros(50)
        logits[token] = 12.0
        return TopProbabilities.of(logits)

    left, right = [1, *words], [2, 3, *words]
    aligner = Aligner(left, right, [before(t) for t in left], [before(t) for t in right], forced=(1, 2))
    found = aligner.alignment()
    assert (found.shared, found.left, found.right, found.share) == (20, 20, 20, 1.0)
    assert max(found.distances) < 0.01
    assert found.behind_change
    assert found.behind_change.middle < 0.01
    by_position = [bounds(one, other).middle for one, other in zip(aligner.left_top, aligner.right_top, strict=False)]
    assert min(by_position[1:]) > 0.98
    aligner.left.append(5)
    aligner.left_top.append(before(5))
    assert aligner.alignment().left == 21


@pytest.mark.parametrize("top_n", [1, 3, 12, 400])
def test_bounds_hold_the_exact_distance_between_them(top_n: int, tiny: Any) -> None:
    widths = []
    fork = Fork.at(run_of(tiny, top_n=top_n), 1, [101], [102])
    for number, pair in enumerate(side_by_side(fork, 8)):
        assert pair.left
        assert pair.right
        exact = bounds(fork._aligner.left_top[number], fork._aligner.right_top[number])
        assert exact.exact
        found = bounds(TopProbabilities.listed(pair.left), TopProbabilities.listed(pair.right))
        assert found.low - 1e-6 <= exact.middle <= found.high + 1e-6
        widths.append(found.high - found.low)
    assert max(widths) < {1: 1.01, 3: 1.01, 12: 0.9, 400: 1e-3}[top_n]


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_word_goes_on_as_the_tokenizer_cuts_it(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    for before, text in (("The sea looked", " back"), ("The", " sea 🦊"), ("She ", "was"), ("7", "8")):
        ids = continuation(model, before, text)
        assert model.text_of(model.encode(before) + ids).strip() == (before + text).strip()
    with pytest.raises(EmptyPrompt):
        continuation(model, "The", "")
    with pytest.raises(BadToken):
        continuation(model, "The", "x" * 201)
    with pytest.raises(ViewerError):
        continuation(model, "The", "\ud800")


def test_outcomes_add_up(tiny: Any) -> None:
    run = run_of(tiny)
    fork = Fork.at(run, 1, [101], [102])
    list(side_by_side(fork, 5))
    for outcome, end in zip(fork.outcomes(), fork.ends(), strict=True):
        own = run.path_to(end)[1:]
        assert outcome.tokens == 5
        assert outcome.log_probability == pytest.approx(math.log(math.prod(step.model_probability for step in own)))
        assert outcome.text == "".join(step.text for step in own)


def test_a_deleted_branch_breaks_the_fork(tiny: Any) -> None:
    run = run_of(tiny)
    fork = Fork.at(run, 1, [101], [102])
    fork.step()
    assert not fork.broken
    run.delete(fork.ends()[0])
    assert fork.broken
    with pytest.raises(InputError):
        fork.step()


@pytest.mark.parametrize(
    ("where", "left", "right"),
    [
        *[(where, [1], [2]) for where in (-1, 4, True, "1")],
        *[(1, [5], right) for right in ([5], [-1], [10**12], [True], ["x"], [3] * 10_000)],
        *[(1, [5, 6], [5]), (1, [], [5]), (1, None, [])],
    ],
)
def test_an_impossible_fork_gets_one_sentence_and_changes_nothing(where: Any, left: Any, right: Any, tiny: Any) -> None:
    run = Generation(tiny("llama"), TEXT)
    list(run.stream(3))
    before = (run.here, len(run.nodes))
    refused(lambda: Fork.at(run, where, left, right), ViewerError)
    assert (run.here, len(run.nodes)) == before
