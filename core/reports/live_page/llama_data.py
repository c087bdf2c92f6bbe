"""What a live page holds of a model: the shape, the byte planes of the weights, and the tokenizer. Refuses what the page cannot compute."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from core.backends.decoder_families import parts_of
from core.backends.decoder_parts import Layer, Norm, Parts, Projection
from core.backends.fast_decoder import FastDecoder
from core.engine.model import LanguageModel
from core.errors import NotForThisModel
from core.message import Message, quote
from core.sources.source import Source

MOST_BYTES = 64_000_000  # of stored weights
MOST_TOKENS = 2**20  # of the vocabulary; sampling.js sorts tokens by numbers of 52 bits
GPT2_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]"
IN_JAVASCRIPT = {r"\s": r"\p{White_Space}", r"\S": r"\P{White_Space}", r"\b": f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"}
ONLY_ELSEWHERE = re.compile(r"[+*?]\+|\d\}\+|\(\?>|\(\?i|\\[AzZhHRKGX]|&&|\[\[")  # what JavaScript's patterns lack


@dataclass(frozen=True, slots=True)
class LlamaData:
    """shape, tokenizer: as llama.js and tokenizer.js read them. planes: upper bytes of the weights as float32, all lowest ones first."""

    shape: dict[str, Any]
    tokenizer: dict[str, Any]
    planes: bytes


def checked_model(model: Source) -> tuple[LanguageModel, Parts, dict[str, Any]]:
    """Return the model, its parts and its tokenizer. Raises NotForThisModel with the reason and the size of the weights."""
    if not isinstance(model, LanguageModel):
        raise NotForThisModel("A live page needs the weights of a model, and {name} is a recording or runs on a server.", name=_name(model))
    if model.parameter_count * 2 > MOST_BYTES:
        raise _refusal(model, model.parameter_count * 2, Message("it is too large"))
    backend = model.engine.backend
    parts = backend.parts if isinstance(backend, FastDecoder) else parts_of(model.load_network())
    if parts is None or not _is_llama(parts) or model.vocabulary_size > MOST_TOKENS:
        raise _refusal(model, model.weight_bytes, Message("its architecture is another one"))
    tokenizer = _tokenizer(model)
    if tokenizer is None:
        raise _refusal(model, model.weight_bytes, Message("its tokenizer is not a byte-level BPE"))
    return model, parts, tokenizer


def llama_data(model: LanguageModel, parts: Parts, tokenizer: dict[str, Any]) -> LlamaData:
    """Return what the page holds of a checked model. Raises NotForThisModel for weights that need more than 16 bits and are too large."""
    planes = _planes(parts)
    if len(planes) > MOST_BYTES:
        raise _refusal(model, len(planes), Message("it is too large"))
    return LlamaData(_shape(model, parts), tokenizer, planes)


def _refusal(model: LanguageModel, size: int, reason: Message) -> NotForThisModel:
    sentence = Message("A live page cannot hold {name} ({size} MB): {reason}. It takes Llama models of at most {most} MB.")
    megabytes = {"size": round(size / 1e6), "most": round(MOST_BYTES / 1e6)}
    return NotForThisModel(sentence.with_values(name=_name(model), reason=reason, **megabytes))


def _name(model: Source) -> str:
    """Return the last part of a model's name: a folder's path is nobody else's."""
    return quote(PurePath(model.name.replace("\\", "/")).name)


def _is_llama(parts: Parts) -> bool:
    """Return whether llama.js computes the same as a decoder of these parts."""
    rotary = parts.rotaries[0] if len(parts.rotaries) == 1 else None
    turns_all = rotary is not None and rotary.scale == 1 and 2 * len(rotary.frequencies) == parts.head_size
    scales = {parts.embedding_scale, parts.residual_scale, parts.logit_scale} == {1.0}
    plain = scales and parts.positions is None and parts.logit_softcap is None and _is_plain(parts.head) and _is_rms(parts.norm)
    return turns_all and plain and all(map(_is_llama_layer, parts.layers)) and len({layer.scaling for layer in parts.layers}) == 1


def _is_llama_layer(layer: Layer) -> bool:
    norms = _is_rms(layer.attention_norm) and _is_rms(layer.feed_forward_norm)
    more = (layer.attention_post_norm, layer.feed_forward_post_norm, layer.head_norms, layer.softcap, layer.window)
    projections = all(map(_is_plain, (*layer.qkv, layer.o, *layer.gate_up, layer.down)))
    return (
        norms and projections and set(more) == {None} and layer.act == "silu" and layer.gated and not layer.parallel and layer.rotary == 0
    )


def _is_plain(projection: Projection) -> bool:
    return projection.bias is None and projection.order is None


def _is_rms(norm: Norm | None) -> bool:
    return norm is not None and norm.bias is None and not norm.centred and len(norm.weight) == 1


def _shape(model: LanguageModel, parts: Parts) -> dict[str, Any]:
    return {
        "hidden": parts.hidden_size,
        "heads": parts.heads,
        "kvHeads": parts.kv_heads,
        "headSize": parts.head_size,
        "intermediate": parts.intermediate_size,
        "layers": len(parts.layers),
        "vocabulary": model.vocabulary_size,
        "context": model.context_length,
        "epsilon": parts.norm.epsilon,
        "scaling": parts.layers[0].scaling,
        "frequencies": parts.rotaries[0].frequencies.tolist(),
        "tied": _is_tied(parts),
    }


def _is_tied(parts: Parts) -> bool:
    return parts.head.weight.data_ptr() == parts.embedding.data_ptr()


def _weights(parts: Parts) -> Iterator[np.ndarray]:
    """Yield the weights in the order of llama.js, float32."""
    yield parts.embedding.float().numpy()
    for layer in parts.layers:
        assert layer.attention_norm is not None and layer.feed_forward_norm is not None
        for norm, projections in (
            (layer.attention_norm, (*layer.qkv, layer.o)),
            (layer.feed_forward_norm, (*layer.gate_up, layer.down)),
        ):
            yield norm.weight
            yield from (projection.weight.float().numpy() for projection in projections)
    yield parts.norm.weight
    if not _is_tied(parts):
        yield parts.head.weight.float().numpy()


def _planes(parts: Parts) -> bytes:
    """Return the bytes of all weights by significance, without the lowest ones that are 0 in all: two planes are left of bfloat16."""
    weights = np.concatenate([np.asarray(weight, dtype="<f4").ravel() for weight in _weights(parts)])
    columns = weights.view(np.uint8).reshape(-1, 4)
    lowest = next((plane for plane in range(3) if columns[:, plane].any()), 3)
    return columns[:, lowest:].T.tobytes()


def _tokenizer(model: LanguageModel) -> dict[str, Any] | None:
    """Return what tokenizer.js reads, None for a tokenizer that it does not know."""
    backend = getattr(model.tokenizer, "backend_tokenizer", None)
    described = json.loads(backend.to_str()) if backend is not None else {}
    kind, pattern = described.get("model", {}), _pattern(described.get("pre_tokenizer") or {})
    extra = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback")
    added = described.get("added_tokens", [])
    if kind.get("type") != "BPE" or described.get("normalizer") or pattern is None or any(kind.get(name) for name in extra):
        return None
    if any(token["single_word"] or token["lstrip"] or token["rstrip"] for token in added):
        return None
    ids = {**kind["vocab"], **{token["content"]: token["id"] for token in added}}
    names = {number: name for name, number in ids.items()}
    prefix = model.encode("")
    if model.encode("a")[: len(prefix)] != prefix or len(model.encode("a")) != len(prefix) + 1:  # or marks stand after a text
        return None
    pairs = [pair.split(" ") if isinstance(pair, str) else pair for pair in kind["merges"]]
    return {
        "tokens": [names.get(number, "") for number in range(model.vocabulary_size)],
        "merges": [[ids[first], ids[second]] for first, second in pairs],
        "special": [number for number in range(model.vocabulary_size) if model.token(number).special],
        "added": [[token["content"], token["id"]] for token in added],
        "prefix": prefix,
        "pattern": pattern,
        "whole": bool(kind.get("ignore_merges")),
        "ends": sorted(model.end_token_ids),
    }


def _pattern(step: dict[str, Any]) -> str | None:
    """Return the pattern of words of a pre-tokenizer as JavaScript has it; None for an unknown one."""
    steps = step.get("pretokenizers", [step])
    last = steps[-1]
    if last.get("type") != "ByteLevel" or last.get("add_prefix_space") or len(steps) > 2:
        return None
    if len(steps) == 1:
        return _in_javascript(GPT2_WORDS) if last.get("use_regex", True) else r"[\s\S]+"
    split = steps[0]
    written = (split.get("pattern") or {}).get("Regex")
    plain = (
        split.get("type") == "Split" and split.get("behavior") == "Isolated" and not split.get("invert") and not last.get("use_regex", True)
    )
    return _in_javascript(written) if plain and written and not ONLY_ELSEWHERE.search(written) else None


def _in_javascript(pattern: str) -> str:
    r"""Return a pattern whose classes of spaces and words are those of Unicode, as in the tokenizer.

    >>> _in_javascript(r"[^\s\p{L}]+|\S")
    '[^\\p{White_Space}\\p{L}]+|\\P{White_Space}'
    """
    return re.sub(r"\\.", lambda match: IN_JAVASCRIPT.get(match[0], match[0]), pattern)
