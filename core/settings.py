"""Sampling settings: every sampler of transformers, llama.cpp and vLLM, and the order of their stages; checked, frozen, hashable."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from core.errors import BadSetting
from core.message import Message, Number
from core.stage_orders import CUT_OFFS, ORDERS, REPETITION, SETTING_OF

SMALLEST_DIVISOR = 0.001  # logits divided by less than this overflow float32
LARGEST_SEED = 2**53 - 1  # largest whole number that JSON and browsers keep exactly
LARGEST_TOKEN_ID = 10_000_000
MOST_BIASES = 1_000
LARGEST_BIAS = 1e6
MOST_BREAKERS, LONGEST_BREAKER = 40, 40  # texts, characters
CONSTRAINTS = ("choices", "schema", "example", "regex", "lark")  # kinds
LONGEST_CONSTRAINT = 8_000  # characters
FIRST = frozenset("temperature top_k top_p min_p typical_p repetition_penalty greedy seed".split())  # in every file, for old versions


@dataclass(frozen=True, slots=True, repr=False)
class SamplingSettings:
    """How the next token is chosen from the model's probabilities. All samplers are off by default. NumPy numbers are accepted.

    >>> SamplingSettings(temperature=0.8, seed=7)
    SamplingSettings(temperature=0.8, seed=7)

    temperature: the logits are divided by it; below 1 likely tokens become likelier, above 1 unlikely ones do. 0.001 to 100.
    top_k: only the k likeliest tokens are kept; 0 is off.
    top_p: only the likeliest tokens that together reach this probability are kept; 1.0 is off.
    min_p: only tokens with at least this fraction of the likeliest token's probability are kept; 0.0 is off.
    typical_p: only tokens whose surprise is close to the expected one are kept, up to this probability; 1.0 is off.
    repetition_penalty: the logits of tokens already in the text are divided (or, below zero, multiplied) by it; 0.001 to 100, 1.0 is off.
    greedy: always take the likeliest token; of the other settings only bias, constraint and those against repetition have an effect.
    seed: seed of the dice. The same seed gives the same rolls.
    presence_penalty: is subtracted from the logit of every token that was generated; -100 to 100, 0 is off.
    frequency_penalty: is subtracted from a token's logit as often as the token was generated; -100 to 100, 0 is off.
    repeat_last_n: the penalties and DRY read this many last tokens of prompt and text; 0 is the rule of the order (see `order`).
    logit_bias: token id -> number added to its logit; -inf (or None) excludes the token. At most 1,000 tokens.
    no_repeat_ngram_size: a token that would complete an n-gram of the text is excluded; 0 is off.
    dry_multiplier, dry_base, dry_allowed_length: a token that would extend a repetition of n >= dry_allowed_length tokens loses
        dry_multiplier * dry_base ** (n - dry_allowed_length); a multiplier of 0 is off. dry_sequence_breakers: texts that end a repetition.
    top_n_sigma: only logits within this many standard deviations of the largest one are kept; 0 is off.
    epsilon_cutoff: tokens with a smaller probability are excluded; 0 is off. eta_cutoff: the same with a limit that falls with the entropy.
    xtc_probability, xtc_threshold: with this probability, of all tokens that reach the threshold all but the least likely are excluded.
    dynatemp_range, dynatemp_exponent: the temperature is between temperature - range and + range, by the entropy; a range of 0 is off.
    mirostat_tau, mirostat_eta: mirostat 2 excludes tokens whose surprise exceeds a limit that is steered towards tau bits; 0 is off.
        It replaces the cut-offs, in llama.cpp's order the penalties and dynatemp_range, too.
    constraint: only tokens with which the text can take a form are allowed: `choices:` and one text in each line, `schema:` and a JSON
        schema, `example:` and a JSON value like the wanted one, `regex:` and a regular expression, `lark:` and a Lark grammar. "" is off.
    order: the order of the stages, "transformers", "llama.cpp" or "vllm", or the names of the stages in their order, each once.
        In llama.cpp's order the penalties and DRY read the last 64 tokens of prompt and text. In the others the repetition penalty and DRY
        read the whole text, the presence and frequency penalties the generated tokens.

    Raises BadSetting for a value of the wrong kind or out of range.
    """

    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    typical_p: float = 1.0
    repetition_penalty: float = 1.0
    greedy: bool = False
    seed: int = 0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repeat_last_n: int = 0
    logit_bias: Mapping[int, float | None] | tuple[tuple[int, float], ...] = ()
    no_repeat_ngram_size: int = 0
    dry_multiplier: float = 0.0
    dry_base: float = 1.75
    dry_allowed_length: int = 2
    dry_sequence_breakers: tuple[str, ...] = ("\n", ":", '"', "*")
    top_n_sigma: float = 0.0
    epsilon_cutoff: float = 0.0
    eta_cutoff: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    dynatemp_range: float = 0.0
    dynatemp_exponent: float = 1.0
    mirostat_tau: float = 0.0
    mirostat_eta: float = 0.1
    constraint: str = ""
    order: str | tuple[str, ...] = "transformers"

    def __post_init__(self) -> None:
        self._number("temperature", SMALLEST_DIVISOR, 100.0)
        self._whole("top_k", 10_000_000)
        self._number("top_p", 0.0, 1.0, above=True)
        self._number("min_p", 0.0, 1.0)
        self._number("typical_p", 0.0, 1.0, above=True)
        self._number("repetition_penalty", SMALLEST_DIVISOR, 100.0)
        if not is_bool(self.greedy):
            raise BadSetting("Greedy must be on or off, not {shown}.", shown=_shown(self.greedy))
        object.__setattr__(self, "greedy", bool(self.greedy))
        self._whole("seed", LARGEST_SEED)
        self._check_newer()
        object.__setattr__(self, "logit_bias", _biases(self.logit_bias) if self.logit_bias else _no_biases(self.logit_bias))
        object.__setattr__(self, "dry_sequence_breakers", _breakers(self.dry_sequence_breakers))
        if self.constraint != "":
            _check_constraint(self.constraint)
        if self.order != "transformers":
            object.__setattr__(self, "order", self._checked_order())

    def _check_newer(self) -> None:
        for name, low, high in _NUMBERS:
            self._number(name, low, high)
        self._number("xtc_threshold", 0.0, 0.5, above=True)
        self._whole("repeat_last_n", 10_000_000)
        self._whole("no_repeat_ngram_size", 10_000)
        self._whole("dry_allowed_length", 10_000, low=1)

    def _checked_order(self) -> str | tuple[str, ...]:
        """Return the order with plain values. Raises BadSetting for an unknown or repeated name, and if a stage that is on is missing."""
        order = self.order
        if isinstance(order, str) and order in ORDERS:
            return order
        if isinstance(order, str) or not isinstance(order, Sequence) or not all(isinstance(name, str) for name in order):
            raise BadSetting("Order must be transformers, llama.cpp, vllm or the names of the stages, not {shown}.", shown=_shown(order))
        for place, name in enumerate(order):
            if name not in SETTING_OF:
                raise BadSetting("Order names {shown}, which is not a stage.", shown=_shown(name))
            if name in order[:place]:
                raise BadSetting("Order names {name} twice.", name=name)
        for name in SETTING_OF:
            if name not in order and self.is_on(name):
                raise BadSetting("Order does not name {name}, which is on.", name=name)
        return tuple(order)

    @property
    def biases(self) -> tuple[tuple[int, float], ...]:
        """The logit bias as pairs of token id and number, by id; -inf excludes the token."""
        return self.logit_bias  # type: ignore[return-value]

    def is_on(self, stage: str) -> bool:
        """Return whether the setting of this stage differs from its off value."""
        if stage == "temperature" and self.dynatemp_range:
            return True
        name = SETTING_OF[stage]
        return bool(getattr(self, name) != _DEFAULTS[name])

    @property
    def stage_order(self) -> tuple[str, ...]:
        """The names of the stages in their order."""
        return ORDERS[self.order] if isinstance(self.order, str) else self.order

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The stages that are on and that another setting replaces: greedy (all but bias, constraint and repetition) or mirostat."""
        replaced: set[str] = set()
        if self.greedy:
            replaced |= SETTING_OF.keys() - REPETITION - {"logit bias", "constraint"}
        elif self.mirostat_tau:
            replaced |= CUT_OFFS | (REPETITION if self.order == "llama.cpp" else set())
        return tuple(name for name in self.stage_order if name in replaced and self.is_on(name))

    @property
    def active_stages(self) -> tuple[str, ...]:
        """The names of the stages that have an effect, in their order."""
        replaced = self.without_effect
        return tuple(name for name in self.stage_order if self.is_on(name) and name not in replaced)

    @property
    def counting_excluded(self) -> tuple[str, ...]:
        """The active stages whose result llama.cpp computes otherwise, because it counts excluded tokens; empty in another order.

        Its logit bias, constraint and top-n-sigma leave excluded tokens in its list, with the logit minus infinity.
        """
        if self.order != "llama.cpp":
            return ()
        excludes = {"constraint", "top-n-sigma"} | ({"logit bias"} if any(math.isinf(bias) for _id, bias in self.biases) else set())
        active = self.active_stages
        first = next((place for place, name in enumerate(active) if name in excludes), len(active))
        counting = {"typical-p": "typical-p"} | ({"temperature": "dynamic temperature"} if self.dynatemp_range else {})
        return tuple(counting[name] for name in active[first:] if name in counting)

    @staticmethod
    def checked(value: Any) -> SamplingSettings:
        """Return this value if it is a SamplingSettings. Raises BadSetting otherwise."""
        if not isinstance(value, SamplingSettings):
            raise BadSetting("Settings are SamplingSettings(temperature=0.8, ...), not {shown}.", shown=_shown(value))
        return value

    def __repr__(self) -> str:
        changed = {field.name: getattr(self, field.name) for field in fields(self) if getattr(self, field.name) != field.default}
        if self.logit_bias:
            changed["logit_bias"] = {token_id: None if math.isinf(bias) else bias for token_id, bias in self.biases}
        return f"SamplingSettings({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _number(self, name: str, low: float, high: float, above: bool = False) -> None:
        value = getattr(self, name)
        if type(value) is float and low <= value <= high and not (above and value == low):  # the usual case first
            return
        if is_bool(value) or not isinstance(value, numbers.Real) or not _is_finite(value):
            raise BadSetting("{label} must be a number, not {shown}.", label=_label(name), shown=_shown(value))
        if not low <= float(value) <= high or (above and float(value) == low):
            hint = Message("To always take the likeliest token, switch Greedy on.") if name == "temperature" and value == 0 else ""
            said = (
                Message("{label} must be above {low} and at most {high}, not {shown}.")
                if above
                else Message("{label} must be at least {low} and at most {high}, not {shown}.")
            ).with_values(label=_label(name), low=Number(low, "g"), high=Number(high, "g"), shown=_shown(value))
            raise BadSetting(f"{said} {hint}".strip())
        object.__setattr__(self, name, float(value))

    def _whole(self, name: str, high: int, low: int = 0) -> None:
        object.__setattr__(self, name, whole_number(getattr(self, name), _label(name), low, high))

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values by name. `SamplingSettings(**values)` takes them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def for_file(self) -> dict[str, Any]:
        """Return what JSON can store: the first eight settings, which older versions expect, and of the others those that are not off."""
        values = {name: value for name, value in self.as_dict().items() if name in FIRST or value != _DEFAULTS[name]}
        if "logit_bias" in values:
            values["logit_bias"] = [[token_id, None if math.isinf(bias) else bias] for token_id, bias in self.biases]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


_DEFAULTS = {field.name: field.default for field in fields(SamplingSettings)}
_LABELS = {
    "dry_multiplier": "DRY multiplier",
    "dry_base": "DRY base",
    "dry_allowed_length": "DRY allowed length",
    "xtc_probability": "XTC probability",
    "xtc_threshold": "XTC threshold",
    "no_repeat_ngram_size": "No-repeat n-gram size",
    "top_n_sigma": "Top-n-sigma",
    "epsilon_cutoff": "Epsilon cut-off",
    "eta_cutoff": "Eta cut-off",
    "dynatemp_range": "Dynamic temperature range",
    "dynatemp_exponent": "Dynamic temperature exponent",
}
_BELOW_ONE = math.nextafter(1.0, 0.0)
_NUMBERS = (
    ("presence_penalty", -100.0, 100.0),
    ("frequency_penalty", -100.0, 100.0),
    ("dry_multiplier", 0.0, 100.0),
    ("dry_base", 1.0, 100.0),
    ("top_n_sigma", 0.0, 1_000.0),
    ("epsilon_cutoff", 0.0, _BELOW_ONE),
    ("eta_cutoff", 0.0, _BELOW_ONE),
    ("xtc_probability", 0.0, 1.0),
    ("dynatemp_range", 0.0, 100.0),
    ("dynatemp_exponent", 0.0, 100.0),
    ("mirostat_tau", 0.0, 100.0),
    ("mirostat_eta", 0.0, 1.0),
)


def _no_biases(value: Any) -> tuple[tuple[int, float], ...]:
    """Return an empty bias. Raises BadSetting for empty values of another kind, such as 0 or an empty text."""
    if not isinstance(value, Mapping | tuple | list):
        raise BadSetting("Logit bias must be token ids with numbers, not {shown}.", shown=_shown(value))
    return ()


def _biases(value: Any) -> tuple[tuple[int, float], ...]:
    """Return a logit bias as pairs, by token id. Raises BadSetting."""
    try:
        pairs = [(token_id, bias) for token_id, bias in (value.items() if isinstance(value, Mapping) else value)]
    except (TypeError, ValueError) as error:
        raise BadSetting("Logit bias must be token ids with numbers, not {shown}.", shown=_shown(value)) from error
    if len(pairs) > MOST_BIASES:
        raise BadSetting("Logit bias takes at most {most} tokens, not {count}.", most=MOST_BIASES, count=len(pairs))
    found: dict[int, float] = {}
    for token_id, bias in pairs:
        if isinstance(token_id, str) and token_id.isascii() and token_id.isdecimal() and len(token_id) < 16:
            token_id = int(token_id)  # OpenAI's logit_bias, whose names are texts
        whole = whole_number(token_id, Message("A token id of the logit bias"), 0, LARGEST_TOKEN_ID)
        if whole in found:
            raise BadSetting("Logit bias names token {token_id} twice.", token_id=str(whole))
        found[whole] = _bias(whole, bias)
    return tuple(sorted((token_id, bias) for token_id, bias in found.items() if bias))


def _bias(token_id: int, bias: Any) -> float:
    """Return one bias; -inf for None. Raises BadSetting."""
    if bias is None or (isinstance(bias, float) and bias == -math.inf):
        return -math.inf
    if is_bool(bias) or not isinstance(bias, numbers.Real) or not _is_finite(bias) or abs(float(bias)) > LARGEST_BIAS:
        raise BadSetting(
            "The logit bias of token {token_id} must be a number from {low} to {high}, or -inf, not {shown}.",
            token_id=str(token_id),
            low=Number(-LARGEST_BIAS, ",.0f"),
            high=Number(LARGEST_BIAS, ",.0f"),
            shown=_shown(bias),
        )
    return float(bias)


def _breakers(value: Any) -> tuple[str, ...]:
    """Return DRY's sequence breakers as a tuple. Raises BadSetting."""
    if value is _DEFAULTS["dry_sequence_breakers"]:
        return cast("tuple[str, ...]", value)
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(one, str) and one for one in value):
        raise BadSetting("DRY sequence breakers must be a list of texts, not {shown}.", shown=_shown(value))
    if len(value) > MOST_BREAKERS or any(len(one) > LONGEST_BREAKER for one in value):
        said = Message("DRY sequence breakers are at most {most} texts of at most {longest} characters.")
        raise BadSetting(said.with_values(most=MOST_BREAKERS, longest=LONGEST_BREAKER))
    if any("\ud800" <= character <= "\udfff" for one in value for character in one):
        raise BadSetting("DRY sequence breakers must be texts that UTF-8 can encode.")
    return tuple(value)


def _check_constraint(value: Any) -> None:
    """Raise BadSetting for a constraint of an unknown kind or a too long one. Its form is read where it is used."""
    if not isinstance(value, str) or value.partition(":")[0] not in CONSTRAINTS or ":" not in value:
        said = Message("A constraint is a text that begins with {kinds}, not {shown}.")
        raise BadSetting(said.with_values(kinds=", ".join(f"{kind}:" for kind in CONSTRAINTS), shown=_shown(value)))
    if len(value) > LONGEST_CONSTRAINT:
        raise BadSetting("A constraint has at most {most} characters, not {count}.", most=LONGEST_CONSTRAINT, count=len(value))
    if any("\ud800" <= character <= "\udfff" or character == "\0" for character in value):
        raise BadSetting("A constraint must be a text that UTF-8 can encode.")


def whole_number(value: Any, name: str, low: int, high: int | None = None) -> int:
    """Return the number as an int if it is whole and in range; name: its label in the error. Raises BadSetting."""
    if is_bool(value) or not isinstance(value, numbers.Integral):
        raise BadSetting("{name} must be a whole number, not {shown}.", name=name, shown=_shown(value))
    number = int(value)
    if number < low or (high is not None and number > high):
        said = (
            Message("{label} must be at least {low}, not {shown}.")
            if high is None
            else Message("{label} must be at least {low} and at most {high}, not {shown}.")
        )
        raise BadSetting(said.with_values(label=name, low=low, high=high or 0, shown=_shown(value)))
    return number


def is_bool(value: object) -> bool:
    """Return whether this is a bool of Python or NumPy, because bools count as numbers elsewhere."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")  # compares the name, so that NumPy need not be imported


def _label(name: str) -> str:
    words = name.replace("_", "-" if name.endswith(("_k", "_p")) else " ")
    return Message(_LABELS.get(name, words.capitalize()))


def _is_finite(value: numbers.Real) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an int that is larger than any float
        return False


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write ints of thousands of digits
        return Message("a number with thousands of digits")
    return text if len(text) <= 40 else text[:37] + "..."
