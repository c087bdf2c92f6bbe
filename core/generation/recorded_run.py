"""Recording: a run serialised as validated JSON, which can be shown again without the model.

The file is JSON with a version. It may come from a stranger, so its size is bounded, `recording_file` checks every field, and texts are
joined again from the tokens' bytes. A file can be wrong but not dangerous.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.chat.conversation import Messages, checked_arguments, checked_messages
from core.errors import BadRecording, BadSetting, ViewerError, WrongType
from core.generation import saved_answers
from core.generation.generation import Generation
from core.generation.recording_file import (
    LARGEST_FILE,
    Content,
    File,
    PromptToken,
    StepFile,
    TokenFile,
    fields_of,
    file_of,
    place_of,
    settings_of,
    step_of,
)
from core.generation.saved_answers import answer_file
from core.generation.tree import Tree
from core.record.step import Step
from core.sampling.settings import SamplingSettings
from core.sources.recorded_source import RecordedSource
from core.sources.source import Beginning, Recorded
from core.tokens.token_text import ByteJoiner, Token, lone_token


class Recording(Tree):
    """A recorded run: its tree, and facts about it. prompt, text, path, settings and model_name describe it; replay() shows it again,
    step by step."""

    def __init__(self, head: File, vocabulary: Iterable[TokenFile], prompt: Iterable[PromptToken], steps: Iterable[StepFile]) -> None:
        """Use `of`, `load` or `loads`. Raises BadRecording if the parts contradict each other."""
        tokens = {t.id: lone_token(t.id, bytes.fromhex(t.raw), t.special) for t in vocabulary}
        read: list[tuple[PromptToken, Token]] = []
        for t in prompt:
            tokens[t.id] = lone_token(t.id, bytes.fromhex(t.raw), t.special)
            read.append((t, tokens[t.id]))
        if not (read and head.prompt) and not head.model.is_saved_answer:
            raise BadRecording("This recording is broken: it has no prompt tokens.")
        facts = head.model.model_dump(exclude={"end_token_ids", "is_saved_answer"})
        ends, has_facts = frozenset(head.model.end_token_ids), not head.model.is_saved_answer
        self.model = RecordedSource(**facts, end_token_ids=ends, tokens=tokens, has_facts=has_facts)
        super().__init__(self.model)
        self.model_name = self.model.name
        self.prompt = head.prompt
        self.prompt_tokens = [Token(t.id, t.text, tokens[t.id].piece, alone.raw, t.special) for t, alone in read]
        text = "".join(token.text for token in self.prompt_tokens)
        changed = bool(head.messages) and head.messages[-1].role == "tool"  # a template can write it as JSON
        if text != self.prompt and not (head.as_chat and (changed or self.prompt.strip() in text)):
            raise BadRecording("This recording contradicts itself: its tokens do not form its prompt.")
        self.settings = settings_of(head.settings)
        self.top_n, self.as_chat, self.finished = head.top_n, head.as_chat, head.finished
        self.messages, self.template_arguments = _conversation_of(head)
        self.message_spans = tuple((message.first, message.end) for message in head.messages)
        bounds = [0, *(bound for span in self.message_spans if span != (0, 0) for bound in span), len(self.prompt_tokens)]
        if bounds != sorted(bounds):
            raise BadRecording("This recording contradicts itself: its prompt does not contain its messages.")
        self._read(steps, head.here)
        self._hand_over()

    def _read(self, steps: Iterable[StepFile], here: int) -> None:
        """Put the steps of the file into the tree and move to the node `here`."""
        settings_by_key: dict[str, SamplingSettings] = {}
        depths = [0]  # per node: the number of steps from the prompt
        written = self.model.tokens.keys()
        for node_id, entry in enumerate(steps, start=1):
            if entry.parent >= node_id:
                raise BadRecording("This recording contradicts itself: a step comes before its predecessor.")
            if not written >= set(entry.token_ids):
                raise BadRecording("This recording contradicts itself: the text of some tokens is missing.")
            key = repr(sorted(entry.settings.items()))
            settings = settings_by_key.get(key) or settings_by_key.setdefault(key, settings_of(entry.settings))
            joiner = ByteJoiner()
            joiner.add(self.nodes[entry.parent].waiting)
            token = self.model.token(entry.token_id)
            text = "" if token.special else joiner.add(token.raw)
            depth = depths[entry.parent]
            before = self.nodes[entry.parent].step or self.prompt
            step = step_of(entry, depth, depth + len(self.prompt_tokens), settings, self.model, text, before, self.model.has_facts)
            self.attach(entry.parent, step, joiner.waiting).name = entry.name
            depths.append(depth + 1)
        if here >= len(self.nodes):
            raise BadRecording("This recording contradicts itself: its last step is missing.")
        self.switch(here)

    def _hand_over(self) -> None:
        """Give the model the recorded steps, so that it can answer a run."""
        main_line, model = set(self.line), self.model
        following: dict[Step | None, Recorded] = {}
        for node in self.nodes:
            children = sorted((self.nodes[child] for child in node.children), key=lambda child: child.node_id not in main_line)
            if children:
                following[node.step] = Recorded(tuple((child.step, child.name) for child in children if child.step))
        model.following, model.last, model.recorded_ending = following, self.nodes[self.here].step, self.finished
        model.spans = self.message_spans
        model.beginning = Beginning(self.prompt, self.messages, self.prompt_tokens, self.as_chat, None, model, self.template_arguments)

    @classmethod
    def of(cls, run: Any) -> Recording:
        """Return a recording of a run, with all its branches.

        Raises BadRecording for a run that does not fit into a file: more than 50,000 steps, or invalid numbers. Raises WrongType if `run`
        is not a run.
        """
        if not isinstance(run, Generation):
            raise WrongType("A recording is made of a run, not of {kind}.", kind=type(run).__name__)
        try:
            with run.turn:  # another thread may be changing the run
                file = file_of(run)
        except ValidationError as error:
            raise BadRecording("This run cannot be saved as a recording (at {place}).", place=place_of(error)) from error
        return cls(file, file.vocabulary, file.prompt_tokens, file.steps)

    @classmethod
    def from_response(cls, json_text: str | bytes | dict[str, Any] | list[Any]) -> Recording:
        """Return a saved answer of an inference server as a recording: the JSON of chat completions, completions or responses with
        log-probabilities, or the dictionary in it, a list of such answers, or JSON lines. Each answer is a branch.

        Listed probabilities are the file's own. Settings, cache and times are not in such a file. A token without an id has `token_id`
        None. Raises BadRecording for any other text.
        """
        file = answer_file(saved_answers.read(json_text))
        return cls(file, file.vocabulary, file.prompt_tokens, file.steps)

    @classmethod
    def loads(cls, data: str | bytes) -> Recording:
        """Return the recording in the text of a file, or the saved answer in it (see `from_response`). Raises BadRecording for any other
        text."""
        if not saved_answers.is_own_format(data):
            return cls.from_response(data)
        content = Content(data)
        try:
            return cls(
                content.head,
                content.entries("vocabulary", TokenFile),
                content.entries("prompt_tokens", PromptToken),
                content.entries("steps", StepFile),
            )
        except BadSetting as error:
            raise BadRecording("This recording is broken: {error}", error=error) from error

    @classmethod
    def load(cls, path: str | Path) -> Recording:
        """Return the recording in a file. Raises BadRecording."""
        try:
            with open(path, "rb") as file:
                return cls.loads(file.read(LARGEST_FILE + 1))
        except (OSError, ValueError) as error:
            raise BadRecording("This recording cannot be opened.") from error

    def dumps(self) -> str:
        """Return the text of the file."""
        return file_of(self).model_dump_json(exclude_unset=True, by_alias=True)

    def save(self, path: str | Path) -> None:
        """Write the recording to a file."""
        Path(path).write_text(self.dumps(), encoding="utf-8")

    def replay(self, whole: bool = False) -> Generation:
        """Return a run that starts at the prompt and can step, go back and branch as far as the recording goes.

        whole: put every recorded step into its tree without moving, so that `branches` lists all of them.
        """
        run = Generation(self.model, self.prompt, self.settings, self.top_n)
        node_ids = {0: 0}  # id of a recorded node: id of the run's node
        for node in self.nodes[1:] if whole else ():
            if node.step is not None and node.parent is not None:
                attached = run.attach(node_ids[node.parent], node.step, node.waiting)
                attached.name, node_ids[node.node_id] = node.name, attached.node_id
        return run


def _conversation_of(head: File) -> tuple[Messages, dict[str, Any]]:
    """Return the messages and the arguments of the chat template in a file. Raises BadRecording."""
    messages = tuple(message.message for message in head.messages)
    try:
        if any(message.keys() != {"role", "content"} for message in messages):
            messages = checked_messages(messages)
        return messages, checked_arguments(fields_of(head.template_arguments))
    except ViewerError as error:
        raise BadRecording("This recording is broken: {error}", error=error) from error
