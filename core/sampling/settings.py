"""Sampling settings: every sampler of transformers, llama.cpp and vLLM, and the order of their stages; checked, frozen, hashable.

The fields of `SamplingSettings` are the table of all settings (`Setting` says what a row holds). Checks, controls, chips, links, summaries
and the requests to servers follow from it; `stage_orders.py` has the orders of the stages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, cast

from core.checked_number import shown
from core.errors import BadSetting
from core.message import Message, Number
from core.sampling import stage_orders
from core.sampling.logit_bias import biases, read_biases, write_biases
from core.sampling.settings_row import ENGINES, Setting, Stage, TextForm

SMALLEST_DIVISOR = 0.001  # logits divided by less than this overflow float32
LARGEST_SEED = 2**53 - 1  # largest whole number that JSON and browsers keep exactly
MOST_BREAKERS, LONGEST_BREAKER = 40, 40  # texts, characters
CONSTRAINTS = {  # kinds, in words
    "choices": Message("one of several texts"),
    "schema": Message("JSON schema"),
    "example": Message("JSON like an example"),
    "regex": Message("regular expression"),
    "lark": Message("Lark grammar"),
}
LONGEST_CONSTRAINT = 8_000  # characters
BREAKERS = ("\n", ":", '"', "*")  # llama.cpp's own
LAST_N: Final = {"llama.cpp": 64}  # tokens that the penalties and DRY read, in engines that do not read the whole text
_BELOW_ONE = math.nextafter(1.0, 0.0)


def _breakers(value: Any) -> tuple[str, ...]:
    """Return DRY's sequence breakers as a tuple. Raises BadSetting."""
    if isinstance(value, tuple) and value == BREAKERS:
        return BREAKERS
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(text, str) and text for text in value):
        raise BadSetting("DRY sequence breakers must be a list of texts, not {shown}.", shown=shown(value))
    if len(value) > MOST_BREAKERS or any(len(text) > LONGEST_BREAKER for text in value):
        sentence = Message("DRY sequence breakers are at most {most} texts of at most {longest} characters.")
        raise BadSetting(sentence.with_values(most=MOST_BREAKERS, longest=LONGEST_BREAKER))
    if any("\ud800" <= character <= "\udfff" for text in value for character in text):
        raise BadSetting("DRY sequence breakers must be texts that UTF-8 can encode.")
    return tuple(value)


def _constraint(value: Any) -> str:
    """Return the constraint. Raises BadSetting for an unknown kind or a too long one. Its form is read where it is used."""
    if value == "" and isinstance(value, str):
        return ""
    if not isinstance(value, str) or value.partition(":")[0] not in CONSTRAINTS or ":" not in value:
        sentence = Message("A constraint is a text that begins with {kinds}, not {shown}.")
        raise BadSetting(sentence.with_values(kinds=", ".join(f"{kind}:" for kind in CONSTRAINTS), shown=shown(value)))
    if len(value) > LONGEST_CONSTRAINT:
        raise BadSetting("A constraint has at most {most} characters, not {count}.", most=LONGEST_CONSTRAINT, count=len(value))
    if any("\ud800" <= character <= "\udfff" or character == "\0" for character in value):
        raise BadSetting("A constraint must be a text that UTF-8 can encode.")
    return value


def _read_constraint(text: str) -> str:
    """Return the text if it is a constraint that can be read. Raises BadSetting."""
    from core.sampling.constraint.lark_grammar import lark_of  # imports a library, which settings alone do not need

    if _constraint(text):
        lark_of(text)
    return text


def _temperature_effect(value: float) -> Message:
    if value == 1:
        return Message("off: the model's own probabilities")
    if value < 0.4:
        return Message("very steady: nearly always the likeliest")
    if value < 1:
        return Message("likely tokens become likelier")
    return Message("unlikely tokens become likelier") if value < 1.4 else Message("random: unlikely tokens are chosen often")


def _top_k_effect(value: float) -> Message:
    if value > 1:
        return Message("only the {count} likeliest tokens", count=Number(value, ",.0f"))
    return Message("only the likeliest token") if value else Message("off: no token is excluded")


def _cut_off_effect(off: float, sentence: Message) -> Any:
    """Return what says the effect of a cut-off: `sentence` with the value as a percentage, or that it is off."""

    def effect(value: float) -> Message:
        return Message("off: no token is excluded") if value == off else sentence.with_values(share=Number(value * 100, ",.0f"))

    return effect


def _row(off: Any, label: str, short: str, help: str, **row: Any) -> Any:
    """Return a field of `SamplingSettings`: the default, and its row of the table."""
    return field(default=off, metadata={"row": Setting(off=off, label=label, short=short, help=help, **row)})


def _in(transformers: str = "", llama_cpp: str = "", vllm: str = "") -> dict[str, str]:
    """Return the names of a setting in the engines that have it."""
    return {engine: name for engine, name in zip(ENGINES, (transformers, llama_cpp, vllm), strict=True) if name}


# The watermark and its dials: sent inside its own configuration.
_IN_WATERMARK: Final = {"engines": _in("watermarking_config"), "sent": {"transformers": lambda _value: None}}


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
    greedy: always take the likeliest token; of the other settings bias, constraint, green list and those against repetition have an effect.
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
    watermark: "green" adds watermark_delta to the logits of a green list: watermark_gamma of the vocabulary, by watermark_key and the
        token before (Kirchenbauer et al. 2023). "synthid" lets the tokens play a tournament, whose rules follow from watermark_key
        and the watermark_context tokens before (SynthID-Text, Dathathri et al. 2024). "" is off. Greedy takes no part in a tournament.
    order: the order of the stages, "transformers", "llama.cpp" or "vllm", or the names of the stages in their order, each once.
        In llama.cpp's order the penalties and DRY read the last 64 tokens of prompt and text. In the others the repetition penalty and DRY
        read the whole text, the presence and frequency penalties the generated tokens.

    Raises BadSetting for a value of the wrong kind or out of range.
    """

    # fmt: off
    temperature: float = _row(
        1.0, Message("Temperature"), Message("temperature"), Message("How random the choice is. Low is steady, high is random."),
        low=SMALLEST_DIVISOR, high=100.0, control=(0.05, 2.0, 0.05), effect=_temperature_effect,
        where="sight", group="Temperature", letter="t",
        engines=_in("temperature", "temperature", "temperature"),
        stage=Stage(
            "temperature", "temperature", Message("Sharpen or flatten"),
            processor="TemperatureLogitsWarper", in_llama_cpp="temperature",
        ),
    )
    top_k: int = _row(
        0, Message("Top-k"), Message("top-k"), Message("Keeps only the k likeliest tokens. 0 is off."),
        high=10_000_000, control=(0, 200, 1), effect=_top_k_effect, where="sight", group="Cut-offs", letter="k",
        engines=_in("top_k", "top_k", "top_k"),
        stage=Stage(
            "top-k", "cut-off", Message("Only the k likeliest"),
            excludes_only=True, processor="TopKLogitsWarper", in_llama_cpp="top_k",
        ),
    )
    top_p: float = _row(
        1.0, Message("Top-p"), Message("top-p"), Message("Keeps the likeliest tokens that together reach this probability. 1 is off."),
        high=1.0, above=True, control=(0.05, 1.0, 0.01), where="sight", group="Cut-offs", letter="p",
        effect=_cut_off_effect(1.0, Message("keeps the likeliest tokens that together have {share} %")),
        engines=_in("top_p", "top_p", "top_p"),
        stage=Stage(
            "top-p", "cut-off", Message("Exclude the unlikely tail"),
            excludes_only=True, processor="TopPLogitsWarper", in_llama_cpp="top_p",
        ),
    )
    min_p: float = _row(
        0.0, Message("Min-p"), Message("min-p"), Message("Excludes tokens far less likely than the likeliest. 0 is off."),
        high=1.0, control=(0.0, 0.5, 0.01), where="sidebar", group="Cut-offs", letter="m",
        effect=_cut_off_effect(0.0, Message("excludes tokens below {share} % of the largest probability")),
        engines=_in("min_p", "min_p", "min_p"),
        stage=Stage(
            "min-p", "cut-off", Message("Exclude tokens far below the likeliest"),
            excludes_only=True, processor="MinPLogitsWarper", in_llama_cpp="min_p",
        ),
    )
    typical_p: float = _row(
        1.0, Message("Typical-p"), Message("typical-p"), Message("Keeps tokens whose surprise is close to the average. 1 is off."),
        high=1.0, above=True, control=(0.05, 1.0, 0.01), where="sidebar", group="Cut-offs", letter="y",
        effect=_cut_off_effect(1.0, Message("keeps the most typical tokens that together have {share} %")),
        engines=_in("typical_p", "typical_p"),
        stage=Stage(
            "typical-p", "cut-off", Message("Only the typical"),
            excludes_only=True, processor="TypicalLogitsWarper", in_llama_cpp="typ_p",
        ),
    )
    repetition_penalty: float = _row(
        1.0, Message("Repetition penalty"), Message("repetition penalty"),
        Message("Makes tokens of the text so far less likely. 1 is off."),
        low=SMALLEST_DIVISOR, high=100.0, control=(1.0, 2.0, 0.05), where="sidebar", group="Repetition", letter="r",
        effect=lambda value: Message("off: repetition is not reduced") if value == 1 else Message("tokens of the text become less likely"),
        engines=_in("repetition_penalty", "repeat_penalty", "repetition_penalty"),
        stage=Stage(
            "repetition penalty", "repetition", Message("Make repetition less likely"),
            processor="RepetitionPenaltyLogitsProcessor", in_llama_cpp="penalties",
        ),
    )
    seed: int = _row(
        0, Message("Seed"), Message("seed"), Message("Number of the dice. The same seed gives the same rolls and the same text."),
        high=LARGEST_SEED, control=(0, 2**31 - 1, 1), effect=lambda value: Message("the same seed gives the same text"),
        where="sidebar", letter="d", engines=_in("", "seed", "seed"),
    )
    greedy: bool = _row(
        False, Message("Greedy"), Message("greedy"), Message("Always take the likeliest token, without sampling."),
        where="sidebar", letter="g",
        effect=lambda value: (
            Message("on: always the likeliest token") if value else Message("off: the dice decide (sampling)")
        ),
    )
    presence_penalty: float = _row(
        0.0, Message("Presence penalty"), Message("presence penalty"),
        Message("Is subtracted from the logit of every token that was written. 0 is off."),
        low=-100.0, high=100.0, control=(-2.0, 2.0, 0.1), group="Repetition", term="presence-penalty",
        engines=_in("", "presence_penalty", "presence_penalty"),
        stage=Stage("presence penalty", "repetition", Message("Less likely once it was written"), in_llama_cpp="penalties"),
    )
    frequency_penalty: float = _row(
        0.0, Message("Frequency penalty"), Message("frequency penalty"),
        Message("Is subtracted from the logit of a token as often as it was written. 0 is off."),
        low=-100.0, high=100.0, control=(-2.0, 2.0, 0.1), group="Repetition", term="frequency-penalty",
        engines=_in("", "frequency_penalty", "frequency_penalty"),
        stage=Stage(
            "frequency penalty", "repetition", Message("Less likely each time it was written"),
            in_llama_cpp="penalties",
        ),
    )
    repeat_last_n: int = _row(
        0, Message("Repeat last n"), Message("repeat last n"),
        Message("How many of the last tokens of prompt and text the penalties and DRY read. 0: as in the engine of the chosen order."),
        high=10_000_000, control=(0, 4096, 1), group="Repetition", engines=_in("", "repeat_last_n"),
    )
    logit_bias: Mapping[int, float | None] | tuple[tuple[int, float], ...] = _row(
        (), Message("Logit bias"), Message("logit bias"),
        Message("Token ids with numbers that are added to their logits: 464:-inf,287:1.5. Minus infinity excludes a token."),
        check=biases, text=TextForm(read_biases, write_biases, "464:-inf,287:1.5"), group="Bias", term="logit-bias",
        engines=_in("sequence_bias", "logit_bias", "logit_bias"),
        sent={
            "llama.cpp": lambda pairs: [[token_id, False if math.isinf(bias) else bias] for token_id, bias in pairs],
            "vllm": lambda pairs: {str(token_id): max(bias, -100.0) for token_id, bias in pairs} or None,
        },
        stage=Stage("logit bias", "bias", Message("Add to the logits of some tokens")),
    )
    no_repeat_ngram_size: int = _row(
        0, Message("No-repeat n-gram size"), Message("no-repeat n-gram"),
        Message("Excludes tokens that would repeat a sequence of this many tokens. 0 is off."),
        high=10_000, control=(0, 20, 1), group="Repetition", term="no-repeat-ngram", engines=_in("no_repeat_ngram_size"),
        stage=Stage("no-repeat n-gram", "repetition", Message("Exclude repeated sequences"), excludes_only=True),
    )
    dry_multiplier: float = _row(
        0.0, Message("DRY multiplier"), Message("DRY multiplier"),
        Message("DRY makes tokens less likely that would extend a repetition. 0 is off."),
        high=100.0, control=(0.0, 5.0, 0.05), group="Repetition", term="dry", engines=_in("", "dry_multiplier"),
        stage=Stage(Message("DRY"), "repetition", Message("Punish long repetitions"), in_llama_cpp="dry"),
    )
    dry_base: float = _row(
        1.75, Message("DRY base"), Message("DRY base"), Message("How fast DRY's penalty grows with the length of a repetition."),
        low=1.0, high=100.0, control=(1.0, 4.0, 0.05), group="Repetition", of="dry_multiplier", engines=_in("", "dry_base"),
    )
    dry_allowed_length: int = _row(
        2, Message("DRY allowed length"), Message("DRY allowed length"), Message("DRY ignores repetitions of fewer tokens than this."),
        low=1, high=10_000, control=(1, 50, 1), group="Repetition", of="dry_multiplier", engines=_in("", "dry_allowed_length"),
    )
    dry_sequence_breakers: tuple[str, ...] = _row(
        BREAKERS, Message("DRY sequence breakers"), Message("DRY sequence breakers"),
        Message("A repetition ends at these texts. A JSON list."),
        check=_breakers, text=TextForm(json.loads, lambda texts: json.dumps(list(texts), ensure_ascii=False), '["\\n", ":"]'),
        group="Repetition", of="dry_multiplier", engines=_in("", "dry_sequence_breakers"),
        sent={"llama.cpp": lambda texts: list(texts) or ["\x00"]},  # it refuses an empty list
    )
    top_n_sigma: float = _row(
        0.0, Message("Top-n-sigma"), Message("top-n-sigma"),
        Message("Keeps logits within this many standard deviations of the largest one. 0 is off."),
        high=1_000.0, control=(0.0, 10.0, 0.1), group="Cut-offs", term="top-n-sigma", engines=_in("", "top_n_sigma"),
        sent={"llama.cpp": lambda value: value or -1.0},  # 0 keeps one token there
        stage=Stage(
            "top-n-sigma", "cut-off", Message("Exclude logits far below the largest"),
            excludes_only=True, in_llama_cpp="top_n_sigma",
        ),
    )
    epsilon_cutoff: float = _row(
        0.0, Message("Epsilon cut-off"), Message("epsilon cut-off"), Message("Excludes tokens with a smaller probability. 0 is off."),
        high=_BELOW_ONE, control=(0.0, 0.5, 0.001), group="Cut-offs", term="epsilon-cutoff", engines=_in("epsilon_cutoff"),
        stage=Stage(
            Message("epsilon"), "cut-off", Message("Exclude small probabilities"),
            excludes_only=True, processor="EpsilonLogitsWarper",
        ),
    )
    eta_cutoff: float = _row(
        0.0, Message("Eta cut-off"), Message("eta cut-off"),
        Message("Excludes unlikely tokens, but fewer of them where the model is uncertain. 0 is off."),
        high=_BELOW_ONE, control=(0.0, 0.5, 0.001), group="Cut-offs", term="eta-cutoff", engines=_in("eta_cutoff"),
        stage=Stage(
            Message("eta"), "cut-off", Message("Exclude small probabilities, by the entropy"),
            excludes_only=True, processor="EtaLogitsWarper",
        ),
    )
    xtc_probability: float = _row(
        0.0, Message("XTC probability"), Message("XTC probability"),
        Message("Probability that XTC excludes the likeliest tokens at a step. The dice decide. 0 is off."),
        high=1.0, control=(0.0, 1.0, 0.05), group="Cut-offs", term="xtc", engines=_in("", "xtc_probability"),
        stage=Stage(
            Message("XTC"), "cut-off", Message("Sometimes exclude the likeliest"),
            excludes_only=True, in_llama_cpp="xtc",
        ),
    )
    xtc_threshold: float = _row(
        0.1, Message("XTC threshold"), Message("XTC threshold"),
        Message("XTC excludes the tokens that reach this probability, except the least likely of them."),
        high=0.5, above=True, control=(0.01, 0.5, 0.01), group="Cut-offs", of="xtc_probability", engines=_in("", "xtc_threshold"),
    )
    dynatemp_range: float = _row(
        0.0, Message("Dynamic temperature range"), Message("dynamic temperature range"),
        Message("The temperature moves by this much: lower where the model is certain, higher where it is not. 0 is off."),
        high=100.0, control=(0.0, 2.0, 0.05), group="Temperature", term="dynamic-temperature", engines=_in("", "dynatemp_range"),
    )
    dynatemp_exponent: float = _row(
        1.0, Message("Dynamic temperature exponent"), Message("dynamic temperature exponent"),
        Message("Exponent of the normalised entropy. Above 1, the temperature stays low until the entropy is high."),
        high=100.0, control=(0.0, 5.0, 0.1), group="Temperature", of="dynatemp_range", engines=_in("", "dynatemp_exponent"),
    )
    mirostat_tau: float = _row(
        0.0, Message("Mirostat tau"), Message("mirostat tau"),
        Message("Mirostat 2 steers the surprise of the text towards this many bits. It replaces the cut-offs and, in llama.cpp's order, "
                "the repetition settings. 0 is off."),
        high=100.0, control=(0.0, 10.0, 0.1), group="Temperature", term="mirostat", engines=_in("", "mirostat_tau"),
        sent={"llama.cpp": lambda value: value or 5.0},  # `mirostat` switches it
        stage=Stage(
            Message("mirostat"), "mirostat", Message("Exclude surprises above a moving limit"),
            excludes_only=True,
        ),
    )
    mirostat_eta: float = _row(
        0.1, Message("Mirostat eta"), Message("mirostat eta"), Message("How fast mirostat moves its limit after each token."),
        high=1.0, control=(0.0, 1.0, 0.01), group="Temperature", of="mirostat_tau", engines=_in("", "mirostat_eta"),
    )
    constraint: str = _row(
        "", Message("Constraint"), Message("constraint"),
        Message("Allows only tokens with which the text can still match a choice, JSON, a regular expression or a grammar."),
        check=_constraint, text=TextForm(_read_constraint), group="Constraint", term="constraint",
        engines=_in("logits_processor", "grammar", "structured_outputs"),
        stage=Stage("constraint", "constraint", Message("Exclude what does not fit the form"), excludes_only=True),
    )
    watermark: str = _row(
        "", Message("Watermark"), Message("watermark"),
        Message("Marks the text, so that a person with the key can recognise it: by a green list, or by a tournament of the tokens."),
        choices={"": Message("off"), "green": Message("green list"), "synthid": Message("tournament (SynthID)")},
        group="Watermark", term="watermark", **_IN_WATERMARK,
        stage=Stage("watermark", "watermark", Message("Mark the text with a secret key")),
    )
    watermark_key: int = _row(
        15_485_863, Message("Watermark key"), Message("watermark key"),
        Message("The secret number. A score of a text needs the same key. Links and saved files of this app contain it."),
        low=1, high=LARGEST_SEED, control=(1, 2**31 - 1, 1), group="Watermark", of="watermark", **_IN_WATERMARK,
    )
    watermark_gamma: float = _row(
        0.25, Message("Watermark gamma"), Message("watermark gamma"), Message("The part of the vocabulary that is on the green list."),
        low=0.01, high=0.99, control=(0.05, 0.95, 0.05), group="Watermark", of="watermark", **_IN_WATERMARK,
    )
    watermark_delta: float = _row(
        2.0, Message("Watermark delta"), Message("watermark delta"), Message("Is added to the logits of the green list."),
        high=100.0, above=True, control=(0.1, 10.0, 0.1), group="Watermark", of="watermark", **_IN_WATERMARK,
    )
    watermark_context: int = _row(
        1, Message("Watermark context"), Message("watermark context"),
        Message("How many tokens before decide the tournament. SynthID itself uses 4. The green list follows from the last one alone."),
        low=1, high=20, control=(1, 20, 1), group="Watermark", of="watermark", **_IN_WATERMARK,
    )
    order: str | tuple[str, ...] = _row(
        "transformers", Message("Order of the stages"), Message("order"), Message("The order in which the stages are applied."),
        check=lambda order: stage_orders.checked(order, SETTING_OF),
        text=TextForm(lambda text: stage_orders.read(text, SETTING_OF), stage_orders.write),
    )
    # fmt: on

    def __post_init__(self) -> None:
        for name, row in SETTINGS.items():
            value = getattr(self, name)
            if value is not row.off and not (type(value) is type(row.off) is float and row.low < value <= row.high):  # the usual ones first
                object.__setattr__(self, name, row.checked(value))
        if not isinstance(self.order, str):
            for name in SETTING_OF:
                if name not in self.order and self.is_on(name):
                    raise BadSetting("Order does not name {name}, which is on.", name=name)

    @property
    def biases(self) -> tuple[tuple[int, float], ...]:
        """The logit bias as pairs of token id and number, by id; -inf excludes the token."""
        return cast("tuple[tuple[int, float], ...]", self.logit_bias)

    def is_on(self, stage: str) -> bool:
        """Return whether the setting of this stage differs from its off value."""
        if stage == "temperature" and self.dynatemp_range:
            return True
        row = SETTINGS[SETTING_OF[stage]]
        return bool(getattr(self, row.name) != row.off)

    @property
    def stage_order(self) -> tuple[str, ...]:
        """The names of the stages in their order."""
        return ORDERS[self.order] if isinstance(self.order, str) else self.order

    @property
    def without_effect(self) -> tuple[str, ...]:
        """The stages that are on and that another setting replaces: greedy (not bias, constraint, repetition, green list) or mirostat."""
        replaced: tuple[str, ...] = ()
        if self.greedy:
            replaced = ("temperature", "cut-off", "mirostat") + ("watermark",) * (self.watermark == "synthid")
        elif self.mirostat_tau:
            replaced = ("cut-off", "repetition") if self.order == "llama.cpp" else ("cut-off",)
        return tuple(name for name in self.stage_order if STAGES[name].kind in replaced and self.is_on(name))

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
        first = next((index for index, name in enumerate(active) if name in excludes), len(active))
        counting = {"typical-p": "typical-p"} | ({"temperature": "dynamic temperature"} if self.dynatemp_range else {})
        return tuple(counting[name] for name in active[first:] if name in counting)

    @staticmethod
    def checked(value: Any) -> SamplingSettings:
        """Return this value if it is a SamplingSettings. Raises BadSetting otherwise."""
        if not isinstance(value, SamplingSettings):
            raise BadSetting("Settings are SamplingSettings(temperature=0.8, ...), not {shown}.", shown=shown(value))
        return value

    def __repr__(self) -> str:
        changed = {row.name: getattr(self, row.name) for row in self.changed()}
        if self.logit_bias:
            changed["logit_bias"] = {token_id: None if math.isinf(bias) else bias for token_id, bias in self.biases}
        return f"SamplingSettings({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def changed(self) -> list[Setting]:
        """Return the rows of the settings that are not off."""
        return [row for row in SETTINGS.values() if getattr(self, row.name) != row.off]

    def effective(self) -> list[Setting]:
        """Return the rows of the settings that are not off and have an effect: see `Setting.of` and `without_effect`."""
        changed, active = {row.name: row for row in self.changed()}, set(self.active_stages)
        reads_text = any(STAGES[name].kind == "repetition" for name in active)

        def counts(row: Setting) -> bool:
            if row.stage is not None:
                return row.stage.name in active
            if row.of:
                return row.of in changed and counts(changed[row.of])
            return {"dynatemp_range": "temperature" in active, "repeat_last_n": reads_text}.get(row.name, True)

        return [row for row in changed.values() if counts(row)]

    def missing_in(self, engine: str) -> list[str]:
        """Return the names of the stages and settings in effect that an engine does not have. An order and the dice are the app's own."""
        missing = [name for name in self.active_stages if engine not in _OF_STAGES[name][0].engines]
        for row in self.effective():
            wanted = engine in SETTINGS[row.of].engines if row.of else bool(row.engines)  # without names: our own
            if row.stage is None and row.name != "seed" and wanted and engine not in row.engines:
                missing.append(row.short)
        return missing

    def as_dict(self) -> dict[str, Any]:
        """Return the settings as plain values by name. `SamplingSettings(**values)` takes them."""
        return {name: getattr(self, name) for name in SETTINGS}

    def for_file(self) -> dict[str, Any]:
        """Return what JSON can store: the settings of the sidebar, and of the others those that are not off."""
        values = {name: getattr(self, name) for name, row in SETTINGS.items() if row.where != "dialog" or getattr(self, name) != row.off}
        if "logit_bias" in values:
            values["logit_bias"] = [[token_id, None if math.isinf(bias) else bias] for token_id, bias in self.biases]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_file(cls, values: Any) -> SamplingSettings:
        """Return the settings that `for_file` stored. Raises ValueError for anything else, BadSetting for an impossible value."""
        if isinstance(values, cls):
            return values
        if not isinstance(values, dict) or not values.keys() <= SETTINGS.keys():
            raise ValueError("no settings of this app")
        return cls(**values)

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        """Let files of pydantic's contain settings as `for_file` stores them, so that a new setting changes no file."""
        from pydantic_core import core_schema

        written = core_schema.plain_serializer_function_ser_schema(cls.for_file)
        return core_schema.no_info_plain_validator_function(cls.from_file, serialization=written)


SETTINGS: Final[dict[str, Setting]] = {row.name: replace(row.metadata["row"], name=row.name) for row in fields(SamplingSettings)}
_OF_STAGES = {row.stage.name: (row, row.stage) for row in SETTINGS.values() if row.stage is not None}
STAGES: Final[dict[str, Stage]] = {name: stage for name, (_row_of, stage) in _OF_STAGES.items()}
ORDERS: Final = stage_orders.of_engines(STAGES)
# The setting that switches each stage on.
SETTING_OF: Final[dict[str, str]] = {name: _OF_STAGES[name][0].name for name in ORDERS["transformers"]}
