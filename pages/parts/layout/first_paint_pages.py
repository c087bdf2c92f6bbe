"""What stands in each page's first paint, from the recordings that come with the app; and the command that writes them down.

    python -m pages.parts.layout.first_paint_pages

Headings are read off the pages themselves, run headless in each language. `runtime/record.py` ends with it, so that a new recording brings
a new first paint.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from core import Generation, SamplingSettings, list_models, load_model
from core.inspection.look import look
from core.labs import cache_race, prepared
from core.labs.batch_curve import CurvePoint
from core.labs.batching import Served, summary
from core.labs.cache_budget import Answer
from core.labs.candidates import ranked
from core.labs.speculative import ACCEPTED, PlainStep, SpeculativeRound
from core.labs.teach import Look
from core.labs.waiting import LoadPoint, Watched
from core.language import N_, _, languages, speaking
from core.models.growth import growth_of
from core.record.step import Step, TokenDistribution
from pages.parts.charts import inside_rows, scoring_rows
from pages.parts.components.receipt import receipt
from pages.parts.layout import navigation
from pages.parts.layout.first_paint import HERE, Bar, Bars, FirstPaint, Line, Part, Words, drawn, plain, scaled
from pages.parts.runtime import gallery, recordings
from pages.parts.text import beginnings, glossary, names, numbers, running_orders

APP = HERE.parents[2] / "app.py"
MODEL = "storyteller"
ROWS = 8
DEEPEST = 0.28  # of a tint behind text
# Drawn by something else than words and bars, or within its first second anyway.
WITHOUT = frozenset({"stage", "notes"})
# This page says of itself that it was computed just now; here it is a recording.
LEADS = {"inside": N_("The way of one piece through the model, from letters to dice.")}
_MARKS = re.compile(r"[*`]|:(?:gray|small)\[|\]")


def file(language: str) -> Path:
    """Where the first paints in this language are kept: title, lead and HTML of every page, by its path."""
    return HERE / f"first_paint.{language}.json"


def record(name: str) -> Any:
    """The recording of an experiment that came with the app."""
    found = recordings.first(name)
    assert found is not None, name
    return found


def recorded(name: str) -> Line:
    """That it is a recording, of which day and of what."""
    found = record(name)
    made = _("Made on {day}: {told}").format(day=numbers.day(found.recorded_on), told=found.made_by.told())
    return Line(f"{_('A recording.')} {made}", True)


def kept() -> Line:
    """That it is one, where there is no more to say."""
    return Line(_("A recording."), True)


def odds(distribution: TokenDistribution | Step, title: str = "", rows: int = ROWS) -> Bars:
    """The likeliest candidates, pale: it is what the model said, and not what the dice use."""
    listed = distribution.candidates[:rows]
    shares = [(c.text.strip() or c.piece, c.model_probability) for c in listed]
    return Bars(scaled([Bar(label, share, numbers.chance(share), "model") for label, share in shares]), title)


def tinted(path: Sequence[Step], title: str = "", prompt: str = "") -> Words:
    """A written text, the bluer a piece the likelier it was, as on its page."""
    return Words(tuple((step.text, DEEPEST * step.model_probability) for step in path), title, prompt)


def watch() -> tuple[Part, ...]:
    run = Generation(load_model(MODEL), beginnings.FIRST_PROMPT, SamplingSettings(temperature=0.8, top_p=0.9))
    return (kept(), Words(((beginnings.FIRST_PROMPT, 0.0),)), odds(run.next_distribution(), _("What comes next?"), 10))


def tour() -> tuple[Part, ...]:
    run = prepared.load("certain")
    return (kept(), tinted(run.path, prompt=run.prompt))


def read() -> tuple[Part, ...]:
    scored = scoring_rows.read(load_model(MODEL), next(iter(beginnings.TO_READ.values())))
    words = scoring_rows.words(scored, "rank")
    pieces = tuple((token.text, word.depth) for token, word in zip(scored.tokens, words, strict=False) if token.probability is not None)
    return (kept(), Words(pieces, kind="doubt"))


def guess() -> tuple[Part, ...]:
    return (Words(((beginnings.FIRST_PROMPT, 0.0), (" …", 0.0))),)


def shelf() -> tuple[Part, ...]:
    return tuple(part for title, said in gallery.RUNS.values() for part in (Line(_(title)), Line(_(said), True)))


def talk() -> tuple[Part, ...]:
    orders = running_orders.TALKS.values()
    return tuple(part for one in orders for part in (Line(_(one.name)), Line(" · ".join(_(stop.title) for stop in one.stops), True)))


def inside() -> tuple[Part, ...]:
    model = load_model(MODEL)
    seen = look(model, Generation(model, beginnings.FIRST_PROMPT, SamplingSettings()).token_ids)
    rows = []
    for layer in seen.layers:
        best = layer.candidates[0]
        where = inside_rows.station(layer.number, len(seen.layers))
        share = best.model_probability
        rows.append(Bar(where, share, f"{best.text.strip() or best.piece}  {numbers.percent(share)}", "model"))
    return (kept(), Words(((beginnings.FIRST_PROMPT, 0.0),)), Bars(tuple(rows)))


def growing() -> tuple[Part, ...]:
    known = growth_of(MODEL)
    assert known is not None
    shown = known.moments[:: max(1, len(known.moments) // 5)]
    return tuple(Words(((plain(one.sample)[:150], 0.0),), numbers.count(one.tokens)) for one in shown)


def teach() -> tuple[Part, ...]:
    found = record("teach")
    looks = [one for one in found.seen if isinstance(one, Look)]
    return (
        recorded("teach"),
        odds(looks[0].distribution, f"{found.about.beginning} …", 5),
        odds(looks[-1].distribution, found.about.text, 5),
    )


def terms() -> tuple[Part, ...]:
    return tuple(part for term in glossary.terms()[:ROWS] for part in (Line(term.title), Line(term.text, True)))


def branches() -> tuple[Part, ...]:
    run = prepared.load("one_word")
    ends = [node.node_id for node in run.tree.nodes[1:] if not node.children]
    return (kept(), *(tinted(run.tree.path_to(end), prompt=run.prompt) for end in ends))


def compare() -> tuple[Part, ...]:
    found = record("compare")
    prompt, titles = found.about
    columns = zip(found.seen[-1].paths, titles, strict=True)
    return (recorded("compare"), *(tinted(path, _(title), prompt) for path, (title, *_rest) in columns))


def tries() -> tuple[Part, ...]:
    found = record("candidates")
    best = ranked(found.seen[-1].tries)[:3]
    prompt = found.about[0]
    return (recorded("candidates"), *(tinted(one.attempt.path, f"{place}.", prompt) for place, one in enumerate(best, start=1)))


def think() -> tuple[Part, ...]:
    found = record("think")
    newest = {style.name: thought for style, thought in found.seen}
    said = zip((_("At once"), _("Step by step")), newest.values(), strict=True)
    return (recorded("think"), Line(plain(found.about.text)), *(Words(((thought.text, 0.0),), title) for title, thought in said))


def race() -> tuple[Part, ...]:
    seen = record("race").seen
    times = {runner: max(one.total_seconds for one in seen if one.runner == runner) for runner in (cache_race.CACHED, cache_race.UNCACHED)}
    rows = [
        Bar(title, seconds, numbers.duration(seconds), kind)
        for title, seconds, kind in zip((_("With notes"), _("Without notes")), times.values(), ("dice", "other"), strict=True)
    ]
    return (recorded("race"), Bars(scaled(rows)))


def memory() -> tuple[Part, ...]:
    found = record("memory")
    answers = [one for one in found.seen if isinstance(one, Answer)]
    titles = (_("With every line"), _("With your notepad"))
    rows = [Bar(title, one.probability or 0.0, numbers.percent(one.probability)) for title, one in zip(titles, answers, strict=True)]
    said = [Line(f"{title}: {_('It says: “{said}”').format(said=one.said)}") for title, one in zip(titles, answers, strict=True)]
    return (recorded("memory"), Line(plain(found.about["task"].question)), Bars(tuple(rows)), *said)


def context() -> tuple[Part, ...]:
    newest = {point.length: point for point in record("context").seen}
    waits = [(numbers.tokens(length), point.prefill.median) for length, point in sorted(newest.items())]
    rows = [Bar(length, seconds, numbers.duration(seconds)) for length, seconds in waits]
    return (recorded("context"), Bars(scaled(rows), _("Until the first word")))


def cost() -> tuple[Part, ...]:
    last = record("cost_timed").seen[-1]
    spent: dict[str, float] = {}
    for part in last.parts:
        name = f"{receipt.MARKS[part.kind]} {_(names.SPANS[part.name])}"
        spent[name] = spent.get(name, 0.0) + part.seconds
    rows = [Bar(name, seconds, numbers.duration(seconds)) for name, seconds in spent.items()]
    kinds = " · ".join(f"{receipt.MARKS[kind]} {_(kind)}" for kind in dict.fromkeys(part.kind for part in last.parts))
    return (recorded("cost_timed"), Bars(scaled(rows)), Line(kinds, True))


def batching() -> tuple[Part, ...]:
    seen = [one for one in record("batching").seen if isinstance(one, Served)]
    sides = [summary([one.iteration for one in seen if one.side == side]) for side in (0, 1)]
    curve = {point.size: point.tokens_per_second for point in record("batching_curve").seen if isinstance(point, CurvePoint)}
    speeds = [Bar(str(size), speed, numbers.whole(speed), "computed") for size, speed in sorted(curve.items())]
    done = [
        Bar(title, side.seconds, numbers.duration(side.seconds))
        for title, side in zip((_("One at a time"), _("Continuous batching")), sides, strict=True)
    ]
    return (recorded("batching"), Bars(scaled(done)), Bars(scaled(speeds), _("Tokens a second, for all")))


def speculative() -> tuple[Part, ...]:
    found = record("speculative")
    rounds = [one for one in found.seen if isinstance(one, SpeculativeRound)]
    steps = [one for one in found.seen if isinstance(one, PlainStep)]
    pieces: list[tuple[str, float]] = []
    for one in rounds:
        pieces += [(guessed.text, DEEPEST) for guessed in one.drafted if guessed.verdict == ACCEPTED]
        pieces.append((one.text, 0.0))
    both = ((_("Plain, with the same dice"), len(steps)), (_("Guess and check"), len(rounds)))
    rows = [Bar(title, passes, numbers.passes(passes)) for title, passes in both]
    return (recorded("speculative"), Words(tuple(pieces), prompt=found.about[0]), Bars(scaled(rows)))


def quantization() -> tuple[Part, ...]:
    seen = record("quantization").seen
    full = Bar(_("full precision"), seen[0].full_bytes, numbers.size(seen[0].full_bytes))
    rows = [Bar(_("{count} bits").format(count=one.bits), one.bytes, numbers.size(one.bytes)) for one in seen]
    favourites = [Bar(_("{count} bits").format(count=one.bits), one.top1_kept, numbers.percent(one.top1_kept), "computed") for one in seen]
    return (recorded("quantization"), Bars(scaled([full, *rows])), Bars(tuple(favourites), _("favourites kept")))


def waiting() -> tuple[Part, ...]:
    newest = {one.policy: one for one in record("waiting").seen if isinstance(one, Watched)}
    rows = [Bar(_(names.SIDES[policy]), one.total, numbers.duration(one.total)) for policy, one in newest.items()]
    loads = [one for one in record("waiting_curve").seen if isinstance(one, LoadPoint)]
    loaded = [(f"{_(names.SIDES[one.policy])} {numbers.percent(one.load)}", one.queue) for one in loads]
    waits = [Bar(title, queue, numbers.duration(queue), "computed") for title, queue in loaded]
    return (recorded("waiting"), Bars(scaled(rows)), Bars(scaled(waits), _("Mean wait in the queue by load")))


def pupil() -> tuple[Part, ...]:
    found = record("pupil")
    pieces = tuple((one.text, 0.5 * min(1.0, one.judge.surprise / 8)) for one in found.seen)
    return (recorded("pupil"), Words(pieces, kind="doubt"))


def models() -> tuple[Part, ...]:
    found = [(entry.title, load_model(entry.name)) for entry in list_models()]
    said = [f"{numbers.count(model.parameter_count)} · {numbers.size(model.weight_bytes)}" for _title, model in found]
    return tuple(part for (title, _model), told in zip(found, said, strict=True) for part in (Line(title), Line(told, True)))


PARTS: dict[str, Callable[[], tuple[Part, ...]]] = {
    "": watch, "watch": watch, "tour": tour, "read": read, "guess": guess, "gallery": shelf, "talk": talk, "inside": inside,
    "growing": growing, "teach": teach, "glossary": terms, "what_if": branches, "compare": compare, "candidates": tries, "think": think,
    "cache": race, "memory": memory, "context": context, "cost": cost, "batching": batching, "speculative": speculative,
    "quantization": quantization, "waiting": waiting, "pupil": pupil, "models": models,
}  # fmt: skip


def heading(path: str, language: str) -> tuple[str, str, str, bool]:
    """Title, term of art, lead, and whether it is a modest one, as the page says them."""
    app = AppTest.from_file(str(APP), default_timeout=60)
    app.query_params["lang"] = language
    app.run()
    if path not in ("", "watch"):
        app.switch_page(f"pages/{path}.py").run()
    said = next(one.value for one in app.main.markdown if one.value.startswith("# "))[2:]
    title, _gray, term = said.partition(" :gray[")
    if not term.startswith(":small["):
        return title.removesuffix("."), "", _MARKS.sub("", term), True
    captions = [one.value for one in app.main.caption]
    return title, _MARKS.sub("", term), _MARKS.sub("", captions[0]) if captions else "", False


def written(language: str) -> dict[str, dict[str, str]]:
    """Title, lead and HTML of all pages in a language, by path."""
    made = {}
    for path, parts in PARTS.items():
        with speaking(language):
            menu = tuple(_(group) for group in dict.fromkeys(group for group, *_rest in navigation.PAGES))
            title, term, lead, modest = heading(path, language)
            lead = _(LEADS[path]) if path in LEADS else lead
            made[path] = {"title": title, "lead": plain(lead), "html": drawn(FirstPaint(title, term, lead, parts(), menu, modest))}
    return made


def main() -> None:
    """Write them all."""
    for language in languages():
        file(language).write_text(json.dumps(written(language), ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
        sys.stdout.write(f"{file(language).name}: {file(language).stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
