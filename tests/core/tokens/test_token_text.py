"""Tokens give the text back byte for byte, and a character split over several tokens is one character."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from core import load_model
from core.tokens.token_text import ByteJoiner, Token, TokenBytes, visible_text
from tests.tiny_models import rewriting_tokenizer, save

TEXTS = [
    "Once upon a time",
    " leading and trailing ",
    "  two  spaces\n\n\tand lines\r\n",
    "🦊",
    "a 🦊 and a 🐻‍❄️ met 👨‍👩‍👧‍👦, 🏳️‍🌈 and 👍🏽",
    "昔々、ある所に。从前有一座山。옛날 옛적에",
    "e\u0301 is é, n\u0303 is ñ, and Z\u0351\u036b\u0343algo",
    "שלום עולם, مرحبا بالعالم, हिन्दी क्षि",
    "zero\u200bwidth\u200djoiner\ufeff and \u00a0space",
    "\x00\x01\x7f\x85\u2028\u2029",
    "▁ is not a space, Ġ is not one either, <0x41> is no A",
    "½ ﬁ Ⅷ ℌ ｆｕｌｌ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010ffff",
    "<|end|> and </s> written out by a visitor <s>",
]
KINDS = ["gpt2", "llama"]  # byte-level, and sentence pieces with byte fallback


@pytest.fixture(scope="module")
def rewriting(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A model whose tokenizer makes letters small, drops accents and gives up on words it does not know."""
    return load_model(str(save("gpt2", tmp_path_factory.mktemp("rewriting"), rewriting_tokenizer())), device="cpu")


@pytest.mark.parametrize("architecture", KINDS)
@pytest.mark.parametrize("text", TEXTS)
def test_the_tokens_of_a_text_join_to_that_text(architecture: str, text: str, tiny: Any) -> None:
    tokens = tiny(architecture).tokenize(text)
    assert all(isinstance(token, Token) for token in tokens)
    assert "".join(token.text for token in tokens) == text


@pytest.mark.parametrize("architecture", KINDS)
@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40))
def test_any_text_comes_back(architecture: str, text: str, tiny: Any) -> None:
    assert "".join(token.text for token in tiny(architecture).tokenize(text)) == text


@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40) | st.sampled_from(TEXTS))
def test_any_text_comes_back_from_a_tokenizer_that_rewrites_it(text: str, rewriting: Any) -> None:
    tokens = rewriting.tokenize(text)
    assert "".join(token.text for token in tokens) == (text if tokens else "")


@pytest.mark.parametrize("architecture", KINDS)
def test_an_emoji_split_over_tokens_reads_as_one_and_its_pieces_as_bytes(architecture: str, tiny: Any) -> None:
    tokens = tiny(architecture).tokenize("🪿")
    visible = [token for token in tokens if not token.special and token.raw.strip(b" ")]
    assert len(visible) > 1
    assert [token.text for token in tokens if token.text] == ["🪿"]
    assert visible[-1].text == "🪿"
    assert b"".join(token.raw for token in visible).decode() in ("🪿", " 🪿")
    assert "".join(token.piece for token in visible).replace("␣", "") == "⟨F0⟩⟨9F⟩⟨AA⟩⟨BF⟩"
    assert not any("\ufffd" in token.text + token.piece for token in tokens)


def test_special_tokens_are_named_and_add_no_text(tiny: Any) -> None:
    model = tiny("gpt2")
    for token_id in model.end_token_ids:
        token = model.token(token_id)
        assert token.special
        assert token.text == ""
        assert token.piece
        assert model.piece(token_id) == token.piece
        assert model.text_of([*model.encode("the sea"), token_id]) == "the sea"


@pytest.mark.parametrize("architecture", KINDS)
def test_every_id_of_the_vocabulary_can_be_written(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    for token_id in range(model.vocabulary_size):
        token = model.token(token_id)
        assert token.token_id == token_id
        assert isinstance(token.raw, bytes)
        assert token.piece, f"token {token_id} has nothing to show"
        assert "\ufffd" not in token.piece + token.text
        assert not set(token.piece) & set(" \n\t\r"), f"token {token_id} hides whitespace"


@pytest.mark.parametrize("architecture", KINDS)
@budget(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_sequence_of_tokens_has_a_text_without_replacement_characters(architecture: str, data: Any, tiny: Any) -> None:
    model = tiny(architecture)
    ids = data.draw(st.lists(st.integers(0, model.vocabulary_size - 1), max_size=12))
    text = model.text_of(ids)
    assert "\ufffd" not in text
    assert text == ByteJoiner().add(b"".join(model.token(i).raw for i in ids if not model.token(i).special)) or architecture == "llama"


@given(text=st.text(max_size=30), cuts=st.lists(st.integers(0, 120), max_size=8))
def test_a_joiner_gives_the_same_text_wherever_the_bytes_are_cut(text: str, cuts: list[int]) -> None:
    raw = text.encode()
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    joiner = ByteJoiner()
    parts = [joiner.add(raw[start:end]) for start, end in itertools.pairwise(places)]
    assert "".join(parts) == text
    assert joiner.waiting == b""


@given(raw=st.binary(max_size=24), cuts=st.lists(st.integers(0, 24), max_size=6))
def test_a_joiner_shows_bytes_that_are_no_character_and_never_fails(raw: bytes, cuts: list[int]) -> None:
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    joiner = ByteJoiner()
    text = "".join(joiner.add(raw[start:end]) for start, end in itertools.pairwise(places))
    # Python's own decoder decides which bytes are wrong; each is counted once, the unfinished end is still waiting.
    expected, done = codecs.utf_8_decode(raw, "surrogateescape", False)
    written = "".join(f"⟨{ord(c) - 0xDC00:02X}⟩" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in expected)
    assert (text, joiner.waiting) == (written, raw[done:])


def word_piece() -> Tokenizer:
    words = ["[UNK]", "the", "fox", "##es", "ran", ".", "!", "a", "##b"]
    made = Tokenizer(models.WordPiece({word: place for place, word in enumerate(words)}, unk_token="[UNK]"))
    made.pre_tokenizer, made.decoder = pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
    return made


def unigram() -> Tokenizer:
    made = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁the", -1.0), ("▁fo", -2.0), ("xes", -2.0), ("▁", -3.0), ("é", -4.0)], 0))
    made.pre_tokenizer, made.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    made.add_tokens(["▁▁▁", "<x>"])
    return made


def characters() -> Tokenizer:
    made = Tokenizer(models.WordLevel({letter: place for place, letter in enumerate("?thefoxran .")}, unk_token="?"))
    made.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    return made


def suffixes() -> Tokenizer:
    made = Tokenizer(models.BPE({"t": 0, "h": 1, "e</w>": 2, "th": 3, "fox</w>": 4, ".</w>": 5}, [("t", "h")], end_of_word_suffix="</w>"))
    made.decoder = decoders.BPEDecoder()
    return made


@pytest.mark.parametrize("family", [word_piece, unigram, characters, suffixes])
@given(data=st.data())
def test_text_put_together_token_by_token_is_what_decode_returns(family: Callable[[], Tokenizer], data: st.DataObject) -> None:
    """Word pieces, Unigram with added runs of spaces, characters without a decoder, and marks at the end of words."""
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=family())
    ids = [1, *data.draw(st.lists(st.integers(0, len(tokenizer) - 1), max_size=12))]  # a text does not begin within a word
    known = TokenBytes(tokenizer)
    joined = b"".join(known[i] for i in ids).decode()
    assert joined.strip(" ") == tokenizer.decode(ids, clean_up_tokenization_spaces=False).strip(" ")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\ufe0f", "⟨VS16⟩"),
        ("❤\ufe0f", "❤\ufe0f"),
        ("\u200c", "⟨ZWNJ⟩"),
        ("می\u200cروم", "می\u200cروم"),
        ("\u3164", "⟨U+3164⟩"),
        ("\u0301", "◌\u0301"),
        (" \u0301", "␣◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\U000e0101", "⟨U+E0101⟩"),
    ],
)
def test_what_cannot_be_seen_has_a_name(text: str, shown: str) -> None:
    assert visible_text(text.encode()) == shown


def test_a_letter_is_forced_by_its_own_token_and_not_by_the_token_of_its_byte(tiny: Any) -> None:
    model = tiny("llama")
    token = model.token_of("a")
    assert (token.raw, model.tokenizer.convert_ids_to_tokens(token.token_id)) == (b"a", "a")
