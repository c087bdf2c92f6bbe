"""Exceptions: one class per kind of failure. Each has one sentence that says what happened and what to do.

`str(error)` is that sentence and can be shown to a visitor. `error.__cause__` has the cause, if there is one, for the log.
"""

from typing import Any

from core.message import Message, quote


class ViewerError(Exception):
    """The base class of all errors that core raises deliberately. Its arguments are those of a `Message`, or one message.

    raise BadSetting("A draft has 1 to {most} tokens, not {value}.", most=8, value=9)
    """

    def __init__(self, sentence: str = "", /, **parameters: Any) -> None:
        super().__init__(sentence if isinstance(sentence, Message) and not parameters else Message(sentence, **parameters))


class ModelError(ViewerError):
    """A model could not be loaded or used."""


class UnknownModel(ModelError):
    """No bundled model, folder or hub repository has this name."""


class NotACausalModel(ModelError):
    """The model does not generate text from left to right (an encoder, an encoder-decoder, an image model, ...)."""


class AdapterOnly(ModelError):
    """The folder holds an adapter (such as LoRA) without its model."""


class PickleOnly(ModelError):
    """The weights exist only as a pickle, which could run code. Only safetensors are read."""


class HalfDownloaded(ModelError):
    """A weight file is missing or truncated."""


class RemoteCodeRefused(ModelError):
    """The model needs its own program code, which the app never runs."""


class BrokenModel(ModelError):
    """The configuration, the tokenizer or the weights contradict each other or cannot be read."""


class GatedModel(ModelError):
    """The hub requires an accepted licence or an access token."""


class NoNetwork(ModelError):
    """The model is not on this machine and the hub cannot be reached."""


class DownloadStopped(ModelError):
    """A download was stopped by the visitor."""


class TooLargeToFetch(ModelError):
    """A download is larger than the operator allows, or the disk is too full for it."""


class DiskFull(ModelError):
    """The disk is full, so that a model cannot be downloaded, converted or saved."""


class NotEnoughMemory(ModelError):
    """The model or its cache does not fit into memory."""


class ReloadFailed(ModelError):
    """A model that was unloaded to free memory cannot be loaded again. Its runs are kept."""


class BrokenLogits(ModelError):
    """The model returned NaN logits."""


class ServerGone(ModelError):
    """An inference server did not answer, or its answer is invalid."""


class WrongServer(ModelError):
    """An inference server answers but cannot be used: another kind, another model, or missing data."""


class NotForThisModel(ModelError):
    """A model cannot do this: its architecture differs, it is on a server that gives only probabilities, or it is a recording."""


class OutsideTopLogprobs(ModelError):
    """The chosen or forced token is not in the server's list, so its probability is unknown."""


class TooManyExperiments(ViewerError):
    """The machine or the visitor already runs the maximum number of experiments."""


class NotAllowed(ViewerError):
    """Only the operator of this instance may do that."""


class InputError(ViewerError):
    """A visitor's input cannot be used."""


class WrongType(InputError, TypeError):
    """An argument has the wrong type, such as a name instead of a loaded model or a number instead of a text."""


class EmptyPrompt(InputError):
    """The text to continue is empty."""


class BadText(InputError):
    """The text holds half a surrogate pair, which cannot be encoded."""


class PromptTooLong(InputError):
    """The prompt has more tokens than the model's context."""


class BadSetting(InputError):
    """A sampling setting is out of range or of the wrong type."""


class BadToken(InputError):
    """A token id is not in the model's vocabulary, or not available here."""


class BadPlace(InputError):
    """The run has no such step or branch."""


class BadRecording(InputError):
    """A recording is invalid, too large, or from a newer version."""


class BadListedTokens(InputError):
    """A list of log-probabilities is invalid: of a saved answer, or of a server without token ids."""


class RunFinished(InputError):
    """The run has ended. It can continue only from an earlier step."""


def quoted(name: str) -> Message:
    """Return a stranger's name for a sentence on a page: at most 60 characters, without the marks of pictures, links and formulas."""
    clean = "".join(c if c.isprintable() and c not in "[]<>`*$" else "?" for c in name)
    return quote(clean if len(clean) <= 60 else clean[:57] + "...")


class CannotBeTaught(ModelError):
    """The model cannot be trained here: it is on a server, too large, or of an unsupported architecture."""


class TextToLearn(InputError):
    """The training text is empty, far too long, or has a character that this model has no token for."""


class BadGuess(InputError):
    """A guess of the next word is invalid, too long, or one too many."""


class BadRunningOrder(InputError):
    """A file is not a running order of a talk, or its content is invalid."""


class CannotWrite(ViewerError, OSError):
    """A file could not be written."""


class TooLarge(ViewerError):
    """A file would be larger than its limit."""


class EmptyChart(InputError):
    """A chart without rows has no picture."""
