"""Exceptions, one class for everything that can go wrong, each with one sentence that says what happened and what to do.

`str(error)` is that sentence and fit to be shown to a visitor. The cause, where there is one, hangs on `error.__cause__` for the log.
"""

from core.language import quoted as in_marks


class ViewerError(Exception):
    """The base of all errors that core raises on purpose."""


class ModelError(ViewerError):
    """A model could not be loaded or used."""


class UnknownModel(ModelError):
    """There is no bundled model, folder or hub repository of this name."""


class NotACausalModel(ModelError):
    """The model does not write text from left to right (an encoder, an encoder-decoder, an image model, ...)."""


class AdapterOnly(ModelError):
    """The folder holds an adapter (LoRA and the like) without the model it belongs to."""


class PickleOnly(ModelError):
    """The weights exist only as a pickle, which could run code; only safetensors are read."""


class HalfDownloaded(ModelError):
    """A weight file is missing or cut short."""


class RemoteCodeRefused(ModelError):
    """The model wants to bring its own program code, which is never run."""


class BrokenModel(ModelError):
    """The configuration, the tokenizer or the weights contradict each other or cannot be read."""


class GatedModel(ModelError):
    """The hub asks for an accepted licence or an access token first."""


class NoNetwork(ModelError):
    """The model is not on this machine and the hub cannot be reached."""


class DownloadStopped(ModelError):
    """A download was stopped by the visitor."""


class TooLargeToFetch(ModelError):
    """A download is larger than the operator allows, or the disk has no room for it."""


class NotEnoughMemory(ModelError):
    """The model or its cache does not fit into memory."""


class ReloadFailed(ModelError):
    """A model that was unloaded to make room cannot be loaded again; what was written with it is kept."""


class BrokenLogits(ModelError):
    """The model answered with numbers that are not numbers (NaN)."""


class ServerGone(ModelError):
    """An inference server did not answer, or answered something unusable."""


class WrongServer(ModelError):
    """An inference server answers, but cannot be used: another kind, another model, or it leaves out what is needed."""


class NotOnServer(ModelError, AttributeError):
    """Something was asked of a served model that only a model in this process can give: its weights, its layers.

    It is what a served model has no attribute for, so `getattr(model, "network", None)` is None there.
    """


class OutsideTopLogprobs(ModelError):
    """The dice or a visitor took a token that the server does not list, so its odds are not known."""


class TooManyExperiments(ViewerError):
    """As many experiments are running as this machine, or this visitor, may have at a time."""


class NotAllowed(ViewerError):
    """Only whoever runs this instance may do that."""


class InputError(ViewerError):
    """Something a visitor gave cannot be used."""


class WrongType(InputError, TypeError):
    """Something of another kind was given than is needed: a name where a loaded model belongs, a number where a text does."""


class EmptyPrompt(InputError):
    """There is no text to go on from."""


class BadText(InputError):
    """The text holds half a character that cannot be written as bytes."""


class PromptTooLong(InputError):
    """The prompt has more tokens than the model's context holds."""


class BadSetting(InputError):
    """A sampling setting is out of its range or of the wrong kind."""


class BadToken(InputError):
    """A token id is not in the model's vocabulary, or not available here."""


class BadPlace(InputError):
    """There is no such step or branch in this run."""


class BadRecording(InputError):
    """A recording is broken, too large, or from a newer version."""


class RunFinished(InputError):
    """The run has ended and can only go on from an earlier step."""


def quoted(name: str) -> str:
    """A stranger's name, short enough and harmless in a sentence on a page: no pictures, links or formulas can be made of it."""
    clean = "".join(c if c.isprintable() and c not in "[]<>`*$" else "?" for c in name)
    return in_marks(clean if len(clean) <= 60 else clean[:57] + "...")


class CannotBeTaught(ModelError):
    """The model cannot be trained here: it is elsewhere, too large, or built in a way that training does not know."""


class TextToLearn(InputError):
    """There is nothing to learn from, or far too much, or something that this model has no token for."""


class BadGuess(InputError):
    """A guess at the coming word that is none, is too long, or is one too many."""


class BadRunningOrder(InputError):
    """A file is no running order of a talk, or what stands in it cannot be."""
