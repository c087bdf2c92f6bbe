"""The Python code that repeats a run: the same prompt, settings, rolls and tokens."""

from __future__ import annotations

from core.generation.generation import Generation
from core.sources.capabilities import Can

WHERE = "# Run it in the folder of the Token Probability Viewer, which holds the package core: python run.py"


def code(run: Generation) -> str:
    """Return a script that makes the steps of the current path again. Raises nothing for a run without steps."""
    if Can.FACTS not in run.can:
        lines = ["from core import Recording", "", 'run = Recording.load("run.json").replay()  # a saved answer of a server']
        return "\n".join([WHERE, *lines, "print(run.generate())", ""])
    messages = list(getattr(run, "messages", ()))
    if Can.TOKEN_IDS not in run.can:
        call = f"Generation(load_model({run.model_name!r}), {messages or run.prompt!r}, {run.settings!r})"
        lines = [
            WHERE,
            "# The tokens of this server have no ids, so a script cannot repeat its own choices.",
            "from core import Generation, SamplingSettings, load_model",
        ]
        return "\n".join([*lines, "", f"run = {call}", f"print(run.generate({len(run.path)}))", ""])
    path, settings = run.path, run.path[0].settings if run.path else run.settings
    chat = ", as_chat=True" if getattr(run, "as_chat", False) and not messages else ""  # an old recording
    lines = [
        WHERE,
        "from core import Generation, SamplingSettings, load_model",
        "",
        f"run = Generation(load_model({run.model_name!r}), {messages or run.prompt!r}, {settings!r}{chat})",
    ]
    for step in path:
        if step.settings != settings:
            settings = step.settings
            lines.append(f"run.settings = {settings!r}")
        attempt = f"attempt={step.attempt}, " if step.attempt else ""
        call = f"run.force({step.token_id})" if step.chosen_by == "forced" else f"run.step({attempt}outcome={step.token_id})"
        lines.append(f"{call}  # {step.piece}")
    return "\n".join([*lines, "print(run.text)", ""])
