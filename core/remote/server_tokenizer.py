"""The tokenizer of a model on a server, asked over HTTP. No file of the model is needed on this machine; a GGUF file can fill it.

llama-server, vLLM and SGLang split texts (`/tokenize`) and join tokens (`/detokenize`). Joined text is not enough for a token that ends
within a character. llama-server gives the bytes of such tokens where it lists them, vLLM their names where it splits a text. Both are
cached here. SGLang gives neither, so such tokens stay without bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any

from core.errors import ServerGone, WrongServer
from core.remote.http_client import HttpClient
from core.remote.protocol import answer_bytes
from core.tokens.token_text import BYTE, END_MARKS, bytes_of_name

LARGEST = 4_000_000  # tokens of a vocabulary
LONGEST_TOKEN = 1_000  # bytes
MOST_HELD = 2**26  # bytes of all known tokens together
PADDING = 128
BLOCK = 256  # neighbouring tokens whose texts are asked for at once
SEPARATOR = "␂"  # put between them; no usual token contains it
RARE = "".join(chr(0x1400 + k) + chr(0x1F900 + k) for k in range(64)) + "".join(
    map(chr, range(0xA0, 0x800, 24))
)  # many parts of characters
JOINED = {"llama-server": "content", "vLLM": "prompt", "SGLang": "text"}  # where /detokenize puts its text
JOINING: dict[str, dict[str, Any]] = {"llama-server": {}, "vLLM": {}, "SGLang": {"skip_special_tokens": False}}
UNKNOWN = "\ufffd"  # what a server writes for a part of a character
MARK = re.compile(r"<[|｜]?[\w:./ -]{1,40}[|｜]?>|\[[A-Z_]{2,20}\]")  # how special tokens are written


def size_by_texts(client: HttpClient, model_id: str, kind: str) -> int:
    """Return the number of tokens that a vLLM or SGLang server can write as texts, found by halving. They do not report it.

    It writes nothing for a number without a token. Networks have vectors for a multiple of PADDING. Raises ServerGone, WrongServer.
    """

    def written(token_id: int) -> bool:
        content = {"model": model_id, "tokens": list(range(token_id, token_id + 8)), **JOINING[kind]}
        answer = client.post("/detokenize", content, patience=15.0)
        return answer.status == 200 and bool(answer.body.get(JOINED[kind]))

    low, high = 0, 1024
    while written(high):
        low, high = high, 2 * high
        if high > LARGEST:
            raise WrongServer(
                "The vocabulary of the server at {address} has more than {most} tokens. This app does not accept so many.",
                address=client.address.shown,
                most=LARGEST,
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if written(middle) else (low, middle)
    return -(-(low + 1) // PADDING) * PADDING


class ServerTokenizer:
    """A tokenizer with the part of transformers' interface that `LanguageModel` uses, and with that of `TokenBytes`.

    kind: "llama-server", "vLLM" or "SGLang". size: number of tokens in the vocabulary. names: of all tokens, where a file has them.
    client: to the server, which can be set later. chat_template, special_tokens_map: as the server or the file describes them; None and
    empty if it does not. ends: tokens that end a text. `asked` returns one that was filled by the server's answers.
    """

    is_fast = False
    backend_tokenizer = None
    chat_template: str | None = None
    client: HttpClient

    def __init__(self, size: int, kind: str, model_id: str = "", names: Sequence[str] = ()) -> None:
        self._model_id, self._size, self._kind, self._names = model_id, size, kind, names
        self._native = kind == "llama-server"
        self._known: dict[int, bytes] = {}
        self._held = 0  # bytes of all known tokens
        self._between = ""  # text of the separator
        self._separator: list[int] = []
        self._special: dict[int, bool] = {}
        self._lock = RLock()
        self._halves: set[int] = set()  # tokens that the server writes as a part of a character
        self.list_all: Callable[[], Any] | None = None  # asks a llama-server for a list of all tokens, from which their bytes are learned
        self.special_tokens_map: dict[str, str] = {}
        self.all_special_ids: list[int] = []
        self.ends: frozenset[int] = frozenset()
        self.eos_token_id: int | None = None

    @classmethod
    def asked(cls, client: HttpClient, model_id: str, size: int, kind: str) -> ServerTokenizer:
        """Return the tokenizer of the model on a server. Raises WrongServer if the server does not split texts, ServerGone."""
        tokenizer = cls(size, kind, model_id)
        tokenizer.client = client
        props = tokenizer._description() if tokenizer._native else {}
        template = props.get("chat_template")
        tokenizer.chat_template = template if isinstance(template, str) and len(template) < 200_000 else None
        names = {name: props.get(name) for name in ("bos_token", "eos_token")}
        tokenizer.special_tokens_map = {name: text for name, text in names.items() if isinstance(text, str) and 0 < len(text) <= 100}
        tokenizer._separator = [*tokenizer._split(SEPARATOR)]
        once, twice = tokenizer._joined(tokenizer._separator), tokenizer._joined(tokenizer._separator * 2)
        tokenizer._between = twice[len(once) :]
        if not tokenizer._separator or SEPARATOR not in tokenizer._between:
            raise WrongServer(
                "The server at {address} does not split texts into tokens. Give the name of its tokenizer.", address=client.address.shown
            )
        tokenizer.ends = frozenset(
            i for text in {*END_MARKS, tokenizer.special_tokens_map.get("eos_token", "")} if (i := tokenizer._mark(text)) >= 0
        )
        tokenizer.eos_token_id = next(iter(sorted(tokenizer.ends)), None)
        tokenizer.all_special_ids = sorted(
            {tokenizer._mark(text) for text in tokenizer.special_tokens_map.values()} - {-1} | tokenizer.ends
        )
        if kind == "vLLM":
            tokenizer._split(RARE)
        tokenizer._special.update(dict.fromkeys(tokenizer.all_special_ids, True))
        return tokenizer

    def fill(self, raw_of: Mapping[int, bytes], special: Iterable[int]) -> None:
        """Take the bytes of these tokens from a file, and which of them are special; the others are not."""
        self._known.update(raw_of)
        self._special.update(dict.fromkeys(raw_of, False) | dict.fromkeys(special, True))

    def _description(self) -> Mapping[str, Any]:
        answer = self.client.get("/props", 15.0)
        return answer.body if answer.status == 200 else {}

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, Any]:
        """Return {"input_ids": ...} as the server splits the text. Raises ServerGone."""
        return {"input_ids": self._split(text, add_special_tokens)}

    def _split(self, text: str, special: bool = False, parsed: bool = True) -> list[int]:
        """Return the tokens of a text, and keep the bytes that the server sends with them. parsed: names of special tokens are tokens."""
        if self._native:
            content: dict[str, Any] = {"content": text, "add_special": special, "parse_special": parsed, "with_pieces": True}
        else:
            content = {"model": self._model_id, "prompt": text, "add_special_tokens": special, "return_token_strs": True}
        answer = self.client.post("/tokenize", content, patience=15.0, most=answer_bytes(4 * len(text), 0))
        tokens = answer.body.get("tokens")
        if answer.status != 200 or not isinstance(tokens, list):
            raise self._refused()
        if self._native:
            sent = [(token.get("id"), token.get("piece")) for token in tokens if isinstance(token, dict)]
            for number, value in sent:
                if type(number) is int and isinstance(value, str | list):
                    self.learn(number, value)
            tokens = [number for number, _value in sent]
        if not all(type(token) is int and 0 <= token < self._size for token in tokens):
            raise self._refused()
        names = answer.body.get("token_strs")
        if self._between and isinstance(names, list) and len(names) == len(tokens):
            for number, name in zip(tokens, names, strict=True):
                if isinstance(name, str) and len(name) <= LONGEST_TOKEN and not self[number]:
                    self.learn(number, list(bytes_of_name(name)))  # the server cannot write this part of a character as a text
        return tokens

    def _refused(self) -> ServerGone:
        return ServerGone("The server at {address} does not split texts into tokens.", address=self.client.address.shown)

    def _joined(self, tokens: list[int]) -> str:
        """Return the text of these tokens. Raises ServerGone."""
        content: dict[str, Any] = {"tokens": tokens, **JOINING[self._kind]}
        if not self._native:
            content["model"] = self._model_id
        answer = self.client.post("/detokenize", content, patience=15.0, most=answer_bytes(0, len(tokens)))
        text = answer.body.get(JOINED[self._kind])
        if answer.status != 200 or not isinstance(text, str):
            raise self._refused()
        return text

    def _mark(self, text: str) -> int:
        """Return the token with this name, -1 if the text is several tokens."""
        ids = self._split(text) if text else []
        return ids[0] if len(ids) == 1 else -1

    def learn(self, token_id: int, content: str | list[int]) -> None:
        """Keep the bytes of a token as the server sent them: a text, or a list of bytes. Anything else is ignored."""
        if type(token_id) is not int or not 0 <= token_id < self._size or not content or len(content) > LONGEST_TOKEN:
            return
        if isinstance(content, str):
            raw = b"" if UNKNOWN in content else content.encode("utf-8", "replace")
        elif isinstance(content, list) and all(type(byte) is int and 0 <= byte <= 255 for byte in content):
            raw = bytes(content)
        else:
            return
        if raw and self._known.get(token_id) != raw and self._held < MOST_HELD:
            self._known[token_id] = raw
            self._held += len(raw)

    def is_special(self, token_id: int) -> bool:
        """Return whether this is a special token rather than text."""
        special = self._special.get(token_id)
        if special is None:
            text = self[token_id].decode("utf-8", "replace")
            special = bool(MARK.fullmatch(text)) and (not self._native or self._split(text, parsed=False) != [token_id])
            self._special[token_id] = special
        return special

    def is_byte(self, token_id: int) -> bool:
        """Return whether this token is one byte of a character, such as <0x61>; False where only texts are known."""
        return bool(self._names) and BYTE.fullmatch(self._names[token_id]) is not None

    def __getitem__(self, token_id: int) -> bytes:
        """Return the bytes of a token; none if the server writes them as a part of a character. Raises ServerGone."""
        if token_id not in self._known:
            with self._lock:
                if token_id not in self._known:
                    first = token_id // BLOCK * BLOCK
                    self._fetch([i for i in range(first, min(first + BLOCK, self._size)) if i not in self._known])
        if token_id in self._halves and not self._known[token_id] and self.list_all is not None:
            with self._lock:
                ask, self.list_all = self.list_all, None  # once
                if ask is not None:
                    ask()
        return self._known[token_id]

    def _fetch(self, ids: list[int]) -> None:
        """Ask for the texts of these tokens, with a separator between them."""
        asked = [*self._separator]
        for token_id in ids:
            asked += [token_id, *self._separator]
        parts = self._joined(asked).split(self._between)[1:-1] if len(ids) > 1 else []
        if len(parts) != len(ids):  # a token contains the separator
            parts = [self._joined([*self._separator, i, *self._separator]) for i in ids]
            parts = [part.partition(SEPARATOR)[2].removesuffix(self._between) for part in parts]
        for token_id, text in zip(ids, parts, strict=True):
            self.learn(token_id, text)
            self._known.setdefault(token_id, b"")
            if UNKNOWN in text:
                self._halves.add(token_id)

    def get_chat_template(self, chat_template: str | None = None, tools: Any = None) -> str:
        """Return the server's chat template; "" without one."""
        return self.chat_template or ""

    def convert_ids_to_tokens(self, token_id: int) -> str | None:
        """Return the name of a token, or its text where no names are known; None for an id outside the vocabulary."""
        if 0 <= token_id < len(self._names):
            return self._names[token_id]
        return self[token_id].decode("utf-8", "replace") if 0 <= token_id < self._size else None

    def decode(self, token_ids: Iterable[int], clean_up_tokenization_spaces: bool = False) -> str:
        """Return the text of these tokens."""
        del clean_up_tokenization_spaces  # transformers' argument; never done here
        return b"".join(self[i] for i in token_ids).decode("utf-8", "replace")

    def get_vocab(self) -> dict[str, int]:
        """Return the ids of all tokens by name. Without names, it equals no other vocabulary."""
        return {name: number for number, name in enumerate(self._names)} or {self.client.address.url: self._size}

    def __len__(self) -> int:
        return self._size
