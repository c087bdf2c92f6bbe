"""Small models with random weights, one per way of building a language model, saved as the folders that `load_model` reads.

Nothing is downloaded. The tokenizers learn their merges from a few sentences. The weights come from a seed, so they never change. They are
drawn wide enough that the probabilities are far from uniform: a test that compares them with something else can fail.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

CONTEXT = 64
SENTENCES = [
    "Once upon a time there was a small dragon who could not breathe fire.",
    "The capital of France is Paris, and the capital of Japan is Tokyo.",
    "She looked at the sea. The sea looked back, grey and wide and quiet.",
    "one two three four five six seven eight nine ten eleven twelve",
    "A fox 🦊 met a bear 🐻 in the snow; they shared a cup of tea ☕.",
    "昔々、あるところにお爺さんとお婆さんがいました。",
    "从前有一座山，山里有一座庙。",
    "Ein Bär ißt süße Äpfel. Où est la forêt ?",
]


def byte_level_tokenizer(vocabulary: int = 360) -> transformers.PreTrainedTokenizerFast:
    """Byte-level BPE as GPT-2 has it: every byte is in the alphabet, so every text can be written."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=["<|start|>", "<|end|>", "<|turn|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<|start|>", eos_token="<|end|>")


def sentence_piece_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Pieces with byte fallback as Llama 2 has them: `▁` for a space, one put before the text, `<0xE2>` for what no piece covers."""
    learned = Tokenizer(models.BPE())
    learned.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="never")
    learned.train_from_iterator([s for s in SENTENCES if s.isascii()], trainers.BpeTrainer(vocab_size=120, show_progress=False))
    merges = [pair.split(" ") if isinstance(pair, str) else pair for pair in _spec(learned)["model"]["merges"]]
    names = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]
    names += sorted(learned.get_vocab(), key=learned.get_vocab().__getitem__)
    tokenizer = Tokenizer(
        models.BPE(
            vocab={name: i for i, name in enumerate(names)},
            merges=[(left, right) for left, right in merges],
            unk_token="<unk>",
            byte_fallback=True,
            fuse_unk=True,
        )
    )
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    tokenizer.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(content=" ", left=1, right=0)]
    )
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in ("<unk>", "<s>", "</s>")])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def rewriting_tokenizer() -> transformers.PreTrainedTokenizerFast:
    """Words made small and plain before they are cut, and unknown ones given up: what is read cannot be had back from the tokens alone."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Lowercase(), normalizers.NFD(), normalizers.StripAccents()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        SENTENCES, trainers.WordPieceTrainer(vocab_size=200, special_tokens=["[UNK]", "[END]"], show_progress=False)
    )
    return transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="[END]", unk_token="[UNK]")


def _spec(tokenizer: Tokenizer) -> dict[str, Any]:
    return json.loads(tokenizer.to_str())


SHAPE = {"hidden_size": 32, "num_hidden_layers": 3, "max_position_embeddings": CONTEXT}
ALTERNATING = ["sliding_attention", "full_attention"] * 2
GROUPED = SHAPE | {"intermediate_size": 48, "num_attention_heads": 4, "num_key_value_heads": 2}

# What each stands for: grouped queries, learned positions, one key-value head for all, ALiBi, sliding windows, soft caps,
# experts, convolutions beside attention, state spaces, compressed keys and values.
ARCHITECTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("LlamaConfig", GROUPED),
    "gpt2": ("GPT2Config", {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": CONTEXT}),
    "gpt_bigcode": ("GPTBigCodeConfig", {"n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": CONTEXT, "multi_query": True}),
    "bloom": ("BloomConfig", {"hidden_size": 32, "n_layer": 3, "n_head": 4, "seq_length": CONTEXT}),
    "mpt": ("MptConfig", {"d_model": 32, "n_layers": 3, "n_heads": 4, "max_seq_len": CONTEXT, "expansion_ratio": 2}),
    "falcon": ("FalconConfig", SHAPE | {"num_attention_heads": 4, "multi_query": True, "alibi": True, "bias": False}),
    "mistral": ("MistralConfig", GROUPED | {"sliding_window": 8}),
    "gemma2": (
        "Gemma2Config",
        GROUPED | {"head_dim": 8, "sliding_window": 8, "attn_logit_softcapping": 5.0, "final_logit_softcapping": 4.0},
    ),
    "gemma3": ("Gemma3TextConfig", GROUPED | {"head_dim": 8, "sliding_window": 8}),
    "qwen3": ("Qwen3Config", GROUPED | {"head_dim": 16}),
    "mixtral": ("MixtralConfig", GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "olmoe": ("OlmoeConfig", GROUPED | {"num_experts": 4, "num_experts_per_tok": 2}),
    "gpt_oss": ("GptOssConfig", GROUPED | {"head_dim": 8, "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 8}),
    "lfm2": ("Lfm2Config", GROUPED | {"full_attn_idxs": [1], "block_ff_dim": 48, "block_auto_adjust_ff_dim": False}),
    "mamba": ("MambaConfig", {"hidden_size": 32, "num_hidden_layers": 3, "state_size": 8}),
    "gpt_neox": ("GPTNeoXConfig", SHAPE | {"intermediate_size": 48, "num_attention_heads": 4}),
    "phi3": ("Phi3Config", GROUPED),
    "deepseek_v3": (
        "DeepseekV3Config",
        SHAPE
        | {"intermediate_size": 48, "moe_intermediate_size": 16, "num_attention_heads": 4, "num_key_value_heads": 4}
        | {"q_lora_rank": 12, "kv_lora_rank": 12, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8}
        | {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1},
    ),
    # Layers of different sizes, shared keys and values, chunks, indexers, and recurrences beside or instead of attention.
    "gemma4": (
        "Gemma4TextConfig",
        GROUPED
        | {"num_hidden_layers": 4, "head_dim": 8, "global_head_dim": 16, "num_global_key_value_heads": 1, "sliding_window": 8}
        | {"layer_types": ALTERNATING, "num_kv_shared_layers": 0, "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 365},
    ),
    "gemma3n": (
        "Gemma3nTextConfig",
        GROUPED
        | {"num_hidden_layers": 4, "head_dim": 8, "sliding_window": 8, "layer_types": ALTERNATING, "num_kv_shared_layers": 2}
        | {"hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 365, "laurel_rank": 4, "altup_num_inputs": 2},
    ),
    "llama4_text": (
        "Llama4TextConfig",
        GROUPED
        | {"num_local_experts": 2, "attention_chunk_size": 8, "head_dim": 8, "intermediate_size_mlp": 48}
        | {"no_rope_layers": [1, 0, 1]},
    ),
    "deepseek_v32": (
        "DeepseekV32Config",
        SHAPE
        | {"intermediate_size": 48, "moe_intermediate_size": 16, "num_attention_heads": 4, "num_key_value_heads": 4}
        | {"q_lora_rank": 12, "kv_lora_rank": 12, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8}
        | {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "first_k_dense_replace": 1}
        | {"index_n_heads": 2, "index_head_dim": 8, "index_topk": 128},
    ),
    "falcon_h1": (
        "FalconH1Config",
        GROUPED | {"mamba_d_ssm": 32, "mamba_n_heads": 4, "mamba_d_head": 8, "mamba_d_state": 8, "mamba_n_groups": 1},
    ),
    "qwen3_next": (
        "Qwen3NextConfig",
        GROUPED
        | {"num_hidden_layers": 4, "head_dim": 8, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8}
        | {"linear_value_head_dim": 8, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
        | {"shared_expert_intermediate_size": 16},
    ),
}
DEFAULT = {"gpt2", "gemma2", "mixtral", "mamba"}  # a classic one, one with sliding windows, one with experts, a recurrent one
FULL_ATTENTION = ["llama", "gpt2", "gpt_bigcode", "bloom", "mpt", "falcon", "qwen3", "mixtral", "olmoe", "gpt_neox", "phi3"]
SENTENCE_PIECE = {"llama", "gemma2", "mixtral", "phi3"}


# Three Llamas with a byte-level tokenizer and a longer context: the small one is the large one without its last layer and shares its
# tokenizer, "other tokens" cuts texts into shorter tokens.
LONGER: dict[str, dict[str, Any]] = {"large": {}, "small": {"num_hidden_layers": 2}, "other tokens": {"vocabulary": 290}}


def some(names: Iterable[Any], default: Iterable[Any] = DEFAULT) -> list[Any]:
    """Parameters for a test: names in `default` run always, the others only with `-m exhaustive`."""
    usual = set(default)
    return [name if name in usual else pytest.param(*_parts(name), marks=pytest.mark.exhaustive) for name in names]


def _parts(parameter: Any) -> tuple[Any, ...]:
    return parameter if isinstance(parameter, tuple) else (parameter,)


def save(architecture: str, folder: Path, tokenizer: Any = None, **changes: Any) -> Path:
    """Write the model of this architecture, with its tokenizer, into `folder` and return the folder.

    architecture: a name of `ARCHITECTURES` or `LONGER`. changes: settings that replace those of its config.
    """
    if architecture in LONGER:
        return _save_longer(folder, **LONGER[architecture])
    name, shape = ARCHITECTURES[architecture]
    tokenizer = tokenizer or (sentence_piece_tokenizer() if architecture in SENTENCE_PIECE else byte_level_tokenizer())
    ids = {"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id, "pad_token_id": None}
    # Five more rows than the tokenizer has tokens: real models pad their tables too.
    config = getattr(transformers, name)(**({"vocab_size": len(tokenizer) + 5} | shape | ids | changes))
    torch.manual_seed(sum(map(ord, architecture)))
    network = transformers.AutoModelForCausalLM.from_config(config)
    widen(network)
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _save_longer(folder: Path, vocabulary: int = 360, num_hidden_layers: int = 3) -> Path:
    save("llama", folder, byte_level_tokenizer(vocabulary), max_position_embeddings=512)
    if num_hidden_layers < 3:
        large = transformers.AutoModelForCausalLM.from_pretrained(folder)
        config = transformers.AutoConfig.from_pretrained(folder)
        config.num_hidden_layers = num_hidden_layers
        small = transformers.AutoModelForCausalLM.from_config(config)
        small.load_state_dict(large.state_dict(), strict=False)
        small.save_pretrained(folder)
    return folder


def widen(network: torch.nn.Module, spread: float = 0.3) -> None:
    """Draw the weight matrices wide enough that the probabilities are far from uniform."""
    with torch.no_grad():
        for name, weight in network.named_parameters():
            if weight.dim() >= 2 and "A_log" not in name:
                weight.normal_(0.0, spread)


TURN = "<|turn|>{{ m.role }}:\n{{ m.content }}\n"
CHAT = "{% for m in messages %}" + TURN + "{% endfor %}{% if add_generation_prompt %}<|turn|>assistant:\n{% endif %}"


def with_template(source: Path, folder: Path, template: str = CHAT) -> Path:
    """Copy the model in `source` into `folder` with this chat template, and return the folder."""
    shutil.copytree(source, folder)
    path = folder / "tokenizer_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"chat_template": template}))
    return folder
