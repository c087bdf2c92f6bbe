"""For every experiment: what its page must draw of an observation. `DRAWN[name](drawn, kept)` compares marks, words and cells with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from core.experiments.cost import answers
from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.i18n import numbers
from pages.why.why_words import strongest
from tests.browser.drawn import Drawn, plainly

Check = Callable[[Drawn, RecordedExperiment], None]


def same(drawn: Iterable[float], observed: Iterable[float]) -> None:
    """Assert that the drawn numbers are the observed ones, in any order."""
    assert sorted(drawn) == pytest.approx(sorted(observed), rel=1e-4)


def among(drawn: Iterable[float], observed: Iterable[float]) -> None:
    """Assert that every drawn number was observed."""
    known = list(observed)
    strange = [value for value in drawn if not any(math.isclose(value, one, rel_tol=1e-4, abs_tol=1e-12) for one in known)]
    assert not strange


def of_type(kept: RecordedExperiment, name: str) -> list[Any]:
    """Return the observations of the class with this name."""
    return [seen for seen in kept.seen if type(seen).__name__ == name]


def written(steps: Iterable[Any]) -> str:
    """Return the letters and digits that these steps wrote."""
    return plainly("".join(step.text for step in steps))


def compare(drawn: Drawn, kept: RecordedExperiment) -> None:
    for number, path in enumerate(kept.seen[-1].paths):
        assert plainly("".join(drawn.texts(f".st-key-compare_text_{number} span"))) == written(path)


def compare_sweep(drawn: Drawn, kept: RecordedExperiment) -> None:
    for number, result in enumerate(kept.seen):
        assert plainly("".join(drawn.texts(f".st-key-compare_line_{number} .tv-tinted span"))) == written(result.path)


def compare_stream(drawn: Drawn, kept: RecordedExperiment) -> None:
    (shown,) = drawn.texts(".streamed .text")
    shown = plainly(shown.partition("✂")[0])
    assert shown and written(kept.seen[-1].paths[0]).startswith(shown)


def candidates(drawn: Drawn, kept: RecordedExperiment) -> None:
    tries = {written(one.path) for one in kept.seen[-1].tries}
    shown = [f".st-key-candidates_text_{number} .tv-tinted span" for number in range(min(4, len(tries)))]
    assert {plainly("".join(drawn.texts(words))) for words in shown} <= tries
    assert len(drawn.texts(".tree .row .words")) >= len(tries)


def candidates_beam(drawn: Drawn, kept: RecordedExperiment) -> None:
    written = [note.replace("ln", "").replace("−", "-") for note in drawn.texts(".tree .row .note") if note.startswith("ln")]
    notes = [float(note.partition("·")[0]) for note in written]
    among(notes, {round(beam.log_probability, 2) for step in kept.seen for beam in step.considered})
    path = plainly("".join(drawn.texts(".tree .row.path .words")))
    assert len(notes) > 5 and plainly(kept.seen[-1].answers[0].text) in path


def think(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "share"), [thought.chance for _, thought in kept.seen if not math.isnan(thought.chance)])
    for side, style in (("one", "at once"), ("other", "step by step")):
        steps = [thought.step for way, thought in kept.seen if way.name == style]
        assert plainly("".join(drawn.texts(f".st-key-think_text_{side} span"))) == written(steps)


def think_set(drawn: Drawn, kept: RecordedExperiment) -> None:
    ways = {answer.style.name for answer in kept.seen}
    answers = [[answer.right for answer in kept.seen if answer.style.name == way] for way in ways]
    same(set(drawn.marks("rect", "share")), {sum(right) / len(right) for right in answers})


def thinking_budget(drawn: Drawn, kept: RecordedExperiment) -> None:
    points = [point for point in kept.seen if not point.waited]
    same(drawn.marks("symbol", "share"), [point.chance for point in points])


def thinking_budget_set(drawn: Drawn, kept: RecordedExperiment) -> None:
    longest = max(one.unforced.budget for one in kept.seen)
    budgets = {point.budget for one in kept.seen for point in one.points if not (point.is_own_end or point.waited)} | {longest}
    same(drawn.marks("symbol", "share"), [sum(one.at(budget).right for one in kept.seen) / len(kept.seen) for budget in budgets])


def looping(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "share"), [share for shares in kept.seen[-1].shares for share in shares])


def looping_runs(drawn: Drawn, kept: RecordedExperiment) -> None:
    newest = {(seen.model, seen.temperature): seen.loops / seen.runs for seen in kept.seen}
    same(drawn.marks("symbol", "share"), newest.values())


def race(drawn: Drawn, kept: RecordedExperiment) -> None:
    passes = drawn.rows_of("symbol", "raw", "over")
    assert len(passes) >= len(kept.seen)
    among([raw for raw, over in passes if not over], [1000 * step.seconds for step in kept.seen])  # slower ones stand at the upper edge
    same(drawn.marks("symbol", "total_positions"), [step.total_positions for step in last_of_each(kept)])


def last_of_each(kept: RecordedExperiment) -> list[Any]:
    """Return the last observation of each runner of a race."""
    return list({step.runner: step for step in kept.seen}.values())


def memory(drawn: Drawn, kept: RecordedExperiment) -> None:
    told = drawn.texts("span")
    assert {numbers.percent(answer.probability) for answer in of_type(kept, "Answer")} <= set(told)
    assert len(told) > len(kept.seen) - 4, "a word for every token that was read"


def memory_ways(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows = drawn.rows()
    assert [row[1] for row in rows] == [str(outcome.answer.pages) for outcome in kept.seen]
    assert [row[-1] for row in rows] == [outcome.answer.said for outcome in kept.seen]


def context(drawn: Drawn, kept: RecordedExperiment) -> None:
    points = {point.length: point for point in kept.seen}.values()
    same(drawn.marks("symbol", "median"), [1000 * spread.median for point in points for spread in (point.prefill, point.decode)])


def context_end(drawn: Drawn, kept: RecordedExperiment) -> None:
    end = kept.seen[0]
    told = " ".join(drawn.texts(":scope > *"))
    assert plainly(end.text) in plainly(told) and str(end.read) in told and str(end.offered) in told


def cost_two(drawn: Drawn, kept: RecordedExperiment) -> None:
    passes = [row[1] for row in drawn.rows() if "Forward passes" in row[0]]
    counts = [answers(kept.seen, side)[0][-1].receipt.new_tokens for side in (0, 1)]
    assert [text.startswith(str(count)) for text, count in zip(passes, counts, strict=True)] == [True, True]


def batching(drawn: Drawn, kept: RecordedExperiment) -> None:
    readers = len(kept.about[0])
    texts = [""] * 2 * readers
    for served in of_type(kept, "Served"):
        for one in served.iteration.progress:
            texts[served.side * readers + one.request_id] += one.text or ""
    shown = [plainly(text) for text in drawn.texts(".side .told .text")]
    assert [plainly(whole).endswith(tail) for whole, tail in zip(texts, shown, strict=True)] == [True] * 2 * readers
    assert len(drawn.texts(".side .name.done")) == 2 * readers and drawn.rows()


def batching_curve(drawn: Drawn, kept: RecordedExperiment) -> None:
    among(drawn.marks("symbol", "rate"), [point.tokens_per_second for point in kept.seen])
    assert set(drawn.marks("symbol", "size")) == {point.size for point in kept.seen}


def speculative(drawn: Drawn, kept: RecordedExperiment) -> None:
    rounds = of_type(kept, "SpeculativeRound")
    assert len(drawn.texts(".tv-drafts .round")) == len(rounds)
    guesses = [guess.text for one in rounds for guess in one.drafted if guess.verdict == "accepted"]
    assert plainly("".join(drawn.texts(".round .accepted"))) == plainly("".join(guesses))
    assert drawn.marks("symbol", "measured")


def quantization(drawn: Drawn, kept: RecordedExperiment) -> None:
    full, *rows = [row for row in drawn.rows() if "\u00a0MB" in row[1]]
    assert [row[0] for row in rows] == [str(one.bits) for one in kept.seen]
    assert [row[1] for row in (full, *rows)] == [numbers.size(kept.seen[0].full_bytes), *(numbers.size(one.bytes) for one in kept.seen)]
    same(drawn.marks("rect", "full")[:8], kept.seen[0].full_probabilities[:8])


def quantization_parts(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("rect", "damage"), [part.mean_kl for part in kept.seen])


def quantization_notepad(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows = drawn.rows()[-2:]
    assert [(row[0], row[1]) for row in rows] == [(str(one.bits), numbers.size(one.bytes)) for one in kept.seen]


def same_prompt(drawn: Drawn, kept: RecordedExperiment) -> None:
    (comparison,) = of_type(kept, "Comparison")
    same(drawn.marks("rect", "difference_nats"), [value for value in comparison.difference.differences.tolist() if math.isfinite(value)])
    for run in comparison.runs:
        for side, tokens in enumerate((run.first, run.second)):
            assert plainly("".join(drawn.texts(f".st-key-same_prompt_run_{run.greedy}_{side} .token"))) == plainly("".join(tokens))


def same_prompt_noise(drawn: Drawn, kept: RecordedExperiment) -> None:
    repeats = of_type(kept, "Comparison")
    assert f"Computed {len(repeats)} times again, no log-probability" in " ".join(drawn.texts("p"))
    assert {repeat.difference.largest for repeat in repeats} == {0.0}


def same_prompt_table(drawn: Drawn, kept: RecordedExperiment) -> None:
    rows, compared = drawn.rows()[-14:], of_type(kept, "Comparison")
    assert [float(row[1]) for row in rows] == pytest.approx([way.difference.largest for way in compared], rel=0.05)
    assert [int(row[3]) for row in rows] == [len(way.difference.changed) for way in compared]


def pupil(drawn: Drawn, kept: RecordedExperiment) -> None:
    tokens = of_type(kept, "JudgedToken")
    same(drawn.marks("rect", "up")[: len(tokens)], [one.writer.surprise for one in tokens])
    same(drawn.marks("rect", "down")[: len(tokens)], [one.judge.surprise for one in tokens])


def pupil_cascade(drawn: Drawn, kept: RecordedExperiment) -> None:
    for run in range(3):
        text = "".join(token.text for token in of_type(kept, "CascadeToken") if token.run == run)
        assert plainly("".join(drawn.texts(f".st-key-pupil_cascade_{run} .token"))).startswith(plainly(text))
    assert len(drawn.rows()) == 3


def pupil_school(drawn: Drawn, kept: RecordedExperiment) -> None:
    reports = {report.name: report for report in kept.seen}.values()
    assert [row[2] for row in drawn.rows()] == [f"{report.right} of {report.asked}" for report in reports]


def watermark(drawn: Drawn, kept: RecordedExperiment) -> None:
    tokens = of_type(kept, "MarkedToken")
    for side in ("marked", "unmarked"):
        text = written(token for token in tokens if token.side == side)
        assert plainly("".join(drawn.texts(f".st-key-watermark_{side} .token"))) == text
    attacks = [min(15.0, -math.log10(text.p_value)) for text in of_type(kept, "Measured") if text.kind == "attacked"]
    powers = drawn.marks("symbol", "power")
    among(attacks, powers)
    assert len(powers) > len(tokens) and {kind for (kind,) in drawn.rows_of("rect", "side")} == {"marked", "unmarked", "human"}


def waiting(drawn: Drawn, kept: RecordedExperiment) -> None:
    latest = {watched.policy: watched for watched in of_type(kept, "Watched")}.values()
    decoding = [1000 * part.seconds for watched in latest for part in watched.stretches if part.name == "decode"]
    shown = [stop - start for start, stop in drawn.rows_of("rect", "start", "stop")]
    among(decoding, shown)
    assert decoding and len(drawn.rows()) == 2


def waiting_curve(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(drawn.marks("symbol", "wait"), [1000 * point.queue for point in of_type(kept, "LoadPoint")])


def teach(drawn: Drawn, kept: RecordedExperiment) -> None:
    last = of_type(kept, "Probe")[-1]
    now = drawn.pairs("rect", "label", "now")
    odds = [candidate for look in (last.distribution, last.known) if look is not None for candidate in look.candidates]
    favourites = {one.piece: one.model_probability for one in odds if one.model_probability > 0.05}
    assert {piece: now.get(piece) for piece in favourites} == pytest.approx(favourites, rel=1e-4)


def teach_step(drawn: Drawn, kept: RecordedExperiment) -> None:
    (step,) = kept.seen
    cells = [cell for row in drawn.rows() for cell in row]
    assert {numbers.duration(step.inference_seconds), numbers.size(step.weight_bytes), numbers.size(step.cache_bytes)} <= set(cells)


def newborn(drawn: Drawn, kept: RecordedExperiment) -> None:
    bits = [growth.bits for growth in of_type(kept, "ScratchTrainingStep")]
    shown = drawn.marks("symbol", "value")
    among(shown, bits)
    assert len(shown) >= min(len(bits), 20)


def why_words(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.seen[-1]
    known = {part.effect / math.log(2) for part in strongest(seen)}
    same(set(drawn.marks("rect", "effect")), known)
    assert plainly("".join(drawn.texts(".token"))) == plainly("".join((*seen.texts, seen.target)))


def why_two(drawn: Drawn, kept: RecordedExperiment) -> None:
    why_words(drawn, kept)
    shown = plainly("".join(drawn.texts("p")))
    assert plainly(f"For “{kept.seen[-1].target.strip('␣')}” speak most") in shown


def why_heads(drawn: Drawn, kept: RecordedExperiment) -> None:
    effects = [effect / math.log(2) for row in kept.seen[-1].effects for effect in row]
    same(drawn.marks("rect", "effect"), effects)


def why_without(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.seen[-1]
    same(set(drawn.marks("rect", "rounded")), set(seen.changed))
    assert plainly(seen.usual_text) in plainly("".join(drawn.texts("p"))) and plainly(seen.changed_text) in plainly(
        "".join(drawn.texts("p"))
    )


def why_fact(drawn: Drawn, kept: RecordedExperiment) -> None:
    same(set(drawn.marks("rect", "effect")), {share for row in kept.seen[-1].recovered for share in row})


def why_sum(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.seen[-1]
    same(drawn.marks("rect", "effect"), [part.value for part in seen.parts])
    assert seen.sum == pytest.approx(seen.logit, abs=1e-4)


def why_steer(drawn: Drawn, kept: RecordedExperiment) -> None:
    seen = kept.seen[-1]
    for number, text in enumerate((seen.usual, seen.steered)):
        assert plainly("".join(drawn.texts(f".st-key-why_steer_text_{number} p"))) == plainly(seen.prompt + text)


def calibration(drawn: Drawn, kept: RecordedExperiment) -> None:
    bins = [part for seen in kept.seen if seen.counts for part in seen.bins()]
    same(drawn.marks("symbol", "observed"), [part.observed for part in bins])


CHECKS: tuple[Check, ...] = (
    compare, compare_sweep, compare_stream, looping, looping_runs,
    candidates, candidates_beam, think, think_set, thinking_budget, thinking_budget_set, race, memory, memory_ways, context,
    context_end, cost_two, batching, batching_curve, speculative, quantization, quantization_parts, quantization_notepad,
    same_prompt, same_prompt_noise, same_prompt_table,
    pupil, pupil_cascade, pupil_school, watermark, waiting, waiting_curve, teach, teach_step, newborn,
    why_words, why_two, why_heads, why_without, why_fact, why_sum, why_steer, calibration,
)  # fmt: skip
DRAWN = {check.__name__: check for check in CHECKS}


def bars(drawn: Drawn, distribution: Any, field: str = "model", count: int = 5) -> None:
    """Assert that the likeliest tokens are drawn as bars with the model's probabilities."""
    likeliest = {one.piece: one.model_probability for one in distribution.candidates[:count]}
    shown = drawn.pairs("rect", "piece", field)
    assert {piece: shown.get(piece) for piece in likeliest} == pytest.approx(likeliest, rel=1e-3)


def live_bars(drawn: Drawn, distribution: Any, count: int = 5) -> None:
    """Assert that the likeliest tokens are bars of the live view with the model's probabilities."""
    likeliest = {one.piece: one.model_probability for one in distribution.candidates[:count]}
    shown = drawn.shares("model")
    assert {piece: shown.get(piece) for piece in likeliest} == pytest.approx(likeliest, rel=1e-3)


def words(drawn: Drawn, text: str, selector: str = ".token") -> None:
    """Assert that the tokens of a strip end with this text."""
    shown = plainly("".join(drawn.texts(selector)))
    assert text and shown.endswith(plainly(text)), (shown, text)
