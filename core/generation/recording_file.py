"""The file of a recording: its fields and their limits, a run as such a file (`file_of`), and a file read entry by entry (`Content`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, FailFast, Field, TypeAdapter, ValidationError

from core.chat.conversation import MOST_MESSAGES
from core.errors import BadRecording
from core.generation.step_file import MOST_LISTED, Count, StepFile, Strict, TokenFile, step_file
from core.message import Message
from core.models.gguf.header import RUN, is_gguf
from core.models.gguf.hub_file import is_hub_file
from core.record.bounded_json import BoundedJson, Bounds
from core.sources.capabilities import Can

FORMAT = "token-probability-viewer recording"
VERSION = 1
LARGEST_FILE = 64 * 1024 * 1024  # bytes
MOST_STEPS = 50_000
BOUNDS = Bounds(
    size=LARGEST_FILE,
    rest=1024 * 1024,
    entry=2 * 1024 * 1024,  # a step of 1,001 tokens in 16 stages has a quarter of that
    depth=6,  # a valid file has five levels
    marks=8_000_000,
    lists={"prompt_tokens": 2_000_000, "vocabulary": 2_000_000, "steps": MOST_STEPS},
)


class PromptToken(TokenFile):
    """A token of the prompt in the file."""

    text: Annotated[str, Field(max_length=1_000_000)]


class ModelFile(Strict):
    """The model in the file."""

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
    is_saved_answer: bool = Field(default=False, alias="from_answer")  # the name in the file of version 1


class MessageFile(Strict):
    """A message of a conversation in the file. first, end: the tokens of the prompt with its content; both 0 if they are not known."""

    role: Literal["system", "user", "assistant"]
    content: Annotated[str, Field(max_length=4_000_000)]
    first: Count
    end: Count


class File(Strict):
    """The whole file. When it is read, its long lists are empty and `Content` reads them in parts."""

    format: Literal["token-probability-viewer recording"]
    version: Literal[1]
    model: ModelFile
    prompt: Annotated[str, Field(max_length=4_000_000)]  # empty only for a saved answer
    prompt_tokens: Annotated[list[PromptToken], Field(max_length=2_000_000), FailFast()]
    settings: dict[str, Any]
    top_n: Annotated[int, Field(ge=1, le=MOST_LISTED)]
    as_chat: bool
    messages: Annotated[list[MessageFile], Field(max_length=MOST_MESSAGES), FailFast()] = Field(default=[])  # missing in old files
    here: Count
    finished: Annotated[str, Field(max_length=60)] | None
    vocabulary: Annotated[list[TokenFile], Field(max_length=2_000_000), FailFast()]
    steps: Annotated[list[StepFile], Field(max_length=MOST_STEPS), FailFast()]


Entry = TypeVar("Entry", TokenFile, PromptToken, StepFile)
_PARSERS: dict[type[BaseModel], TypeAdapter[Any]] = {
    kind: TypeAdapter(cast(Any, Annotated[list[kind], FailFast()]))  # type: ignore[valid-type]
    for kind in (TokenFile, PromptToken, StepFile)
}


class Content:
    """The content of a file: `head`, and its long lists entry by entry. All methods raise BadRecording for an invalid file."""

    def __init__(self, data: str | bytes) -> None:
        self._file = BoundedJson(data, BOUNDS)
        content = self._file.head
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise BadRecording("This file is not a recording of this app.")
        version = content.get("version")
        if isinstance(version, int) and version > VERSION:
            raise BadRecording("This recording was made with a newer version of the app. Update the app to replay it.")
        for part, kind in ((content, File), (content.get("model"), ModelFile)):
            if isinstance(part, dict) and len(part) > len(kind.model_fields):  # pydantic would report every unknown name as an error
                raise BadRecording("This recording is broken: it has too many entries.")
        try:
            self.head = File.model_validate(content)
        except ValidationError as error:
            raise BadRecording("This recording is broken (at {place}).", place=place_of(error)) from error

    def entries(self, name: str, kind: type[Entry]) -> Iterator[Entry]:
        """Yield the entries of one long list, each part parsed when it is needed."""
        count = 0
        for part in self._file.parts(name):
            try:
                entries: list[Entry] = _PARSERS[kind].validate_json(part)
            except ValidationError as error:
                raise BadRecording("This recording is broken (at {place}).", place=place_of(error, name, count)) from error
            count += len(entries)
            yield from entries


def place_of(error: ValidationError, name: str = "", before: int = 0) -> str:
    """Return where in a file the first error is, as a short text. name: the list with the error, before: entries of it read before."""
    where = error.errors(include_input=False, include_context=False)[0]["loc"]
    if name:
        where = (name, before + where[0], *where[1:]) if where and isinstance(where[0], int) else (name,)
    path = " → ".join(str(part) for part in where[:4])
    return "".join(c for c in path if c.isprintable())[:80] or Message("its beginning")


def file_of(run: Any) -> File:
    """Return a run or a recording as the content of a file."""
    model = run.model
    kept = [node for node in run.nodes if not node.is_deleted]
    number = {node.node_id: index for index, node in enumerate(kept)}  # a file numbers its nodes without deleted ones
    named: dict[str, Any] = {
        name: getattr(model, name) for name in ModelFile.model_fields if name not in ("name", "end_token_ids", "is_saved_answer")
    }
    if Can.FACTS not in model.can:  # other files do not name it, so that older versions of the app can open them
        named["from_answer"] = True
    word = run.vocabulary.token
    used = {int(i) for node in kept if node.step for i in node.step.token_ids}
    return File(
        format="token-probability-viewer recording",
        version=1,
        model=ModelFile(
            name=public_name(model.name),
            end_token_ids=sorted(model.end_token_ids),
            **named,
        ),
        prompt=run.prompt,
        prompt_tokens=[PromptToken(id=t.key, raw=t.raw.hex(), special=t.special, text=t.text) for t in run.prompt_tokens],
        settings=run.settings.for_file(),
        top_n=run.top_n,
        as_chat=run.as_chat,
        messages=[
            MessageFile(role=message["role"], content=message["content"], first=first, end=end)
            for message, (first, end) in zip(run.messages, run.message_spans, strict=True)
        ],
        here=number[run.here],
        finished=run.finished,
        vocabulary=[TokenFile(id=i, raw=word(i).raw.hex(), special=word(i).special) for i in sorted(used)],
        steps=[step_file(node.step, number[node.parent or 0], node.name) for node in kept if node.step],
    )


def public_name(name: str) -> str:
    """Return a model's name for publication: of a path, only the last part."""
    if is_gguf(name):
        own = name.removeprefix(RUN)
        return own if is_hub_file(own) else own.replace("\\", "/").rsplit("/", 1)[-1]
    return (name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or "model") if name.startswith(("/", ".", "~")) or "\\" in name else name
