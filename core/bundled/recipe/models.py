"""The shapes of the bundled models: ordinary Llama, so that every tool can load them."""

from __future__ import annotations

from transformers import LlamaConfig

from core.bundled.recipe.tokenizer import CONTEXT, VOCABULARY

# Eight heads share four key-value heads (grouped-query attention), which halves the cache.
STORYTELLER = {"hidden_size": 256, "intermediate_size": 640, "num_hidden_layers": 7, "num_attention_heads": 8, "num_key_value_heads": 4}
MINI = {"hidden_size": 96, "intermediate_size": 256, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2}

SHAPES = {"storyteller": STORYTELLER, "storyteller-mini": MINI, "storyteller-mini-alone": MINI}
CHECKPOINTS = {"storyteller": "checkpoint.pt", "storyteller-mini": "mini.pt", "storyteller-mini-alone": "alone.pt"}


def config(shape: dict[str, int], bos: int, eos: int, vocabulary: int = VOCABULARY) -> LlamaConfig:
    """A Llama configuration of this shape, with tied embeddings."""
    return LlamaConfig(
        **shape,
        vocab_size=vocabulary,
        head_dim=shape["hidden_size"] // shape["num_attention_heads"],
        max_position_embeddings=CONTEXT,
        tie_word_embeddings=True,
        bos_token_id=bos,
        eos_token_id=eos,
        pad_token_id=eos,
        attn_implementation="sdpa",
    )
