"""A saved answer of an inference server as the file of a recording. What the answer does not say is left out, and nothing is invented."""

from __future__ import annotations

from collections.abc import Sequence

from core.errors import BadRecording
from core.generation.recording_file import FORMAT, VERSION, File, ModelFile, PromptToken
from core.generation.saved_answers import Answer
from core.generation.step_file import MOST_LISTED, StepFile, TokenFile, digits
from core.record.listed_tokens import Keys, ListedStep, columns_of
from core.sampling.settings import SamplingSettings
from core.tokens.tokens import ByteJoiner

UNNAMED = "a server's answer"
USUAL_LISTED = 20  # candidates of a step that pages show, as in a run


def answer_file(answers: Sequence[Answer]) -> File:
    """Return the answers as one file: each is a branch that begins at the prompt. Raises BadRecording for different given beginnings."""
    first, keys = answers[0], Keys()
    if any(answer.prompt != first.prompt for answer in answers):
        raise BadRecording("The answers in this file begin with different texts. Save them in files of their own.")
    given = [] if first.prompt is None else [first.prompt]
    prompt_keys = keys.of(given)
    steps: list[StepFile] = []
    here = 0
    for number, answer in enumerate(answers, start=1):
        parent = 0
        for index, listed in enumerate(answer.steps):
            last = index == len(answer.steps) - 1
            name = f"{number} · {_name(answer)}"[:60] if last and len(answers) > 1 else ""
            steps.append(_step(listed, keys, parent, "forced" if index < answer.given else "server", name))
            parent = len(steps)
        here = here or parent
    joiner = ByteJoiner()
    prompt = [PromptToken(id=key, raw=token.raw.hex(), text=joiner.add(token.raw)) for key, token in zip(prompt_keys, given, strict=True)]
    sizes = ("parameter_count", "layer_count", "vocabulary_size", "context_length", "cache_bytes_per_token", "weight_bytes")
    return File(
        format=FORMAT,  # type: ignore[arg-type]  # the constant of this Literal
        version=VERSION,  # type: ignore[arg-type]
        model=ModelFile(name=_name(first), device="server", dtype="unknown", end_token_ids=[], from_answer=True, **dict.fromkeys(sizes, 0)),
        prompt="".join(token.text for token in prompt),
        prompt_tokens=prompt,
        settings=SamplingSettings().for_file(),
        top_n=USUAL_LISTED,
        as_chat=False,
        here=here,
        finished=None,
        vocabulary=[TokenFile(id=key, raw=token.raw.hex(), special=token.special) for key, token in sorted(keys.tokens.items())],
        steps=steps,
    )


def _name(answer: Answer) -> str:
    return "".join(c for c in answer.model if c.isprintable()).strip() or UNNAMED


def _step(listed: ListedStep, keys: Keys, parent: int, chosen_by: str, name: str) -> StepFile:
    """Return one token. Settings and measurements have the values that mean "not in this file"."""
    columns = columns_of(listed, keys)
    count = min(len(columns["token_ids"]), MOST_LISTED)
    return StepFile(
        parent=parent,
        name=name,
        token_id=columns["key"],
        chosen_by=chosen_by if listed.chosen.logprob is not None else "server",  # type: ignore[arg-type]
        roll=None,
        attempt=0,
        settings=SamplingSettings().for_file(),
        computed_tokens=0,
        reused_tokens=0,
        cache_bytes=0,
        seconds=0.0,
        queue_seconds=0.0,
        server_seconds=None,
        held_bytes=None,
        token_ids=columns["token_ids"].tolist(),
        ranks=columns["ranks"].tolist(),
        logits=digits(columns["logits"]),
        probabilities=[digits(row) for row in columns["probabilities"]],
        removed_at=columns["removed_at"].tolist(),
        dice_starts=[None] * count,
        stage_names=list(columns["stage_names"]),
        stage_settings=[None],
        stage_kept=list(columns["stage_kept"]),
        stage_entropies=[None if e != e else e for e in columns["stage_entropies"]],
        server_listed=columns["top_logprobs_count"],
        stage_exact=list(columns["stage_exact"]),
    )
