"""The tokenizer that a GGUF file describes in its own metadata, as an ordinary tokenizer.json.

`tokenizer.ggml.pre` names the expressions that split a text before byte pairs are merged. Only those that agree with llama.cpp's own test
vectors are known here. Files with another one are for llama-server.

transformers' own reader (`gguf_file=`) does not agree with these vectors: it splits some numbers of SmolLM otherwise, merges whole words
of Llama 3, and drops a space before a text of Llama 2.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from core.message import Message

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_CONTRACTIONS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])|"
_WORDS = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_LLAMA3 = _CONTRACTIONS + r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}" + _WORDS
_QWEN2 = _CONTRACTIONS + r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}" + _WORDS
# From llama.cpp's llama-vocab.cpp (MIT): the expressions. Each one splits the parts that the one before it made.
SPLITS: dict[str, tuple[str, ...]] = {
    "gpt-2": (_GPT2,),
    "smollm": (r"\p{N}", _GPT2),
    "starcoder": (r"\p{N}", _GPT2),
    "refact": (r"\p{N}", _GPT2),
    "command-r": (r"\p{N}", _GPT2),
    "llama-bpe": (_LLAMA3,),
    "llama3": (_LLAMA3,),
    "llama-v3": (_LLAMA3,),
    "qwen2": (_QWEN2,),
    "deepseek-r1-qwen": (_QWEN2,),
}
_WHOLE_WORDS = ("llama-bpe", "llama3", "llama-v3")  # a word that is a token is not merged
# Tokenizers whose texts begin with the start token if the file does not say otherwise; those that are not in SPLITS are for llama-server.
_STARTS = {*_WHOLE_WORDS, "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2", "jina-v5-nano", "tekken", "chameleon"}
_NORMAL, _UNKNOWN, CONTROL, USER, _BYTE = 1, 2, 3, 4, 6
MARKS = {"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "pad_token": "padding"}
# As in llama.cpp: ids of a file that names none, by the kind of tokenizer; and tokens that end an answer whatever their type in the file.
_DEFAULTS = {"llama": {"bos": 1, "eos": 2, "unknown": 0}, "gpt2": {"bos": 11, "eos": 11}}
_ENDS = frozenset(
    "<|eot_id|> <|im_end|> <|end|> <|return|> <|call|> <|flush|> <|calls|> <end_of_turn> <|endoftext|> </s> <|eom_id|> <EOT> _<EOT> [EOT] "
    "[EOS] <|end_of_text|> <end_of_utterance> <eos> <turn|> <|tool_response> <｜end▁of▁sentence｜> [e~[ <|fim_pad|> <fim-pad> <fim_pad> "
    "<PAD> [PAD] <|fim_repo|> <|repo_name|> <fim-repo> <REPO> <reponame> <|file_sep|>".split()
)
_MARK = re.compile(r"<\|[^\s|<>]+\|>")  # a token in a chat template that no word looks like
_NUMBERED_ENDS = ("eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep")


def why_no_tokenizer(metadata: dict[str, Any]) -> Message | None:
    """Return why no tokenizer can be built from this metadata, as the second half of a sentence; None if it can."""
    kind, pre = metadata.get("tokenizer.ggml.model"), metadata.get("tokenizer.ggml.pre", "")
    tokens = _items(metadata, "tokens", str)
    if not tokens or len(_items(metadata, "token_type", int)) != len(tokens):
        return Message("it has no list of tokens")
    if kind == "gpt2":
        if pre not in SPLITS:
            return Message("its tokenizer splits texts by the rule {rule}, which this app does not know", rule=str(pre)[:40] or "?")
        if not _items(metadata, "merges", str):
            return Message("its tokenizer has no list of merges")
    elif kind == "llama":
        if len(_items(metadata, "scores", float, int)) != len(tokens):
            return Message("its tokenizer has no list of scores")
    else:
        return Message("its tokenizer is of the kind {kind}, which this app does not know", kind=str(kind)[:40])
    return None if len(set(tokens)) == len(tokens) else Message("it has a token twice")


def _items(metadata: dict[str, Any], key: str, *types: type) -> list[Any]:
    """Return a list of the tokenizer, [] if it is missing or has items of other types."""
    items = metadata.get(f"tokenizer.ggml.{key}")
    return items if isinstance(items, list) and set(map(type, items)) <= set(types) else []


def special_id(metadata: dict[str, Any], name: str) -> int | None:
    """Return the id of a special token ("bos", "padding"). An id outside of the vocabulary, such as -1, is llama.cpp's default or None."""
    count = len(_items(metadata, "tokens", str))
    default = _DEFAULTS.get(metadata.get("tokenizer.ggml.model", ""), {}).get(name)
    numbers = (metadata.get(f"tokenizer.ggml.{name}_token_id"), default)
    return next((number for number in numbers if type(number) is int and 0 <= number < count), None)


def types_of(metadata: dict[str, Any]) -> list[int]:
    """Return the type of each token. As in llama.cpp, a token that ends an answer is a control token, whatever the file says.

    So is a normal one such as <|im_start|> that the chat template writes. Models were trained with the whole token.
    """
    tokens, types = _items(metadata, "tokens", str), _items(metadata, "token_type", int)
    changed = dict.fromkeys(_named_ends(tokens), CONTROL)
    written = set(_MARK.findall(str(metadata.get("tokenizer.chat_template", ""))))
    changed |= {token: CONTROL for token, kind in zip(tokens, types, strict=False) if kind == _NORMAL and token in written}
    if "</s>" not in changed:
        changed["</s>"] = _NORMAL
    return [changed.get(token, kind) for token, kind in zip(tokens, types, strict=False)]


def _named_ends(tokens: list[str]) -> set[str]:
    """Return the tokens that llama.cpp takes for ends of an answer by their names."""
    vocabulary = set(tokens)
    ends = vocabulary & _ENDS
    if vocabulary & {"<|call|>", "<|calls|>"} and vocabulary & {"<|return|>", "<|flush|>"}:
        ends.discard("<|end|>")  # gpt-oss and Solar end each message with it, and go on
    if vocabulary & {"<|tool_response>", "<|plamo:eos|>"}:
        ends.discard("</s>")  # Gemma 4 and PLaMo have it as an ordinary word
    return ends


def end_tokens(metadata: dict[str, Any]) -> list[int]:
    """Return all tokens that end a text or an answer, as llama.cpp finds them: by their numbers in the metadata and by their names."""
    numbers = [special_id(metadata, name) for name in _NUMBERED_ENDS]
    tokens = _items(metadata, "tokens", str)
    ends = _named_ends(tokens)
    numbers += [number for number, token in enumerate(tokens) if token in ends]
    return list(dict.fromkeys(i for i in numbers if i is not None and tokens[i] not in _ENDS - ends))


def starts_text(metadata: dict[str, Any]) -> bool:
    """Return whether a text begins with the start token, by the file or by the kind of its tokenizer."""
    usual = metadata.get("tokenizer.ggml.model") == "llama" or metadata.get("tokenizer.ggml.pre") in _STARTS
    return metadata.get("tokenizer.ggml.add_bos_token", usual) is True


def chat_template_of(metadata: dict[str, Any]) -> str | None:
    """Return the file's chat template. As in llama.cpp, the start token comes first even if the template does not write it."""
    template = metadata.get("tokenizer.chat_template")
    if not isinstance(template, str):
        return None
    if not starts_text(metadata) or special_id(metadata, "bos") is None:
        return template
    body = template.removesuffix("\n")
    # jinja removes the line break after a block; the + keeps the white space before one
    first = "{{ '' if conversation.startswith(bos_token) else bos_token }}"
    return "{% set conversation %}\n" + body + "{%+ endset %}" + first + "{{ conversation }}"


def write_tokenizer(metadata: dict[str, Any], folder: Path) -> None:
    """Write the tokenizer of this metadata, which `why_no_tokenizer` accepts, into a folder. Raises ValueError if the result differs
    from the file's own list of tokens."""
    from tokenizers import AddedToken

    tokens, types = metadata["tokenizer.ggml.tokens"], types_of(metadata)
    tokenizer = _sentence_piece(metadata) if metadata["tokenizer.ggml.model"] == "llama" else _byte_pairs(metadata)
    for number, kind in enumerate(types):
        if kind in (CONTROL, USER):
            tokenizer.add_tokens([AddedToken(tokens[number], special=kind == CONTROL, normalized=False)])
    tokenizer.post_processor = _start_and_end(metadata)
    vocabulary = tokenizer.get_vocab()
    if any(vocabulary.get(token) != number for number, token in enumerate(tokens)):
        raise ValueError("the tokenizer has other tokens than the file")
    tokenizer.save(str(folder / "tokenizer.json"))
    settings: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    for mark, name in MARKS.items():
        named = special_id(metadata, name)
        if named is not None:
            settings[mark] = tokens[named]
    template = chat_template_of(metadata)
    if template is not None:
        settings["chat_template"] = template
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), "utf-8")


def _byte_pairs(metadata: dict[str, Any]) -> Any:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    tokens, pre = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.pre"]
    merges = [tuple(merge.split(" ", 1)) for merge in metadata["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges, ignore_merges=pre in _WHOLE_WORDS))
    splits = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in SPLITS[pre]]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*splits, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _sentence_piece(metadata: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers

    tokens, types = metadata["tokenizer.ggml.tokens"], types_of(metadata)
    scores = metadata["tokenizer.ggml.scores"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    plain = {token for token, kind in zip(tokens, types, strict=True) if kind not in (_UNKNOWN, CONTROL, USER, _BYTE)}
    merges = []
    for number, token in enumerate(tokens):
        if token in plain:
            pairs = ((token[:cut], token[cut:]) for cut in range(1, len(token)))
            merges += [(scores[number], pair) for pair in pairs if pair[0] in plain and pair[1] in plain]
    ranked = [pair for _score, pair in sorted(merges, key=lambda merge: (-merge[0], vocabulary[merge[1][0]], vocabulary[merge[1][1]]))]
    unknown = special_id(metadata, "unknown") or 0
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=ranked, unk_token=tokens[unknown], fuse_unk=True, byte_fallback=True))
    space = normalizers.Replace(" ", "▁")
    prefix = bool(metadata.get("tokenizer.ggml.add_space_prefix", True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), space]) if prefix else space
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    tokenizer.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    return tokenizer


def _start_and_end(metadata: dict[str, Any]) -> Any:
    """Return what puts the start token before a text and the end token after it, where the file asks for it."""
    from tokenizers import processors

    sentence_piece, first = metadata["tokenizer.ggml.model"] == "llama", starts_text(metadata)
    last = metadata.get("tokenizer.ggml.add_eos_token", False)
    start, end = (special_id(metadata, name) for name in ("bos", "eos"))
    tokens = metadata["tokenizer.ggml.tokens"]
    marks = [(tokens[i], i) for i, wanted in ((start, first), (end, last)) if wanted and i is not None]
    begin = [tokens[start]] if first and start is not None else []
    close = [tokens[end]] if last and end is not None else []
    if not marks:
        return processors.ByteLevel(trim_offsets=False) if not sentence_piece else processors.TemplateProcessing("$A", "$A $B", [])
    template = [*begin, "$A", *close]
    return processors.TemplateProcessing(single=template, pair=[*template, "$B"], special_tokens=list(dict.fromkeys(marks)))
