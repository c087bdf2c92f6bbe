"""A further turn of a conversation: another run on the cache of the one before, so that only new tokens are computed."""

from __future__ import annotations

from core.engine.conversation import Messages
from core.errors import WrongType
from core.generation.generation import Generation
from core.message import Message


def messages_of(run: Generation) -> Messages:
    """Return the conversation with the answer on the run's current path, as the messages that chat programs use.

    Raises WrongType if the run is not a conversation.
    """
    if not run.messages:
        raise WrongType(Message("This run continues a text. Only a conversation can have a further turn."))
    answer = run.model.text_of([step.token_id for step in run.path])
    *before, last = run.messages
    if last["role"] == "assistant":
        return (*before, {"role": "assistant", "content": last["content"] + answer})
    return (*run.messages, {"role": "assistant", "content": answer}) if answer else run.messages


def next_turn(run: Generation, text: str) -> Generation:
    """Return a run that answers `text` after the conversation up to the run's current node. Going back first branches the conversation.

    The new run shares the old one's cache. Where the template or the tokenizer writes what came before in another way, tokens from the
    first difference on are computed again; `ForwardPass.reused_tokens` of its first step tells. Raises the errors of `Generation`.
    """
    with run.turn:
        messages = [*messages_of(run), {"role": "user", "content": text}]
        made = Generation(run.model, messages, run.settings, run.top_n, run.use_cache, **run.stops)
        made.cache = run.cache
    return made
