"""The tokenizer of the bundled models: byte-level BPE, 4,096 tokens, one digit at a time.

Nothing is normalised and all 256 bytes are in the alphabet, so any text is decoded exactly. A space may be joined to the one digit that
follows it (" 4" is one token, the 7 of " 47" another), because digits in columns are easier to learn for sums.
"""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

START, END = "<|start|>", "<|end|>"
VOCABULARY = 4096
CONTEXT = 512
# Words with their space, one digit with its space, runs of signs, white space: GPT-2's idea, with \p{N} instead of \p{N}+.
_CHUNKS = r"""'(?:[sdmt]|ll|ve|re)\b| ?\p{L}[\p{L}\p{M}]*| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def train_tokenizer(texts: Iterable[str], vocabulary: int = VOCABULARY) -> PreTrainedTokenizerFast:
    """Train the tokenizer on texts. It puts `<|start|>` before everything that it encodes."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(_CHUNKS), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=[START, END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    bpe.train_from_iterator(texts, trainer)
    bpe.post_processor = processors.TemplateProcessing(
        single=f"{START} $A", pair=f"{START} $A $B", special_tokens=[(START, bpe.token_to_id(START))]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe, bos_token=START, eos_token=END, pad_token=END, model_max_length=CONTEXT, clean_up_tokenization_spaces=False
    )
