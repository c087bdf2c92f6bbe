"""What a source of probabilities can do, as data. Pages and experiments ask `source.can`; nothing else tells the kinds of sources apart."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from core.errors import NotForThisModel
from core.message import Message


class Can(StrEnum):
    """One thing that a source can do. The order is that in which `require` names what is missing."""

    NEW_TOKENS = "new tokens"  # it answers after any token; a recording contains the probabilities after its own tokens only
    TOKEN_IDS = "token ids"  # its tokens have ids, and a text can be divided into them here
    PASSES = "forward passes"  # it has an engine: passes with a KV cache and a clock, here or on a server
    NETWORK = "network"  # weights, layers and attention are on this machine
    SHAPE = "shape"  # the sizes of its layers are known
    ALL_TOKENS = "all tokens"  # it gives the probability of every token, so all numbers are exact
    ALL_SETTINGS = "all settings"  # every sampling setting can be applied
    CHOICE = "choice"  # a token can be chosen by hand
    CHAT = "chat"  # it answers a conversation
    TEXT = "text"  # it continues a text; another source takes the text as the message of a user
    SERVED = "served"  # it runs on an inference server, with a queue and a clock of its own
    FACTS = "facts"  # settings, sizes, counts and times are known; the file of a saved answer does not have them


WHY_NOT: dict[Can, str] = {
    Can.NEW_TOKENS: Message("A recording contains only its own tokens. Start a live run for this."),
    Can.TOKEN_IDS: Message(
        "This server sends texts without token ids, so only the page Watch can use it. Choose another model for this page, or connect to "
        "vLLM or llama-server."
    ),
    Can.PASSES: Message("This model makes no forward passes: it looks its probabilities up. Choose another model for this page."),
    Can.NETWORK: Message(
        "This model gives only probabilities: it has no layers on this machine that can be shown or changed. Choose a model that runs here."
    ),
    Can.SHAPE: Message(
        "The shape of this model is unknown, so its work cannot be computed. For a server, choose a tokenizer folder with config.json."
    ),
    Can.ALL_TOKENS: Message("This needs the probabilities of all tokens, and this server lists only the likeliest. Choose another model."),
    Can.ALL_SETTINGS: Message(
        "A server without token ids allows temperature, top-k, top-p, min-p, typical-p and greedy. Switch the other settings off."
    ),
    Can.CHOICE: Message(
        "This server answers a message as a whole and does not continue a begun answer. So no token can be chosen by hand. "
        "A server with /v1/completions and log-probabilities allows it."
    ),
    Can.CHAT: Message("This is not a chat model: it continues a text and does not answer."),
    Can.TEXT: Message("This server takes a conversation and not a text to continue."),
    Can.SERVED: Message("This needs a model on an inference server."),
    Can.FACTS: Message("This file contains neither settings nor measurements."),
}


class HasCapabilities(Protocol):
    """A source, or a run of one."""

    @property
    def can(self) -> frozenset[Can]:
        """What it can do."""


def missing(source: HasCapabilities, *needed: Can) -> str:
    """Return the sentence for the first of these capabilities that the source lacks; "" if it has all of them."""
    lacking = [capability for capability in Can if capability in needed and capability not in source.can]
    return WHY_NOT[lacking[0]] if lacking else ""


def require(source: HasCapabilities, *needed: Can) -> None:
    """Raise NotForThisModel with the sentence of `missing` if the source lacks one of these capabilities."""
    if sentence := missing(source, *needed):
        raise NotForThisModel(sentence)
