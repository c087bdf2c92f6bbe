"""What a run begins with: model, prompt, and the conversation around it; and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.chat.conversation import TEMPLATE_FIELDS
from core.errors import NotForThisModel, ViewerError
from core.sources.source import NO_ARGUMENTS
from pages.ui.i18n.translation import _

MessagePairs = tuple[tuple[str, str], ...]  # role and content of each


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages around the prompt of a chat. earlier: those before it; begun: the beginning of the answer."""

    earlier: MessagePairs = ()
    begun: str = ""

    @property
    def system(self) -> str:
        """The system prompt, "" without one."""
        return self.earlier[0][1] if self.earlier and self.earlier[0][0] == "system" else ""

    def with_system(self, text: str) -> Conversation:
        """Return this conversation with another system prompt, or without one."""
        rest = self.earlier[1:] if self.earlier and self.earlier[0][0] == "system" else self.earlier
        return Conversation(((("system", text),) if text.strip() else ()) + rest, self.begun)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Two equal requests are the same run."""

    model: str
    prompt: str
    as_chat: bool = False
    conversation: Conversation = Conversation()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of the chat; [] for a text."""
        if not self.as_chat:
            return []
        begun = (("assistant", self.conversation.begun),) if self.conversation.begun.strip() else ()
        pairs = (*self.conversation.earlier, ("user", self.prompt), *begun)
        return [{"role": role, "content": content} for role, content in pairs]


@dataclass(slots=True)
class BegunRun:
    """What became of the visitor's request. asked: the request of the last begun or refused run, None to begin again.

    of_run: the request of `Session.run`, which stays after a refusal. refusal: why the prompt was refused. failure: what else prevented
    the run. rewritten_from: first token of the prompt that a further turn writes in another way, from 1; 0 for none.
    """

    asked: RunRequest | None = None
    of_run: RunRequest | None = None
    refusal: ViewerError | None = None
    failure: Exception | None = None
    rewritten_from: int = 0


def pairs_of(messages: Iterable[Mapping[str, Any]], template_arguments: Mapping[str, Any] = NO_ARGUMENTS) -> MessagePairs:
    """Return messages as pairs of role and content. Raises NotForThisModel for what a pair lacks, and the model would not see."""
    listed = list(messages)
    left_out = [*template_arguments, *(name for message in listed for name in TEMPLATE_FIELDS if message.get(name))]
    left_out += [str(message["role"]) for message in listed if message["role"] == "tool"]
    if left_out:
        raise NotForThisModel(
            _(
                "This conversation has {name}, which pages cannot give to a chat template. In Python, Generation(model, messages, "
                "template_arguments={{...}}) can."
            ).format(name=left_out[0])
        )
    return tuple((message["role"], message["content"]) for message in listed)


def split_at_question(messages: MessagePairs) -> tuple[str, Conversation] | None:
    """Return the last question, and the conversation around it; None if the messages do not end with a question or its answer."""
    begun = messages[-1][1] if messages and messages[-1][0] == "assistant" else ""
    before = messages[:-1] if begun else messages
    return (before[-1][1], Conversation(before[:-1], begun)) if before and before[-1][0] == "user" else None
