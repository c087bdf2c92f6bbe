"""Sampling settings as text: in one line, as the arguments of other engines, and as the Python code that repeats a run."""

from __future__ import annotations

import json
import math
from typing import Any

from core.generation.generation import Generation
from core.message import Message, Number, Wording
from core.remote.sampling_parameters import named, parameters
from core.sampling.samplers.watermark import configuration
from core.sampling.settings import SETTING_OF, SamplingSettings
from core.sampling.settings_row import Setting
from core.sources.capabilities import Can

HEADS = {
    "transformers": "model.generate(**inputs, ",
    "vllm": "SamplingParams(",
}
INSTALLED, _core, _module = __name__.rpartition(".core.")  # the name of the package that holds core, "" in a checkout
API = INSTALLED or "core"
WHERE = (
    "# Run it where the Token Probability Viewer is installed: python run.py"
    if INSTALLED
    else "# Run it in the folder of the Token Probability Viewer, which holds the package core: python run.py"
)
LONGEST = 120  # characters of a setting that is a text


def arguments(engine: str, settings: SamplingSettings) -> str:
    """Return the settings for "transformers" (`generate`), "vllm" (`SamplingParams`) or "llama.cpp" (the body of a request), as code.

    Each value is written, also of a sampler that is off, because the engines switch some on by default. The dice are the engine's own, so
    the same seed gives another text. Raises BadSetting for settings that vLLM or llama.cpp does not have.
    """
    if engine == "llama.cpp":
        return json.dumps(parameters(engine, settings), ensure_ascii=False, indent=1)
    values = parameters(engine, settings) if engine == "vllm" else _transformers(settings)
    missing = settings.missing_in(engine)
    lines = [f"# {engine} does not have: {', '.join(missing)}"] * bool(missing)
    written = ", ".join(f"{name}={_code(value)}" for name, value in values.items())
    return "\n".join([*lines, f"{HEADS[engine]}{written})"])


def _transformers(settings: SamplingSettings) -> dict[str, Any]:
    """Return the arguments of `generate`. A constraint needs a processor of another library, so it is left out."""
    usual = ("temperature", "top_k", "top_p")  # `generate` switches these on, or a model's own configuration does
    replaced = {*usual, *(SETTING_OF[name] for name in settings.without_effect)} if settings.greedy else set()
    changed = {row.name for row in settings.changed()}
    values: dict[str, Any] = {"do_sample": not settings.greedy}
    values |= {
        name: value
        for name, value in named("transformers", settings).items()
        if name not in replaced and (name in usual or name in changed)
    }
    if settings.biases:
        values["sequence_bias"] = [[[token_id], -1e9 if math.isinf(number) else number] for token_id, number in settings.biases]
    if "watermark" in settings.active_stages:
        values["watermarking_config"] = configuration(settings)
    return values


def _code(value: Any) -> str:
    """Return a value as code; a configuration of transformers as its class with its arguments."""
    return f"{type(value).__name__}(**{value.to_dict()!r})" if hasattr(value, "to_dict") else repr(value)


def code(run: Generation) -> str:
    """Return a script that makes the steps of the current path again. Raises nothing for a run without steps."""
    if Can.FACTS not in run.can:
        lines = [f"from {API} import Recording", "", 'run = Recording.load("run.json").replay()  # a saved answer of a server']
        return "\n".join([WHERE, *lines, "print(run.generate())", ""])
    messages = list(getattr(run, "messages", ()))
    if Can.TOKEN_IDS not in run.can:
        call = f"Generation(load_model({run.model_name!r}), {messages or run.prompt!r}, {run.settings!r})"
        lines = [
            WHERE,
            "# The tokens of this server have no ids, so a script cannot repeat its own choices.",
            f"from {API} import Generation, SamplingSettings, load_model",
        ]
        return "\n".join([*lines, "", f"run = {call}", f"print(run.generate({len(run.path)}))", ""])
    path, settings = run.path, run.path[0].settings if run.path else run.settings
    chat = ", as_chat=True" if getattr(run, "as_chat", False) and not messages else ""  # an old recording
    chat += f", template_arguments={run.template_arguments!r}" if run.template_arguments else ""
    lines = [
        WHERE,
        f"from {API} import Generation, SamplingSettings, load_model",
        "",
        f"run = Generation(load_model({run.model_name!r}), {messages or run.prompt!r}, {settings!r}{chat})",
    ]
    for step in path:
        if step.settings != settings:
            settings = step.settings
            lines.append(f"run.settings = {settings!r}")
        attempt = f"attempt={step.attempt}, " if step.attempt else ""
        call = f"run.force({step.token_id})" if step.is_forced else f"run.step({attempt}outcome={step.token_id})"
        lines.append(f"{call}  # {step.piece}")
    return "\n".join([*lines, "print(run.text)", ""])


def summary(settings: SamplingSettings, wording: Wording) -> str:
    """Return the settings that differ from the usual ones, with temperature and seed: `temperature 0.8, top-k 5, seed 7`."""
    rows = [row for row in settings.effective() if row.name not in ("temperature", "seed", "greedy")]
    parts = [f"{wording.say(row.short)} {_written(settings, row, wording)}" for row in rows]
    if settings.greedy:
        return ", ".join([wording.say(Message("always the likeliest token (greedy)")), *parts])
    first = wording.say(Message("temperature {value}", value=Number(settings.temperature, "g")))
    return ", ".join([first, *parts, wording.say(Message("seed {seed}", seed=str(settings.seed)))])


def _written(settings: SamplingSettings, row: Setting, wording: Wording) -> str:
    """Return the value of a setting: a number, a text, or pairs and texts with commas."""
    value = getattr(settings, row.name)
    if row.choices:
        return wording.say(row.choices[value])
    if isinstance(row.off, bool):
        return wording.say(Message("on") if value else Message("off"))
    if isinstance(value, str):
        clean = " ".join(value.split())
        return clean if len(clean) <= LONGEST else f"{clean[: LONGEST - 1]}…"
    if isinstance(value, tuple):
        return ", ".join(
            f"{part[0]}: {part[1]:g}" if isinstance(part, tuple) else part if part.isprintable() else json.dumps(part) for part in value
        )
    return wording.figures(format(value, "g"))
