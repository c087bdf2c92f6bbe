"""Exceptions: one class for each thing that a caller can do. Each has one sentence that says what happened and what to do.

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
    """A model could not be loaded or used. Choose another one."""


class NoRoom(ModelError):
    """Memory or disk cannot hold a model, its cache or a file. Free some, or choose a smaller one."""


class ServerGone(ModelError):
    """An inference server did not answer, or its answer is invalid. Try again."""


class WrongServer(ModelError):
    """An inference server answers but cannot be used: another kind, another model, or missing data. Connect to another one."""


class NotForThisModel(ModelError):
    """A model cannot do this: its architecture differs, a server does not give what is needed, or it is a recording."""


class BrokenLogits(ModelError):
    """The model returned NaN logits. Go back, or choose another precision."""


class NotAllowed(ViewerError):
    """The operator of this instance, or its limits, do not allow that now."""


class CannotWrite(ViewerError, OSError):
    """A file could not be written, or would be larger than its limit."""


class InputError(ViewerError):
    """An input cannot be used. Change it."""


class WrongType(InputError, TypeError):
    """An argument has the wrong type, such as a name instead of a loaded model or a number instead of a text."""


class EmptyPrompt(InputError):
    """The text to continue is empty."""


class PromptTooLong(InputError):
    """The prompt has more tokens than the model's context."""


class BadSetting(InputError):
    """A setting is out of range or of the wrong type."""


class BadToken(InputError):
    """A token id is not in the model's vocabulary, or not available here."""


class BadRecording(InputError):
    """A file or an answer is invalid, too large, or from a newer version: a recording, a list of log-probabilities, a running order."""


class RunFinished(InputError):
    """The run has ended. It can continue only from an earlier step."""


def quoted(name: str) -> Message:
    """Return a stranger's name for a sentence on a page: at most 60 characters, without the marks of pictures, links and formulas."""
    clean = "".join(c if c.isprintable() and c not in "[]<>`*$" else "?" for c in name)
    return quote(clean if len(clean) <= 60 else clean[:57] + "...")
