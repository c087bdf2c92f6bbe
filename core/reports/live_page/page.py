"""A run as one HTML file that writes on by itself: the model is in it, and the view of the app. It opens from a disk, without a network."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from core.backends.decoder_parts import Parts
from core.engine.model import LanguageModel
from core.errors import NotForThisModel, WrongType
from core.generation.generation import Generation
from core.message import ENGLISH, Message, Number, Wording
from core.record import step_rows
from core.reports import html_file, step_in_browser
from core.reports.live_page import texts
from core.reports.live_page.llama_data import LlamaData, checked_model, llama_data
from core.reports.live_view import texts as view_texts
from core.sampling.presets import PRESETS, START
from core.sampling.settings import ORDERS, SETTING_OF, SETTINGS, STAGES, SamplingSettings
from core.sampling.settings_row import Setting
from core.sources.source import Source

HERE = Path(__file__).parent
OWN = ("products", "llama", "tokenizer", "dice", "sampling", "rows", "view_data", "page_run", "page")
SHARED = (step_in_browser.STEP, step_in_browser.WORDS, step_in_browser.DICE, *step_in_browser.LIVE)
SCRIPTS = (*SHARED, *(HERE / f"{name}.js" for name in OWN))
STYLES = (step_in_browser.STYLE, step_in_browser.WORDS_STYLE, step_in_browser.LIVE_STYLE, HERE / "page.css")
# Rows of the table that sampling.js has a stage for, and those that decide how a token is chosen.
COMPUTED = frozenset("temperature top_k top_p min_p typical_p repetition_penalty presence_penalty frequency_penalty greedy seed".split())
OFFERED = tuple(row for row in SETTINGS.values() if row.name in COMPUTED)
ORDER = tuple(name for name in ORDERS["transformers"] if SETTING_OF[name] in {row.name for row in OFFERED})
ROWS = 8
FLOAT32 = 4  # bytes; the page keeps keys and values in no other precision
PARTS = ("text", "heading", "moment", "bars", "dice_head", "dice", "cache", "surprise", "player", "prompt")
Say = Callable[[str], str]


def page(source: Generation | Source, wordings: Sequence[Wording] = (ENGLISH,)) -> str:
    """Return the page of a run, with its branches, or of a model, with a prompt to begin with.

    wordings: the languages of the page; the browser chooses among them. Raises NotForThisModel for a model that is no small Llama and for
    a run that is a conversation or changes its network, WrongType for other sources.
    """
    wordings = wordings or (ENGLISH,)
    held = llama_data(*check(source))
    run = source if isinstance(source, Generation) else None
    model = run.model if run is not None else source
    say = wordings[0].say
    script, script_hash = html_file.script(SCRIPTS)
    return html_file.template(HERE).render(
        language=wordings[0].language,
        title=say(texts.PAGE["title"]),
        opening=say(texts.OPENING),
        no_script=say(texts.NO_SCRIPT),
        damaged=say(texts.DAMAGED),
        old_browser=say(texts.OLD_BROWSER),
        style=html_file.with_colours(html_file.joined(STYLES)),
        script=script,
        script_hash=script_hash,
        presets=len(PRESETS),
        settings=list(map(_control, OFFERED)),
        data=html_file.inert(_data(model, run, held, wordings)),
        weights=base64.b64encode(gzip.compress(held.planes, 6, mtime=0)).decode(),
    )


def check(source: Generation | Source) -> tuple[LanguageModel, Parts, dict[str, Any]]:
    """Return the model with its parts and its tokenizer, as `llama_data` takes them. Raises what `page` raises, and is fast."""
    if not isinstance(source, Generation | Source):
        raise WrongType("A page is made of a run, not of {kind}.", kind=type(source).__name__)
    if isinstance(source, Generation) and (source.as_chat or source.has_changed_network):
        raise NotForThisModel("A live page holds the run of a text, without a chat template and without changes to the network.")
    return checked_model(source.model if isinstance(source, Generation) else source)


def _data(model: Any, run: Generation | None, held: LlamaData, wordings: Sequence[Wording]) -> dict[str, Any]:
    return {
        "model": model.name,
        "shape": held.shape,
        "tokenizer": held.tokenizer,
        "pieces": [model.token(token_id).piece for token_id in range(model.vocabulary_size)],
        "cache_bytes": 2 * held.shape["layers"] * held.shape["kvHeads"] * held.shape["headSize"] * FLOAT32,
        "settings": [{"name": row.name, "off": row.off} for row in OFFERED],
        "stages": [{"setting": SETTING_OF[name], "kind": STAGES[name].kind, "off": SETTINGS[SETTING_OF[name]].off} for name in ORDER],
        "presets": [_offered(preset) for preset in PRESETS.values()],
        "limits": {
            "palest": step_rows.PALEST,
            "deepest": step_rows.DEEPEST,
            "doubt": step_rows.MOST_DOUBT,
            "fewest": step_rows.FEWEST,
            "worth": step_rows.WORTH_A_ROW,
            "sliver": step_rows.SLIVER,
            "single": step_rows.MOST_SINGLE,
        },
        "rows": ROWS,
        "start": _start(run),
        "words": {wording.language: _words(model, run, wording) for wording in wordings},
    }


def _control(row: Setting) -> dict[str, Any]:
    """Return the field of a setting. The seed is a number, what is on or off a box, all others sliders."""
    kind = "checkbox" if isinstance(row.off, bool) else "number" if row.name == "seed" else "range"
    return {"name": row.name, "kind": kind, **dict(zip(("low", "high", "step"), row.control, strict=True))}


def _offered(settings: SamplingSettings) -> dict[str, Any]:
    return {row.name: getattr(settings, row.name) for row in OFFERED}


def _missing(run: Generation | None) -> list[Setting]:
    """Return the settings of the run that the page does not have."""
    return [] if run is None else [row for row in run.settings.effective() if row not in OFFERED]


def _start(run: Generation | None) -> dict[str, Any]:
    """Return the run as the page holds it: of each node that is left its parent, token, way, attempt, and index of its settings."""
    if run is None:
        return {"prompt": next(iter(texts.EXAMPLES.values())), "settings": _offered(START), "nodes": [], "settings_of": [], "here": 0}
    numbers, nodes = {0: 0}, []
    used: dict[SamplingSettings, int] = {}
    for node in run.nodes[1:]:
        if node.step is not None:
            step = node.step
            numbers[node.node_id] = len(numbers)
            at = used.setdefault(step.settings, len(used))
            nodes.append((numbers[node.parent or 0], step.key, step.chosen_by, step.attempt, at))
    settings = list(map(_offered, used))
    return {"prompt": run.prompt, "settings": _offered(run.settings), "nodes": nodes, "settings_of": settings, "here": numbers[run.here]}


def _words(model: Any, run: Generation | None, wording: Wording) -> dict[str, Any]:
    """Return all sentences of the page in one language."""
    say = wording.say
    missing = ", ".join(say(row.label) for row in _missing(run))
    facts = texts.FACTS.with_values(model=model.name, count=model.parameter_count)
    return {
        "parts": {part: view_texts.of(part, say) for part in PARTS},
        "rows": _said(view_texts.STEP | texts.ROWS, say),
        "page": _said(texts.PAGE, say) | {"facts": say(facts)},
        "ended": _said(view_texts.ENDED, say),
        "legend": list(_said(view_texts.LEGEND, say).items()),
        "examples": [(say(name), text) for name, text in texts.EXAMPLES.items()],
        "speeds": [(speed, say(_speed(speed))) for speed in view_texts.SPEEDS],
        "stages": {SETTING_OF[name]: say(name) for name in ORDER} | {"greedy": say(SETTINGS["greedy"].short)},
        "presets": [say(name) for name in PRESETS],
        "settings": {
            row.name: {"label": say(row.label), "short": say(row.short), "help": say(row.help), "effects": _effects(row, say)}
            for row in OFFERED
        },
        "missing": say(texts.MISSING.with_values(names=missing)) if missing else "",
    }


def _speed(speed: float) -> Message:
    return view_texts.SPEED.with_values(count=Number(speed, "g")) if speed else view_texts.FASTEST


def _said(table: dict[str, Message], say: Say) -> dict[str, str]:
    return {name: say(sentence) for name, sentence in table.items()}


def _effects(row: Setting, say: Say) -> list[str]:
    """Return what each place of the slider does, or off and on; of the seed one sentence. A setting without such sentences has its help."""
    low, high, step = row.control

    def effect(value: float) -> str:
        return say(row.effect(value) or row.help)

    if isinstance(row.off, bool) or row.name == "seed":
        return [effect(value) for value in ((False, True) if row.name != "seed" else (0,))]
    return [effect(round(low + step * number, 6)) for number in range(round((high - low) / step) + 1)]
