"""Recording, the serialised run: everything that was seen, as validated JSON, to be shown again without the model.

The file is JSON with a version. It may come from a stranger: it is bounded, every field is checked, and texts are joined anew from the
tokens' bytes. A file can be wrong, never dangerous.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import FailFast, Field, ValidationError

from core.errors import BadRecording, BadSetting, WrongType
from core.generation.replay import RecordedModel, Replay
from core.generation.run import Run
from core.generation.step_file import MOST_LISTED, Count, StepFile, Strict, TokenFile, settings_of, step_file, step_of
from core.generation.tree import Tree
from core.record.step import Step
from core.record.tokens import ByteJoiner, Token, lone_token
from core.settings import SamplingSettings

FORMAT = "token-probability-viewer recording"
VERSION = 1
LARGEST_FILE = 64 * 1024 * 1024  # bytes
MOST_STEPS = 50_000


class _PromptToken(TokenFile):
    text: Annotated[str, Field(max_length=1_000_000)]


class _ModelFile(Strict):
    name: Annotated[str, Field(max_length=300)]
    device: Annotated[str, Field(max_length=60)]
    dtype: Annotated[str, Field(max_length=60)]
    parameter_count: Count
    layer_count: Count
    vocabulary_size: Count
    context_length: Count
    cache_bytes_per_token: Count
    weight_bytes: Count
    end_token_ids: Annotated[list[Count], Field(max_length=1000), FailFast()]


class _File(Strict):
    format: Literal["token-probability-viewer recording"]
    version: Literal[1]
    model: _ModelFile
    prompt: Annotated[str, Field(min_length=1, max_length=4_000_000)]
    prompt_tokens: Annotated[list[_PromptToken], Field(min_length=1, max_length=2_000_000), FailFast()]
    settings: dict[str, Any]
    top_n: Annotated[int, Field(ge=1, le=MOST_LISTED)]
    as_chat: bool
    here: Count
    finished: Annotated[str, Field(max_length=60)] | None
    vocabulary: Annotated[list[TokenFile], Field(max_length=2_000_000), FailFast()]
    steps: Annotated[list[StepFile], Field(max_length=MOST_STEPS), FailFast()]


class Recording:
    """A run that was kept. prompt, text, path, settings and model_name say what it was; replay() shows it again, step by step."""

    def __init__(self, file: _File) -> None:
        """Use `of`, `load` or `loads`. Raises BadRecording if the parts contradict each other."""
        self._file = file
        self.model = RecordedModel(
            **file.model.model_dump(exclude={"end_token_ids"}),
            end_token_ids=frozenset(file.model.end_token_ids),
            tokens={t.id: lone_token(t.id, bytes.fromhex(t.raw), t.special) for t in [*file.vocabulary, *file.prompt_tokens]},
        )
        self.model_name = self.model.name
        self.prompt = file.prompt
        self.prompt_tokens = [
            Token(t.id, t.text, self.model.token(t.id).piece, bytes.fromhex(t.raw), t.special) for t in file.prompt_tokens
        ]
        read = "".join(token.text for token in self.prompt_tokens)
        if read != self.prompt and not (file.as_chat and self.prompt.strip() in read):
            raise BadRecording("This recording contradicts itself: its tokens do not give its prompt.")
        if not {token_id for step in file.steps for token_id in step.token_ids} <= self.model.tokens.keys():
            raise BadRecording("This recording contradicts itself: it does not say how some of its tokens are written.")
        self.settings = settings_of(file.settings)
        self.top_n = file.top_n
        self.tree = self._build()
        self.finished = file.finished

    def _build(self) -> Tree:
        tree = Tree(self.model)
        tree.prompt, tree.prompt_tokens = self.prompt, self.prompt_tokens
        known: dict[str, SamplingSettings] = {}
        depths = [0]  # of every node: how many steps stand before the one behind it
        for node_id, entry in enumerate(self._file.steps, start=1):
            if entry.parent >= node_id:
                raise BadRecording("This recording contradicts itself: a step comes before the one it follows.")
            key = repr(sorted(entry.settings.items()))
            settings = known.get(key) or known.setdefault(key, settings_of(entry.settings))
            joiner = ByteJoiner()
            joiner.add(tree.nodes[entry.parent].waiting)
            token = self.model.token(entry.token_id)
            text = "" if token.special else joiner.add(token.raw)
            depth = depths[entry.parent]
            step = step_of(entry, depth, depth + len(self.prompt_tokens), settings, self.model, text)
            tree.attach(entry.parent, step, joiner.waiting).name = entry.name
            depths.append(depth + 1)
        if self._file.here > len(self._file.steps):
            raise BadRecording("This recording contradicts itself: it ends at a step that it does not hold.")
        tree.switch(self._file.here)
        return tree

    @property
    def text(self) -> str:
        """The prompt and what was written behind it."""
        return self.tree.text

    @property
    def path(self) -> list[Step]:
        """The steps of the path on which the run stood when it was kept."""
        return self.tree.path

    @classmethod
    def of(cls, run: Any) -> Recording:
        """Keep a run (a Generation or a Replay), with all its branches.

        Raises BadRecording for a run that does not fit into a file: more than 50,000 steps, or numbers that no model gives. WrongType for
        what is no run.
        """
        if not isinstance(run, Run):
            raise WrongType(f"A recording is made of a run, not of {type(run).__name__}.")
        try:
            return cls(_file_of(run))
        except ValidationError as error:
            raise BadRecording(f"This run cannot be kept as a recording (at {_place(error)}).") from error

    @classmethod
    def loads(cls, data: str | bytes) -> Recording:
        """Read a recording from the text of its file. Raises BadRecording, and nothing else, for whatever is wrong with it."""
        if len(data) > LARGEST_FILE:
            raise BadRecording(f"This file is too large for a recording: at most {LARGEST_FILE // 2**20} MB are read.")
        try:
            content = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BadRecording("This file is not a recording: it cannot be read as JSON.") from error
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadRecording("This file is not a recording of this app.")
        version = content.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording("This recording was made with a newer version of the app. Update the app to replay it.")
        try:
            return cls(_File.model_validate(content))
        except ValidationError as error:
            raise BadRecording(f"This recording is broken (at {_place(error)}).") from error
        except BadSetting as error:
            raise BadRecording(f"This recording is broken: {error}") from error

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Read a recording from a file. Raises BadRecording."""
        try:
            with open(path, "rb") as file:
                return cls.loads(file.read(LARGEST_FILE + 1))
        except (OSError, ValueError) as error:
            raise BadRecording("This recording cannot be opened.") from error

    def dumps(self) -> str:
        """The text of the file."""
        return self._file.model_dump_json()

    def save(self, path: str | Path) -> None:
        """Write the recording to a file."""
        Path(path).write_text(self.dumps(), encoding="utf-8")

    def replay(self) -> Replay:
        """Show the run again from its prompt: it steps, goes back and branches like a live one, as far as it was recorded."""
        return Replay(self.model, self.tree, self.settings, self.top_n, self.finished, self._file.as_chat)


def _file_of(run: Any) -> _File:
    """A run as it goes into a file."""
    with run.turn:  # somebody may be writing it meanwhile; nodes themselves never change but for their names
        model, here, finished, settings = run.model, run.here, run.finished, run.settings.as_dict()
        kept = [node for node in run.nodes if not node.is_deleted]
    number = {node.node_id: place for place, node in enumerate(kept)}  # a file numbers its nodes without the gaps of deleted ones
    used = {int(i) for node in kept if node.step for i in node.step.token_ids}
    return _File(
        format="token-probability-viewer recording",
        version=1,
        model=_ModelFile(
            name=_public_name(model.name),
            end_token_ids=sorted(model.end_token_ids),
            **{name: getattr(model, name) for name in _ModelFile.model_fields if name not in ("name", "end_token_ids")},
        ),
        prompt=run.prompt,
        prompt_tokens=[_PromptToken(id=t.token_id, raw=t.raw.hex(), special=t.special, text=t.text) for t in run.prompt_tokens],
        settings=settings,
        top_n=run.top_n,
        as_chat=run.as_chat,
        here=number[here],
        finished=finished,
        vocabulary=[TokenFile(id=i, raw=model.token(i).raw.hex(), special=model.token(i).special) for i in sorted(used)],
        steps=[step_file(node.step, number[node.parent or 0], node.name) for node in kept if node.step],
    )


def _place(error: ValidationError) -> str:
    """Where in a file the first fault is, fit to be shown."""
    place = " → ".join(str(part) for part in error.errors(include_input=False, include_context=False)[0]["loc"][:4])
    return "".join(c for c in place if c.isprintable())[:80] or "its beginning"


def _public_name(name: str) -> str:
    """A model's name as it may leave this machine: of a folder, only its own name."""
    return (name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "model") if name.startswith(("/", ".", "~")) or "\\" in name else name
