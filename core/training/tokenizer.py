"""Train the tokenizer that both bundled models share: byte-level BPE, 4,096 tokens, one digit at a time.

    python -m core.training.tokenizer --corpus TEXTS --run RUN

Nothing is normalised and all 256 bytes are in the alphabet, so any text comes back exactly. A space may stand with the one digit that
follows it (" 4" is one token, and the 7 of " 47" another): digits in columns are what makes sums learnable.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from core.experiments.questions.atlas import CAPITALS
from core.training.corpus import Corpus
from core.training.lessons import document

START, END = "<|start|>", "<|end|>"
VOCABULARY = 4096
CONTEXT = 512
# Words with their space, one digit with its space, runs of signs, white space: GPT-2's idea, with \p{N} instead of \p{N}+.
_CHUNKS = r"""'(?:[sdmt]|ll|ve|re)\b| ?\p{L}[\p{L}\p{M}]*| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""


def texts(corpus: Corpus, lessons: int, share: float = 0.3, seed: int = 0) -> Iterator[str]:
    """Text to count pairs in: that many lessons, and corpus documents up to `share` of all."""
    rng = Random(seed)
    for _ in range(lessons):
        # Corpus documents are about five times as long as a lesson.
        if corpus and rng.random() < share / 4:
            yield corpus.draw(rng).text
        yield document(rng)
    # "Paris" should be one bar on the chart, not " Par" and "is": the well-known capitals are counted as often as common words.
    for name in [*list(CAPITALS.values())[:30], "Tokyo", "Beijing", "Cairo", "Ankara", "Ottawa", "Washington", "Canberra"]:
        yield f" {name}" * 400


def train_tokenizer(texts: Iterator[str], vocabulary: int = VOCABULARY) -> PreTrainedTokenizerFast:
    """Train a byte-level BPE on texts; `<|start|>` is prepended to everything that is encoded."""
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, help="folder of plain text files")
    parser.add_argument("--run", type=Path, required=True, help="folder for the results, outside git")
    parser.add_argument("--lessons", type=int, default=30_000, help="how many lessons to count pairs in")
    arguments = parser.parse_args()
    tokenizer = train_tokenizer(texts(Corpus(arguments.corpus), arguments.lessons))
    tokenizer.save_pretrained(arguments.run / "tokenizer")
    print(f"{len(tokenizer)} tokens in {arguments.run / 'tokenizer'}")


if __name__ == "__main__":
    main()
