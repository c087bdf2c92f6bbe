"""A model on a server without token ids: texts go out, and lists of likely tokens come back.

The app rolls its own dice only if the unlisted tokens cannot change the outcome. Otherwise the server's own choice is taken and marked.
`connect_listed` tries out what a server can do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from core.chat.conversation import Messages, Span, checked_arguments, checked_messages, further_fields, text_of
from core.errors import BadSetting, BadToken, EmptyPrompt, ModelError, NotForThisModel, RunFinished, ServerGone, WrongServer, WrongType
from core.message import Message
from core.record.step import Candidate, ForwardPass, Step
from core.record.tokens_without_ids import Keys, ListedStep, OpenList, columns_of
from core.remote.begun_answers import try_ways
from core.remote.http_client import HttpClient
from core.remote.protocol import printable
from core.remote.text_routes import (
    WHOLE_ANSWER,
    Chat,
    Completions,
    ListedAnswer,
    OllamaGenerate,
    Responses,
    Route,
    Sampling,
    TgiGenerate,
    stages_of,
)
from core.sampling import observe_stages
from core.sampling.observation import History, Observation
from core.sampling.settings import SamplingSettings
from core.sources.capabilities import WHY_NOT, Can
from core.sources.source import NO_ARGUMENTS, Answer, Arguments, Beginning, Listed, LiveAnswer, Logits, Prompt, Source, Wanted
from core.tokens.token_text import ByteJoiner, Token, added_by

ROUTES: dict[str, tuple[type[Route], ...]] = {
    "Ollama": (OllamaGenerate, Chat),
    "LM Studio": (Responses, Chat),
    "TGI": (TgiGenerate, Completions),
}
USUAL = (Completions, Chat, Responses)
COUNTS = (20, 5)  # alternatives that are asked for, the first number that the server accepts
SAMPLE = "The quick brown fox jumps over"
SAME = 0.05  # log-probabilities of one step asked twice differ by less
ATTEMPTS = 6  # llama-server, and so Ollama, send no list if the sampled token ends within a character; another sample can help
FOR_A_CHARACTER = 8  # tokens that are asked for together if one of them ends within a character
_OWN: dict[str, Any] = {"chosen_by": "server", "roll": None}


@dataclass(slots=True)
class _Ahead:
    """What the server answered after a path: its next tokens, in its own order. first: whether they were asked for at this path."""

    answer: ListedAnswer
    steps: list[ListedStep]
    first: bool = True


class AnswersAhead:
    """What one run keeps: the tokens that it knows, the server's answers by the path (its keys as bytes), and the paths that ended."""

    bytes = 0  # the server does not report its cache

    def __init__(self, prompt: str, messages: Messages) -> None:
        self.keys = Keys()
        self.prompt, self.messages = prompt, messages
        self.answers: dict[bytes, _Ahead] = {}
        self.ended: set[bytes] = set()

    def clear(self) -> None:
        """Drop the answers that were not written yet. They are asked for again."""
        self.answers.clear()


class ListedModel(Source):
    """A model that is asked through a `Route`. Sizes are 0, because the server does not report them.

    server_kind: what answers at the address. listed: alternatives that the server listed when it was tried. notes: what it can and cannot
    show. before_temperature: its probabilities are the same at every temperature.
    """

    def __init__(self, route: Route, kind: str, listed: int, notes: tuple[str, ...], before_temperature: bool = False) -> None:
        where = route.client.address.shown
        self.name = f"{printable(route.model_id)} at {where}"[:300]
        self.route, self.server_kind, self.listed, self.notes = route, kind, listed, notes
        self.before_temperature = before_temperature
        self.device, self.dtype = f"server ({kind})"[:60], "unknown"

    @property
    def can(self) -> frozenset[Can]:
        """What it can do: continue a text or answer a conversation, which the server's template writes."""
        choice = {Can.CHOICE} if self.route.continues else set()
        return frozenset({Can.NEW_TOKENS, Can.SERVED, Can.FACTS, Can.CHAT if self.route.takes_messages else Can.TEXT} | choice)

    def token(self, token_id: int) -> Token:
        """Raise BadToken: only a run knows the tokens that were listed in it."""
        raise BadToken(WHY_NOT[Can.TOKEN_IDS])

    def begin(self, prompt: Prompt, as_chat: bool, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
        """Return what a run begins with. The server's template and its tokens are not known, so each message is one token of the prompt.

        Raises EmptyPrompt, WrongType, ModelError and BadToken for a conversation that the server does not take.
        """
        if not isinstance(prompt, str | list | tuple):
            raise WrongType("A prompt is a text, not {kind}.", kind=type(prompt).__name__)
        messages = () if isinstance(prompt, str) else checked_messages(prompt)
        texts = [text_of(message) for message in messages] or [str(prompt)]
        unread = [*checked_arguments(arguments), *(name for message in messages for name in further_fields(message))]
        if unread:
            raise NotForThisModel(
                "{name} cannot be given to this server, because it writes conversations with its own chat template. Use a model that runs "
                "here, or a server with token ids.",
                name=unread[0],
            )
        if not texts[-1].strip():
            raise EmptyPrompt("The text is empty. Write a few words first.")
        if messages and Can.CHAT not in self.can:
            raise ModelError("{name} is not a chat model: it continues a text and does not answer.", name=self.name)
        if messages and messages[-1]["role"] == "assistant" and not self.route.continues:
            raise BadToken(WHY_NOT[Can.CHOICE])
        cache = AnswersAhead(texts[-1], messages)
        raws = [text.encode("utf-8", "replace") for text in texts]
        tokens = [Token(cache.keys.of_text(raw), text, text, raw) for text, raw in zip(texts, raws, strict=True)]
        return Beginning(texts[-1], messages, tokens, Can.CHAT in self.can, cache, cache.keys)

    def content_spans(self, messages: Messages, tokens: Sequence[Token], arguments: Arguments = NO_ARGUMENTS) -> tuple[Span, ...]:
        """Return the one token of each message."""
        return tuple((index, index + 1) for index in range(len(messages)))

    def next(self, keys: np.ndarray, cache: AnswersAhead, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return the listed tokens after this path. Raises RunFinished at the end, BadSetting, ServerGone, WrongServer."""
        settings = wanted.settings
        if not observe_stages.has_usual_order(settings) or settings.repetition_penalty != 1.0:
            raise BadSetting(WHY_NOT[Can.ALL_SETTINGS])
        if earlier is not None:
            return earlier
        ahead = cache.answers.get(_path(wanted.path))
        if ahead is None:
            at_once = not self.route.continues
            with_settings = at_once and self.before_temperature  # else its list would not be the model's own
            ahead = self._ask(
                cache, wanted.path, WHOLE_ANSWER if at_once else 1, _sampling(wanted.settings) if with_settings else Sampling()
            )
        step = ahead.steps[0].without_choice
        if not step.listed:
            return Listed(None, _measured(ahead), {**columns_of(step, cache.keys), **_OWN, "attempt": 0})
        top = OpenList.of(step, cache.keys)
        return Listed(Logits(top.logits(), top), _measured(ahead))

    def settle(
        self, keys: np.ndarray, cache: AnswersAhead, wanted: Wanted, answer: LiveAnswer, observation: Observation | None
    ) -> LiveAnswer:
        """Return `answer` if its choice is certain however the unlisted probability is spread, else the server's own choice."""
        if not wanted.picks or wanted.forced is not None:
            return answer
        ahead, attempt = cache.answers[_path(wanted.path)], 0
        if self.route.continues and ahead.first:
            if observation is not None and self._is_certain(cache, wanted, answer, observation):
                return answer
            ahead, attempt = self._own_choice(cache, wanted, ahead), wanted.attempt
        step = ahead.steps[0]
        fields = columns_of(step, cache.keys)
        if step.listed:
            top = OpenList.of(step, cache.keys)
            settings = wanted.settings
            again = observe_stages.observe(top.logits(), settings, History.of(self, (), 0), len(top), greedily=settings.greedy)
            fields = top.fields({name: getattr(again, name) for name in Observation.__slots__ if name != "chosen"}) | {"key": fields["key"]}
        assert isinstance(answer, Listed)
        return Listed(answer.logits, _measured(ahead), fields | _OWN | {"attempt": attempt})

    def _is_certain(self, cache: AnswersAhead, wanted: Wanted, answer: LiveAnswer, observation: Observation) -> bool:
        """Return whether the dice select this listed token in any case, and the server can continue the text after it."""
        assert isinstance(answer, Listed)
        assert answer.logits is not None
        top = answer.logits.top_logprobs
        assert isinstance(top, OpenList)
        roll = wanted.roll
        sure = wanted.settings.greedy or (roll is not None and top.certain_pick(stages_of(wanted.settings), roll))
        return sure and 0 <= observation.chosen < len(top) and _can_follow(cache.keys.token(top.key(observation.chosen)).raw, wanted.path)

    def ending(self, path: Sequence[Step], cache: AnswersAhead) -> str | None:
        """Return "end of text" if the server ended its text here, which it says only when it is asked for the next token."""
        special = bool(path) and path[-1].vocabulary.token(path[-1].key).special  # a mark such as </s> is not sent back as text
        return Message("end of text") if special or _path(path) in cache.ended else None

    def key_of(
        self, token: int | str | Candidate | Token, answer: Answer | None = None, cache: Any = None, path: Sequence[Step] = ()
    ) -> int:
        """Return the key of a listed token that was chosen by hand.

        Raises BadToken if the server does not continue a begun text, NotForThisModel if it does not list the token.
        """
        if not self.route.continues:
            raise BadToken(WHY_NOT[Can.CHOICE])
        wanted = token.key if isinstance(token, Candidate | Token) else token
        top = answer.logits.top_logprobs if isinstance(answer, Listed) and answer.logits is not None else None
        listed = top.columns["token_ids"].tolist() if isinstance(top, OpenList) else []
        for key in listed:
            raw = cache.keys.token(key).raw
            if wanted == key or (isinstance(wanted, str) and raw == wanted.encode("utf-8", "replace")):
                if not _can_follow(raw, path):
                    raise BadToken("This token ends within a character, and this server takes only whole characters.")
                return int(key)
        raise NotForThisModel(
            "The server lists its {listed} likeliest tokens, and that token is not among them. Choose another one.", listed=len(listed)
        )

    def renew(self, fresh: ListedModel) -> None:
        """Use another connection to the same model, with its key and its notes."""
        self.route, self.notes, self.listed = fresh.route, fresh.notes, fresh.listed
        self.before_temperature = fresh.before_temperature

    def metrics(self) -> None:
        """Return None: such a server reports no numbers in a known form."""

    def _ask(self, cache: AnswersAhead, path: Sequence[Step], length: int, sampling: Sampling) -> _Ahead:
        """Ask the server for the next tokens. Raises RunFinished if it ends its text here."""
        if path and not self.route.continues:
            cache.ended.add(_path(path))
            raise RunFinished("The answer ends here, because this server does not continue a begun answer.")
        if _waiting(path):
            raise WrongServer("The text ends within a character, and this server takes only whole characters. Go back one token.")
        written = b"".join(step.raw for step in path).decode("utf-8", "replace")
        for _attempt in range(ATTEMPTS):
            answer = self.route.ask(cache.messages or cache.prompt, length, sampling, written)
            steps = [step for step in answer.steps if step.chosen.raw]
            if steps or answer.ended:
                break
        if answer.ended and not steps:
            cache.ended.add(_path(path))
            raise RunFinished("The server ended its text here. Go back to an earlier token to continue from there.")
        if not steps:
            raise WrongServer(
                "The server sent no list for this token, because it ends within a character. Go back one token, or step again."
            )
        ahead = cache.answers[_path(path)] = _Ahead(answer, steps)
        self._remember(cache, path, ahead)
        return ahead

    def _remember(self, cache: AnswersAhead, path: Sequence[Step], ahead: _Ahead) -> None:
        """Keep what follows the server's tokens: the rest of a whole answer or of a character, and that its text ends there."""
        key, raws = _path(path), b""
        for index, step in enumerate(ahead.steps, start=1):
            key += columns_of(step, cache.keys)["key"].to_bytes(8, "little")
            raws += step.chosen.raw
            if index == len(ahead.steps):
                cache.ended |= {key} if ahead.answer.ended else set()
            elif not self.route.continues or not _can_follow(raws, path):
                cache.answers[key] = _Ahead(ahead.answer, ahead.steps[index:], first=False)

    def _own_choice(self, cache: AnswersAhead, wanted: Wanted, ahead: _Ahead) -> _Ahead:
        """Return an answer whose first token the server chose with the visitor's settings, with all tokens of its character."""
        sampling, listed, path = _sampling(wanted.settings), ahead.steps[0], wanted.path
        complete = _can_follow(listed.chosen.raw, path)
        if sampling == Sampling() and complete and not wanted.attempt:
            return ahead
        fresh = self._ask(cache, path, 1 if complete else FOR_A_CHARACTER, sampling)
        choice = fresh.steps[0].chosen
        entry = next((token for token in listed.rows if token.same(choice)), None)
        if entry is not None:  # the list that was asked for at temperature 1 is the model's own
            fresh.steps[0] = ListedStep(entry, listed.listed if entry in listed.listed else (*listed.listed, entry))
        else:
            valid = sampling == Sampling() or self.before_temperature
            fresh.steps[0] = replace(listed, chosen=choice if valid else replace(choice, logprob=None))
        self._remember(cache, path, fresh)
        return fresh


def _path(path: Sequence[Step]) -> bytes:
    """Return the keys of these steps, which name a node of the run's tree."""
    return np.array([step.key for step in path], dtype="<i8").tobytes()


def _sampling(settings: SamplingSettings) -> Sampling:
    return Sampling(0.0) if settings.greedy else Sampling(settings.temperature, settings.top_p)


def _measured(ahead: _Ahead) -> ForwardPass:
    """Return the measurements of the request; zeros for a token that came with an earlier one."""
    if not ahead.first:
        return ForwardPass(0, 0, 0, 0.0)
    reused = ahead.answer.reused or 0
    return ForwardPass(max(0, (ahead.answer.prompt_tokens or 0) - reused), reused, 0, ahead.answer.seconds)


def _waiting(path: Sequence[Step]) -> bytes:
    """Return the bytes of an incomplete character at the end of this path."""
    joiner = ByteJoiner()
    for step in path:
        joiner.add(step.raw)
    return joiner.waiting


def _can_follow(raw: bytes, path: Sequence[Step]) -> bool:
    """Return whether the text ends with a whole character after these bytes."""
    return not added_by(Token(0, "", "", raw), _waiting(path))[1] and b"\xef\xbf\xbd" not in raw and bool(raw)


def connect_listed(client: HttpClient, kind: str, model_id: str) -> ListedModel:
    """Return the model of a server without token ids, after trying which of its routes sends log-probabilities.

    Raises WrongServer if none does, and for invalid answers; ServerGone.
    """
    refusal: ModelError | None = None
    for route_class in ROUTES.get(kind, USUAL):
        for count in COUNTS:
            route = route_class(client, model_id, count)
            try:
                first = route.ask(SAMPLE, 1, Sampling())
            except ServerGone as error:
                refusal = error
                continue
            if first.steps and first.steps[0].listed and first.steps[0].chosen.logprob is not None:
                before = not _depends_on_temperature(route, first.steps[0])
                if isinstance(route, Chat):
                    try_ways(route, kind)
                return ListedModel(route, kind, len(first.steps[0].listed), _notes(route, first.steps[0], before), before)
            break
    message = Message(
        "The server at {address} ({kind}) answers, but sends no log-probabilities, which this app needs.",
        address=client.address.shown,
        kind=kind,
    )
    raise WrongServer(message) from refusal


def _notes(route: Route, step: ListedStep, before_temperature: bool) -> tuple[str, ...]:
    """Return what this server can and cannot show, one sentence each."""
    ids = step.listed[0].token_id is not None
    listed = Message("This server lists {count} tokens at each step, as texts without ids.", count=len(step.listed))
    if ids:
        listed = Message("This server lists {count} tokens at each step with their ids, but it takes only texts.", count=len(step.listed))
    return (
        listed,
        Message("Its probabilities are those before the temperature.")
        if before_temperature
        else Message("Its probabilities change with the temperature, so the app asks for them at temperature 1.")
        if route.continues
        else Message("Its probabilities change with the temperature, so the app asks at temperature 1. Your temperature has no effect."),
        Message(
            "It takes the text again at each step and divides it into tokens by itself. After a token that was chosen by hand, it can "
            "divide the text in another way."
        )
        if route.continues
        else WHY_NOT[Can.CHOICE],
        *([Message("It writes conversations with its own chat template, which it does not show.")] if route.takes_messages else []),
    )


def _depends_on_temperature(route: Route, step: ListedStep) -> bool:
    """Ask for the same step at another temperature; return whether the listed probabilities differ."""
    try:
        other = route.ask(SAMPLE, 1, Sampling(temperature=0.5))
    except ModelError:
        return False
    logprob_of = {entry.raw: entry.logprob for entry in other.steps[0].listed} if other.steps else {}
    pairs = [(entry.logprob, logprob_of.get(entry.raw)) for entry in step.listed[:5]]
    return any(b is not None and abs((a or 0.0) - b) > SAME for a, b in pairs) or all(math.isnan(b or math.nan) for _a, b in pairs)
