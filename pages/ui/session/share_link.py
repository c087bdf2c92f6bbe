"""A run in a link: model, prompt, conversation, settings, seed and steps, written and read.

Every value of a link is checked, because links come from strangers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from itertools import islice
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any
from urllib.parse import parse_qsl, urlencode

from core import SamplingSettings
from core.chat.conversation import MOST_MESSAGES, ROLES
from core.errors import ViewerError
from core.generation.ending import MOST_TOKENS, Stop
from core.generation.recording_file import public_name
from core.models.gguf.header import is_gguf
from core.models.model_names import LONGEST_NAME, is_hub_id
from core.record.step import Step
from core.remote.address import Address, is_address
from core.sampling.settings import SETTINGS
from core.sampling.settings_row import Setting
from pages.ui.i18n.spoken_language import languages
from pages.ui.i18n.translation import _, quoted
from pages.ui.session.run_request import Conversation, MessagePairs
from pages.ui.session.sampling_controls import MORE, START, start_of

LONGEST_CONVERSATION = 200_000  # characters of all messages
LINK_KEYS = ("earlier", "begun", "stop", "most_new_tokens", "stop_on_loop", "thinking_budget", "thinking_end")

LONGEST_LINK = 7_500  # characters of a link that the app makes; some servers and proxies refuse more than 8,000
LONGEST_PROMPT = 20_000  # characters; a longer one is refused
MOST_STEPS = 2_000
LONGEST_STEPS = 40_000  # characters of the steps, 20 for each; 2,000 sampled tokens need 10,000 at most
LONGEST_STOP = 50_000  # characters of the texts at which a run stops
LONGEST_TEXT = 20_000  # characters of a setting, or of any other value of an address
MOST_VALUES, LONGEST_KEY = 100, 40  # of an address; a link with every setting has about 50
LONGEST_NUMBER = 40  # characters of a setting in a list of steps
LONGEST_STORED = 400_000  # characters of a text from the browser's storage
_ADDED = ".,;:!?)]}>'\"’”»«“ \u00a0"  # characters that mail programs and chats add to the end of a link
_TRUE, _FALSE = {"true", "1"}, {"false", "0"}
_ALPHABET = ascii_uppercase + ascii_lowercase + digits + "-_"  # URL-safe base64, so that no letter is escaped
_IN_STEPS = frozenset(_ALPHABET)
_LONGEST = {  # characters, by key
    "prompt": LONGEST_PROMPT,
    "steps": LONGEST_STEPS,
    "earlier": 2 * LONGEST_CONVERSATION,
    "begun": LONGEST_CONVERSATION,
    "stop": LONGEST_STOP,
}


def bounded(address: Mapping[str, str]) -> dict[str, str]:
    """Return at most MOST_VALUES values of an address, which can have 2 MB. Everything that reads them is called with these.

    A text above its limit is cut one character above it, so that its check refuses it.
    """
    values = islice(address.items(), MOST_VALUES)
    return {key: text[: _LONGEST.get(key, LONGEST_TEXT) + 1] for key, text in values if len(key) <= LONGEST_KEY}


@dataclass(slots=True)
class ConversationAndEnding:
    """What a run has besides prompt and settings. conversation: around the prompt, for a chat alone. ending: where a run ends by request.

    times_set: number of times that both were set; part of the keys of their fields, so that these begin with the new values.
    """

    conversation: Conversation = field(default_factory=Conversation)
    ending: Stop = field(default_factory=Stop)
    times_set: int = 0

    def set(self, conversation: Conversation, ending: Stop) -> None:
        """Set both."""
        self.conversation, self.ending = conversation, ending
        self.times_set += 1


def link_values(conversation: Conversation, ending: Stop) -> dict[str, str]:
    """Return the values of a link, without those that say nothing."""
    values = {
        "earlier": _json(conversation.earlier) if conversation.earlier else "",
        "begun": conversation.begun,
        "stop": _json(ending.texts) if ending.texts else "",
        "most_new_tokens": str(ending.tokens) if ending.tokens else "",
        "stop_on_loop": str(ending.copies) if ending.copies else "",
        "thinking_budget": "" if ending.thoughts is None else str(ending.thoughts),
        "thinking_end": ending.thoughts_end,
    }
    return {key: value for key, value in values.items() if value}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def conversation_of(query: Mapping[str, str]) -> Conversation:
    """Return the conversation of a link; what is not valid is left out."""
    earlier = _messages(query.get("earlier", ""))
    return Conversation(() if earlier is None else earlier, query.get("begun", "")[:LONGEST_CONVERSATION])


def ending_of(query: Mapping[str, str]) -> Stop:
    """Return where a link's run ends; what is not valid is left out."""
    return _ending(query) or Stop()


def is_valid(query: Mapping[str, str]) -> bool:
    """Return whether the conversation and the ending of a link are valid."""
    return _messages(query.get("earlier", "")) is not None and _ending(query) is not None


def _messages(text: str) -> MessagePairs | None:
    """Return the messages of a link, None if they are not valid."""
    if not text:
        return ()
    messages = _loads(text) if len(text) <= 2 * LONGEST_CONVERSATION else None
    if not isinstance(messages, list) or len(messages) > MOST_MESSAGES:
        return None
    for number, message in enumerate(messages):
        valid = isinstance(message, list) and len(message) == 2 and message[0] in ROLES and isinstance(message[1], str)
        if not valid or (message[0] == "system" and number):
            return None
    if sum(len(content) for _role, content in messages) > LONGEST_CONVERSATION:
        return None
    return tuple((role, content) for role, content in messages)


def _ending(query: Mapping[str, str]) -> Stop | None:
    """Return the ending of a link, None if it is not valid."""
    stop, *numbers = query.get("stop", ""), query.get("most_new_tokens") or "0", query.get("stop_on_loop") or "0"
    if len(stop) > LONGEST_STOP:
        return None
    thoughts = query.get("thinking_budget", "")
    texts = [] if stop.isalpha() else _loads(stop or "[]")  # letters alone are a stop of the tour
    if not isinstance(texts, list) or not all(map(_is_count, [*numbers, thoughts or "0"])):
        return None
    try:
        tokens, copies = map(int, numbers)
        return Stop.checked(texts, tokens, copies, int(thoughts) if thoughts else None, query.get("thinking_end", ""))
    except ViewerError:
        return None


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(MOST_TOKENS))


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def kind_of_model(name: str) -> str | None:
    """Return the kind of a model by the form of its name: "hub", "folder" or "server"; None if the name is none of them.

    The file system is not read, so that a link cannot find out which folders exist.
    """
    name = name.strip()
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        return None
    if is_gguf(name):
        return "folder"
    if is_hub_id(name):
        return "hub"
    if is_address(name):
        return "server"
    return "folder" if re.match(r"[/~.\\]|[A-Za-z]:[\\/]", name) else None


def link_name(model: str) -> str:
    """Return a model's name in a link: of a path on this machine only the last part, written so that it is known as one; of a server its
    address without user name, password and key.

    >>> link_name("/home/ann/models/fox.gguf"), link_name("/home/ann/models/fox"), link_name("org/model"), link_name("storyteller")
    ('fox.gguf', './fox', 'org/model', 'storyteller')
    >>> link_name("http://ann:secret@10.0.0.7:8000#fox")
    'http://10.0.0.7:8000#fox'
    """
    kind = kind_of_model(model)
    if kind == "server":
        return _without_credentials(model)
    if kind != "folder":
        return model
    name = public_name(model)
    return name if kind_of_model(name) == "folder" else f"./{name}"


_BY_LETTER = {row.letter: row for row in SETTINGS.values() if row.letter}
_VALUES = {letter: value for value, letter in enumerate(_ALPHABET)}


@dataclass(frozen=True, slots=True)
class Rolled:
    """A sampled step and its token. attempt: the number of the roll at this step, from 0."""

    token_id: int
    attempt: int = 0


# One entry per step: the id of a forced token, or a roll (None: its token is unknown). Settings apply to the entries after them.
ReplaySteps = list[int | Rolled | SamplingSettings | None]


@dataclass(frozen=True, slots=True)
class RequestedModel:
    """A model that a link requests and that is not bundled. kind: "hub", "folder" or "server". query: all values of the link."""

    model: str
    kind: str
    query: Mapping[str, str]

    @property
    def address(self) -> str:
        """Address of a server without user name and password. Raises WrongServer."""
        return server_address(self.model)


@dataclass(slots=True)
class OpenedLink:
    """The link with which a session began. query: its values. steps: not replayed yet. requested: its model, which is not opened yet."""

    query: dict[str, str] = field(default_factory=dict)
    steps: str | None = None
    requested: RequestedModel | None = None


def requested_model(query: Mapping[str, str], models: Iterable[str]) -> RequestedModel | None:
    """Return the model that this link requests, None if it is bundled or not valid."""
    name = query.get("model", "").strip()
    kind = None if name in models else kind_of_model(name)
    if kind == "server":
        name = _without_credentials(name)
    return None if kind is None else RequestedModel(name, kind, {**query, "model": name})


def _without_credentials(address: str) -> str:
    """Return the address without user name and password."""
    try:
        return server_address(address)
    except ViewerError:  # reported when the visitor opens the server
        return re.sub(r"//[^/]*@", "//", address)


def value_of(row: Setting, text: str) -> float | int | bool | str | None:
    """Return the value of a setting in a link, None if its control cannot have it. Of a setting that is a text, its usual form."""
    if len(text) > LONGEST_TEXT:
        return None
    if row.is_text:
        try:
            return str(row.written(row.parse(text)))
        except (ViewerError, ValueError, TypeError, RecursionError):
            return None
    if isinstance(row.off, bool):
        return True if text.lower() in _TRUE else False if text.lower() in _FALSE else None
    try:
        number = float(text)
    except ValueError:
        return None
    if not math.isfinite(number) or not row.control[0] <= number <= row.control[1]:
        return None
    if isinstance(row.off, int):
        return int(number) if number == int(number) else None
    return number


def repaired(query: Mapping[str, str], models: Iterable[str]) -> tuple[dict[str, str], bool]:
    """Return the values of a link without damage at its end, and whether there was any.

    Mail programs and chats add a full stop, bracket or quotation mark to a link, or cut it. Only invalid values are changed: they lose
    such characters at their end, and steps lose a token that is not complete.
    """
    model_names = frozenset(models)
    fixed = dict(query)
    for key, text in query.items():
        sound = _without_damage(key, text) if invalid_values({key: text}, model_names) else text
        fixed[key] = text if sound is None or invalid_values({key: sound}, model_names) else sound
    return fixed, fixed != dict(query)


def _without_damage(key: str, text: str) -> str | None:
    """Return a value without damage at its end, None if it is not readable."""
    if key != "steps":
        return text.rstrip(_ADDED) or None
    if len(text) > LONGEST_STEPS:
        return None
    end = len(text)
    while end and text[end - 1] not in _IN_STEPS:  # no regular expression: one that looks for the end reads a text once for each character
        end -= 1
    written = text[:end]
    undotted, _dot, last = written.rpartition(".")
    shorter = [written[:-count] for count in range(1, 5)] if last.startswith("r") else []
    return next((candidate for candidate in (written, *shorter, undotted) if candidate and parse_steps(candidate) is not None), None)


def invalid_values(query: Mapping[str, str], models: Iterable[str]) -> list[str]:
    """Return the invalid values of a link as short texts for the visitor: `temperature = banana`."""
    strange = [
        f"{_(row.label)} = {_short(query[name])}" for name, row in SETTINGS.items() if name in query and value_of(row, query[name]) is None
    ]
    if "model" in query and query["model"] not in models and kind_of_model(query["model"]) is None:
        strange.append(f"{_('model')} = {_short(query['model'])}")
    if "lang" in query and query["lang"] not in languages():
        strange.append(f"{_('language')} = {_short(query['lang'])}")
    if not is_valid(query):
        strange.append(_("the conversation, or where the text stops"))
    if "steps" in query and parse_steps(query["steps"]) is None:
        strange.append(_("the steps of the text"))
    return strange


def server_address(written: str) -> str:
    """Return the address of a server without user name and password. Raises WrongServer."""
    return Address.parse(written).url


def format_steps(path: Sequence[Step], settings: SamplingSettings | None = None) -> str:
    """Return the steps of a path in short form: `r2AAMCAsBIPL.f231.r1I` is three sampled tokens, token 231 forced, one sampled token.

    `r` and a digit: sampled tokens, each written with that many letters. Their ids are part of the link, because a roll beside a border
    can pick another token on another machine. `a3`: the following rolls are attempt 3, `a0`: attempt 0.

    settings: those of the link. A step with other settings has them before it: `st1_2-k40` is temperature 1.2 and top-k 40, all others
    default.
    """
    parts: list[str] = []
    waiting: list[int] = []
    attempt = 0

    def flush() -> None:
        if waiting:
            width = max(map(_width, waiting))
            parts.append(f"r{width}{''.join(_letters(token_id, width) for token_id in waiting)}")
            waiting.clear()

    for step in path:
        if step.is_forced:
            flush()
        if settings is not None and step.settings != settings:
            flush()
            settings = step.settings
            parts.append(f"s{_format_settings(settings)}")
        if step.is_forced:
            parts.append(f"f{step.token_id}")
            continue
        if step.attempt != attempt:
            flush()
            attempt = step.attempt
            parts.append(f"a{attempt}")
        waiting.append(step.token_id)
    flush()
    return ".".join(parts)


def _width(token_id: int) -> int:
    return max(1, -(-token_id.bit_length() // 6))


def _letters(token_id: int, width: int) -> str:
    return "".join([_ALPHABET[token_id >> 6 * digit & 63] for digit in reversed(range(width))])


def _format_settings(settings: SamplingSettings) -> str:
    """Return the settings that differ from the defaults, in letters and digits."""
    parts = []
    for letter, row in _BY_LETTER.items():
        value = getattr(settings, row.name)
        if value != getattr(START, row.name):
            written = _all_digits(value) if isinstance(value, float) else str(int(value))
            parts.append(f"{letter}{written}".replace(".", "_"))
    changed = [row for row in MORE if getattr(settings, row.name) != getattr(START, row.name)]
    more = {row.name: str(row.written(getattr(settings, row.name))) for row in changed}
    if more:  # as JSON in hexadecimal digits, which no link changes
        parts.append(f"x{json.dumps(more).encode().hex()}")
    return "-".join(parts)


def _all_digits(value: float) -> str:
    """Return the number with all its digits and without an exponent, so that it is read back as the same number."""
    return f"{Decimal(repr(value)):f}".removesuffix(".0")


def _parse_settings(text: str) -> SamplingSettings | None:
    """Parse the output of `_format_settings`. Returns None if the text is not valid."""
    values = START.as_dict()
    for part in filter(None, text.split("-")):
        if part[0] == "x":
            more = _parse_more(part[1:])
            if more is None:
                return None
            values |= more
            continue
        row = _BY_LETTER.get(part[0])
        value = None if row is None or len(part) > LONGEST_NUMBER else value_of(row, part[1:].replace("_", "."))
        if row is None or value is None:
            return None
        values[row.name] = value
    return SamplingSettings(**values)


def _parse_more(digits_of_json: str) -> dict[str, Any] | None:
    """Return the settings that `_format_settings` wrote as JSON, None if they are not valid."""
    try:
        written = json.loads(bytes.fromhex(digits_of_json[: 4 * LONGEST_TEXT]))
    except (ValueError, RecursionError):
        return None
    settings: dict[str, Any] = {}
    for name, text in written.items() if isinstance(written, dict) else ():
        row = SETTINGS.get(name)
        value = None if row not in MORE or not isinstance(text, str) else value_of(row, text)
        if row is None or value is None:
            return None
        settings[name] = setting_of(row, value)
    return settings


def setting_of(row: Setting, value: Any) -> Any:
    """Return the value in SamplingSettings of a control's value."""
    return row.parse(value) if row.is_text else value


def parse_steps(text: str) -> ReplaySteps | None:
    """Parse the output of `format_steps`. Returns None if the text is not valid, or has more than MOST_STEPS steps.

    A number without a letter is that many sampled steps whose tokens are unknown. Old links contain them.
    """
    steps: ReplaySteps = []
    attempt = 0
    if len(text) > LONGEST_STEPS:
        return None
    for part in text.split("."):
        if part.startswith("s"):
            settings = _parse_settings(part[1:])
            if settings is None or len(steps) >= MOST_STEPS:
                return None
            steps.append(settings)
            continue
        kind, remainder = (part[0], part[1:]) if part[:1] in ("a", "f", "r") else ("", part)
        if kind == "r":
            token_ids = _tokens(remainder)
            if token_ids is None:
                return None
            steps += [Rolled(token_id, attempt) for token_id in token_ids]
        elif not (remainder.isascii() and remainder.isdigit()) or len(remainder) > 9:
            return None
        elif kind == "a":
            attempt = int(remainder)
        elif kind == "f":
            steps.append(int(remainder))
        elif int(remainder) > MOST_STEPS:
            return None
        else:
            steps += [None] * int(remainder)
        if len(steps) > MOST_STEPS:
            return None
    return steps


def _tokens(packed: str) -> list[int] | None:
    """Return the token ids after an `r`: their width, then that many letters per token. None if the text is not valid."""
    width, letters = packed[:1], packed[1:]
    if width not in tuple("12345") or not letters or len(letters) % int(width) or not _VALUES.keys() >= set(letters):
        return None
    size, token_ids = int(width), []
    for start in range(0, len(letters), size):
        value = 0
        for letter in letters[start : start + size]:
            value = value << 6 | _VALUES[letter]
        token_ids.append(value)
    return token_ids


def query(
    prompt: str,
    model: str,
    settings: SamplingSettings,
    path: Sequence[Step],
    first_prompt: str,
    as_chat: bool = False,
    usual_model: str = "",
) -> str:
    """Return the query of a link, without default values. A prompt with steps is always written, because the default may change.

    The order is Streamlit's own. With another order Streamlit writes the address again and adds an entry to the browser's history.
    """
    values: dict[str, str] = {}
    for name, row in SETTINGS.items():
        value = getattr(settings, name)
        if value != getattr(START, name):
            values[name] = (
                str(value).lower() if isinstance(value, bool) else _all_digits(value) if isinstance(value, float) else row.written(value)
            )
    if as_chat:
        values["as_chat"] = "true"
    if path or prompt != first_prompt:
        values["prompt"] = prompt
    if model != usual_model:
        values["model"] = link_name(model)
    if path:
        values["steps"] = format_steps(path[:MOST_STEPS], settings)
    return encoded(values)


def encoded(values: Mapping[str, str]) -> str:
    """Return the values as a query."""
    return urlencode(values)


def decoded(text: str) -> dict[str, str]:
    """Parse a query, which can be any text. Returns an empty dict if it is not valid."""
    try:
        return dict(parse_qsl(text[:LONGEST_STORED], max_num_fields=50))
    except ValueError:
        return {}


def _short(text: str) -> str:
    clean = "".join(c if c.isprintable() and c not in "`*_[]<>$:\\@" else "?" for c in text).replace("www.", "www?")
    return quoted(clean if len(clean) <= 30 else clean[:29] + "…")


def settings_of(asked: tuple[str | None, ...], linked: tuple[str | None, ...]) -> SamplingSettings:
    """Return the settings for these texts of the controls and of the address."""
    length = sum(len(text) for text in (*asked, *linked) if text)
    return _settings_of(asked, linked) if length <= LONGEST_TEXT else _settings_of.__wrapped__(asked, linked)


@lru_cache(maxsize=256)  # a page asks about ten times per draw; of longer texts it would keep 500 MB
def _settings_of(asked: tuple[str | None, ...], linked: tuple[str | None, ...]) -> SamplingSettings:
    values: dict[str, Any] = {}
    for row, text, link in zip(SETTINGS.values(), asked, linked, strict=True):
        value = None if text is None else value_of(row, text)
        values[row.name] = setting_of(row, first_value(row, link) if value is None else value)
    return SamplingSettings(**values)


def first_value(row: Setting, link: str | None) -> Any:
    """Return the value of a setting at the start: the one of the address if it is valid, else the default."""
    value = None if link is None else value_of(row, link)
    return start_of(row) if value is None else value


def settings_in(values: Mapping[str, str]) -> dict[str, Any] | None:
    """Return the value of every control for these texts of a link, None if one of them is not valid."""
    read = {name: value_of(row, values[name]) if name in values else start_of(row) for name, row in SETTINGS.items()}
    return None if None in read.values() else read
