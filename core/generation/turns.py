"""What a conversation contains so far: its messages with the answer of a run, and the thoughts in that answer."""

from __future__ import annotations

from core.chat.conversation import Messages
from core.chat.thoughts import Thought, thoughts_in
from core.errors import WrongType
from core.generation.generation import Generation
from core.tokens.token_text import Token, join


def thoughts(run: Generation) -> tuple[Thought, ...]:
    """Return the thoughts in the answer on the run's current path, by the marks that its model's chat template has."""
    return thoughts_in(run.opened, [step.raw for step in run.path], run.model.thinking_marks) if run.messages else ()


def messages_of(run: Generation) -> Messages:
    """Return the conversation with the answer on the run's current path, as the messages that chat programs use.

    Special tokens are left out, and what stands between them: thoughts, and the names of channels and roles. Of an answer with channels,
    the final one is taken. Raises WrongType if the run is not a conversation.
    """
    if not run.messages:
        raise WrongType("This run continues a text. Only a conversation can have a further turn.")
    tokens = [run.vocabulary.token(step.key) for step in run.path]
    for thought in reversed(thoughts(run)):
        if tokens[thought.first].special:
            del tokens[thought.first : thought.end]
    answer = join([token.raw for token in _final(tokens) if not token.special])
    *before, last = run.messages
    if last["role"] == "assistant":
        return (*before, {**last, "content": last["content"] + answer})
    return (*run.messages, {"role": "assistant", "content": answer}) if answer else run.messages


def _final(tokens: list[Token]) -> list[Token]:
    """Return the tokens of the final channel, as gpt-oss writes it; all tokens of an answer without channels.

    What stands between <|start|> or <|channel|> and <|message|> is a header. Without a final channel, all messages are taken.
    """
    if not any(token.special and token.raw == b"<|channel|>" for token in tokens):
        return tokens
    parts: list[tuple[list[bytes], list[Token]]] = [([], [])]
    in_header = False
    for token in tokens:
        if token.special and token.raw in (b"<|start|>", b"<|channel|>"):
            in_header = True
            parts.append(([], []))
        elif token.special and token.raw == b"<|message|>":
            in_header = False
        else:
            parts[-1][0 if in_header else 1].append(token.raw if in_header else token)  # type: ignore[arg-type]
    final = [content for header, content in parts if b"".join(header).strip() == b"final"]
    return [token for content in final or [content for _header, content in parts] for token in content]


def next_turn(run: Generation, text: str) -> Generation:
    """Return a run that answers `text` after the conversation up to the run's current node, on the cache of that run.

    Raises WrongType if the run is not a conversation.
    """
    following = Generation(
        run.model,
        [*messages_of(run), {"role": "user", "content": text}],
        run.settings,
        run.top_n,
        run.use_cache,
        **run.stops,
        template_arguments=run.template_arguments,
    )
    following.cache = run.cache
    return following
