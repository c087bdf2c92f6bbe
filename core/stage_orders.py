"""The sampling stages: their names, the setting that switches each on, and the order in which three engines apply them.

The orders were read from transformers 5.23 (`GenerationMixin._get_logits_processor`), llama.cpp (`common_params_sampling`) and vLLM's
documentation (V1). A stage that an engine does not have is placed where it has the same effect as in the other engines; `MISSING` names it.
llama.cpp first draws without its grammar (the constraint) and draws again with the grammar first if the token does not fit. Only the second
draw is in its order here.
"""

from __future__ import annotations

from typing import Final

SETTING_OF: Final = {
    "logit bias": "logit_bias",
    "repetition penalty": "repetition_penalty",
    "frequency penalty": "frequency_penalty",
    "presence penalty": "presence_penalty",
    "no-repeat n-gram": "no_repeat_ngram_size",
    "constraint": "constraint",
    "DRY": "dry_multiplier",
    "top-n-sigma": "top_n_sigma",
    "temperature": "temperature",
    "top-k": "top_k",
    "top-p": "top_p",
    "min-p": "min_p",
    "typical-p": "typical_p",
    "epsilon": "epsilon_cutoff",
    "eta": "eta_cutoff",
    "XTC": "xtc_probability",
    "mirostat": "mirostat_tau",
}
CUT_OFFS: Final = frozenset({"top-n-sigma", "top-k", "top-p", "min-p", "typical-p", "epsilon", "eta", "XTC"})
EXCLUDE_ONLY: Final = CUT_OFFS | {"no-repeat n-gram", "mirostat", "constraint"}  # they change no logit of the tokens that they keep
REPETITION: Final = frozenset({"repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY"})

ORDERS: Final[dict[str, tuple[str, ...]]] = {
    "transformers": (
        *("logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY", "constraint"),
        "top-n-sigma",
        *("temperature", "top-k", "top-p", "min-p", "typical-p", "epsilon", "eta", "XTC", "mirostat"),
    ),
    "llama.cpp": (
        "constraint",
        *("logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY", "top-n-sigma"),
        *("top-k", "typical-p", "top-p", "min-p", "epsilon", "eta", "XTC", "temperature", "mirostat"),
    ),
    "vllm": (
        "constraint",
        *("logit bias", "repetition penalty", "frequency penalty", "presence penalty", "no-repeat n-gram", "DRY", "top-n-sigma"),
        *("temperature", "min-p", "top-k", "top-p", "typical-p", "epsilon", "eta", "XTC", "mirostat"),
    ),
}
MISSING: Final = {
    "transformers": frozenset({"frequency penalty", "presence penalty", "DRY", "top-n-sigma", "XTC", "mirostat"}),
    "llama.cpp": frozenset({"no-repeat n-gram", "epsilon", "eta"}),
    "vllm": frozenset({"no-repeat n-gram", "DRY", "top-n-sigma", "typical-p", "epsilon", "eta", "XTC", "mirostat"}),
}
LAST_N: Final = {"llama.cpp": 64}  # tokens that the penalties and DRY read, in engines that do not read the whole text
