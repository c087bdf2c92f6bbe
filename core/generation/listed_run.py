"""A run of a model on a server without token ids: it writes with listed probabilities, texts go out and lists of likely tokens come back.

The app rolls its own dice only if the unlisted tokens cannot change the outcome. Otherwise the server's own choice is taken and marked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from core.engine.conversation import Messages, checked_messages
from core.errors import BadSetting, BadToken, EmptyPrompt, ModelError, OutsideTopLogprobs, RunFinished, WrongServer
from core.generation.prompts import Prompt
from core.generation.replay import RecordedModel
from core.generation.run_base import Run, in_turn
from core.generation.server_lists import stages_of
from core.generation.stop_rule import Stop
from core.limits import Limits
from core.message import Message
from core.record.listed_tokens import Keys, ListedStep, columns_of, entropy
from core.record.step import Candidate, ForwardPass, Step, TokenDistribution
from core.record.top_logprobs import TopLogprobs
from core.remote.listed import WHOLE_ANSWER, ListedAnswer, Sampling
from core.remote.listed_model import ListedModel
from core.sampling import dice, stages
from core.sampling.history import History
from core.settings import SamplingSettings, whole_number
from core.tokens.tokens import Token, added_by

UNLISTED = 200_000  # assumed number of unlisted tokens: an upper bound for the vocabularies of this field
ATTEMPTS = 6  # llama-server, and so Ollama, send no list if the sampled token ends within a character; another sample can help
FOR_A_CHARACTER = 8  # tokens that are asked for together if one of them ends within a character


@dataclass(slots=True)
class _Ahead:
    """What the server answered after a node: its next tokens, in its own order. first: whether the first one has not been written yet."""

    answer: ListedAnswer
    steps: list[ListedStep]
    first: bool = True
    distributions: dict[SamplingSettings, TokenDistribution] = field(default_factory=dict)


class ListedRun(Run):
    """One visitor's run of a `ListedModel`. It has the interface of a Generation.

    prompt: a text, or a conversation if the server takes one. Its template and its tokens are not known, so each message is one token of
    the prompt. settings: temperature, top-k, top-p, min-p, typical-p and greedy have an effect. Raises EmptyPrompt, WrongType, ModelError
    and BadToken for a conversation that the server does not take.
    """

    is_replay = False
    use_cache = True

    def __init__(self, model: ListedModel, prompt: Prompt, settings: SamplingSettings | None = None, top_n: int = 20) -> None:
        self.messages = () if isinstance(prompt, str) else checked_messages(prompt)
        texts = [message["content"] for message in self.messages] or [str(prompt)]
        if not texts[-1].strip():
            raise EmptyPrompt("The text is empty. Write a few words first.")
        _check_messages(model, self.messages)
        self._server, self._keys = model, Keys()
        raws = [text.encode("utf-8", "replace") for text in texts]
        own = [Token(self._keys.of_text(raw), text, text, raw) for text, raw in zip(texts, raws, strict=True)]
        self.model = RecordedModel(
            model.name, model.device, model.dtype, 0, 0, 0, 0, 0, 0, end_token_ids=frozenset(), tokens=self._keys.tokens
        )
        super().__init__(self.model, SamplingSettings() if settings is None else settings)
        self.model_name, self.prompt, self.prompt_tokens = model.name, texts[-1], own
        self.message_spans = tuple((place, place + 1) for place in range(len(self.messages)))
        self._stop = Stop()
        self.as_chat = model.route.takes_messages
        self.top_n, self._most_tokens = top_n, Limits.from_environment().tokens_per_run
        self._ahead: dict[int, _Ahead] = {}
        self._ended: set[int] = set()

    @property
    def finished(self) -> str | None:
        """Why the run has ended here; None if it can continue. The server says it only when it is asked for the next token."""
        if self.here in self._ended:
            return Message("end of text")
        if asked := self._stop.reached(self._path, self.model):
            return asked
        return Message("limit reached") if self._most_tokens and self.token_count >= self._most_tokens else None

    @property
    def stops(self) -> dict[str, Any]:
        """See `Generation.stops`."""
        return {"stop": list(self._stop.texts), "most_new_tokens": self._stop.tokens}

    def stop_at(self, stop: Iterable[str] = (), most_new_tokens: int = 0) -> None:
        """See `Generation.stop_at`."""
        self._stop = Stop.checked(stop, most_new_tokens)

    @property
    def cache_bytes(self) -> int:
        """Return 0: the server does not report it."""
        return 0

    @in_turn
    def next_distribution(self, settings: SamplingSettings | None = None) -> TokenDistribution:
        """Return the listed probabilities of the next token. Raises RunFinished at the end, BadSetting, ServerGone, WrongServer."""
        settings = self.settings if settings is None else SamplingSettings.checked(settings)
        ahead = self._next(settings)
        known = ahead.distributions.get(settings)
        if known is None:
            arrays = self._observed(_without_choice(ahead.steps[0]), settings)[0]
            arrays.pop("key")
            known = ahead.distributions[settings] = TokenDistribution(**self._place(ahead, settings), **arrays)
        return known

    @in_turn
    def step(self, attempt: int = 0, outcome: int | None = None) -> Step:
        """Append one token: by our dice if the unlisted tokens cannot change the outcome, else the server's own choice.

        outcome: the token that was chosen elsewhere; it is taken as chosen by hand. Raises RunFinished, BadSetting, ServerGone,
        WrongServer.
        """
        attempt = whole_number(attempt, Message("The attempt"), 0, dice.LARGEST_ATTEMPT)
        settings = self.settings
        roll = None if settings.greedy else dice.roll(settings.seed, len(self._path), attempt)
        if outcome is not None:
            return self.force(outcome)
        ahead = self._next(settings)
        listed = ahead.steps[0]
        if self._server.route.continues and ahead.first:
            arrays, place = self._observed(_without_choice(listed), settings, roll)
            if place is not None and self._can_follow(listed.listed[place].raw):
                how = "greedy" if roll is None else "sampled"
                return self._keep(ahead, arrays, arrays["token_ids"][place], how, roll, 0 if roll is None else attempt)
            ahead = self._own_choice(ahead, settings, attempt)
            listed = ahead.steps[0]
        else:
            attempt = 0
        arrays, _place = self._observed(listed, settings)
        return self._keep(ahead, arrays, arrays["key"], "server", None, attempt)

    @in_turn
    def force(self, token: int | str | Candidate | Token) -> Step:
        """Take this listed token without a roll: a candidate, its key or its text.

        Raises BadToken if the server does not continue a begun text, OutsideTopLogprobs if it does not list the token.
        """
        if not self._server.route.continues:
            raise BadToken(self._server.route.why_no_choice)
        ahead = self._next(self.settings)
        listed = _without_choice(ahead.steps[0])
        arrays, _place = self._observed(listed, self.settings)
        wanted = token.key if isinstance(token, Candidate | Token) else token
        for key, one in zip(arrays["token_ids"].tolist(), listed.rows, strict=True):
            if wanted == key or (isinstance(wanted, str) and one.raw == wanted.encode("utf-8", "replace")):
                if not self._can_follow(one.raw):
                    raise BadToken("This token ends within a character, and this server takes only whole characters.")
                return self._keep(ahead, arrays, key, "forced", None, 0)
        raise OutsideTopLogprobs(
            "The server lists its {listed} likeliest tokens, and that token is not among them. Choose another one.", listed=len(listed.rows)
        )

    def release(self) -> None:
        """Drop the answers that were not written yet. They are asked for again."""
        self._ahead.clear()

    def _next(self, settings: SamplingSettings) -> _Ahead:
        """Return what the server answered after the current node; ask for it once."""
        if self.finished:
            raise RunFinished(
                "This run has ended ({finished}). Go back to an earlier token to continue from there.", finished=Message(self.finished)
            )
        unusable = not stages.has_usual_order(settings) or settings.repetition_penalty != 1.0
        if unusable:
            raise BadSetting(
                "A server without token ids allows temperature, top-k, top-p, min-p, typical-p and greedy. Switch the other settings off."
            )
        known = self._ahead.get(self.here)
        if known is None:
            whole = not self._server.route.continues
            own = whole and self._server.before_temperature  # else its list would not be the model's own
            known = self._ask(WHOLE_ANSWER if whole else 1, self._sampling(settings) if own else Sampling())
        return known

    def _ask(self, length: int, sampling: Sampling) -> _Ahead:
        """Ask the server for the next tokens. Raises RunFinished if it ends its text here."""
        if self._path and not self._server.route.continues:
            self._ended.add(self.here)
            raise RunFinished("The answer ends here, because this server does not continue a begun answer.")
        if self._waiting[-1]:
            raise WrongServer("The text ends within a character, and this server takes only whole characters. Go back one token.")
        for _attempt in range(ATTEMPTS):
            answer = self._server.route.ask(self.messages or self.prompt, length, sampling, self._written())
            steps = [one for one in answer.steps if one.chosen.raw]
            if steps or answer.ended:
                break
        if answer.ended and not steps:
            self._ended.add(self.here)
            raise RunFinished("The server ended its text here. Go back to an earlier token to continue from there.")
        if not steps:
            raise WrongServer(
                "The server sent no list for this token, because it ends within a character. Go back one token, or step again."
            )
        known = self._ahead[self.here] = _Ahead(answer, steps)
        return known

    def _own_choice(self, ahead: _Ahead, settings: SamplingSettings, attempt: int) -> _Ahead:
        """Return an answer whose first token the server chose with the visitor's settings, with all tokens of its character."""
        sampling, chosen = self._sampling(settings), ahead.steps[0].chosen.raw
        if sampling == Sampling() and self._can_follow(chosen) and not attempt:
            return ahead
        listed = ahead.steps[0]
        fresh = self._ask(1 if self._can_follow(chosen) else FOR_A_CHARACTER, sampling)
        own = fresh.steps[0].chosen
        there = next((one for one in listed.rows if one.same(own)), None)
        if there is not None:  # the list that was asked for at temperature 1 is the model's own
            fresh.steps[0] = ListedStep(there, listed.listed if there in listed.listed else (*listed.listed, there))
        else:
            valid = sampling == Sampling() or self._server.before_temperature
            fresh.steps[0] = replace(listed, chosen=own if valid else replace(own, logprob=None))
        return fresh

    def _sampling(self, settings: SamplingSettings) -> Sampling:
        if settings.greedy:
            return Sampling(0.0)
        return Sampling(settings.temperature, settings.top_p)

    def _written(self) -> str:
        return b"".join(step.raw for step in self._path).decode("utf-8", "replace")

    def _can_follow(self, raw: bytes) -> bool:
        """Return whether the text ends with a whole character after these bytes."""
        return not added_by(Token(0, "", "", raw), self._waiting[-1])[1] and b"\xef\xbf\xbd" not in raw and bool(raw)

    def _observed(self, listed: ListedStep, settings: SamplingSettings, roll: float | None = None) -> tuple[dict[str, Any], int | None]:
        """Return the arrays of the step with all stages, and the column that the roll (or greedy) selects for certain, or None."""
        arrays = columns_of(listed, self._keys)
        rows = listed.listed
        if not rows:
            return arrays, None
        top = TopLogprobs(np.arange(len(rows)), np.array([one.logprob for one in rows], dtype=np.float64), len(rows) + UNLISTED)
        seen = stages.observe(top.logits(), settings, History.of(self.model, (), 0), len(rows), roll=roll, greedily=settings.greedy)
        order = np.argsort(seen.token_ids)[: len(rows)]  # the columns of `rows`; the last one can be an unlisted token
        exact = top.exact_stages(zip(seen.stage_names, seen.stage_settings, strict=True))
        for name in ("probabilities", "removed_at", "dice_starts"):
            arrays[name] = _widened(getattr(seen, name)[..., order].copy(), arrays["token_ids"], rows)
        arrays["probabilities"][0] = np.exp(arrays["logits"])  # the server's own numbers, without rounding
        arrays["stage_names"], arrays["stage_settings"] = seen.stage_names, seen.stage_settings
        alive = [np.nansum(row) for row in arrays["probabilities"]]
        kept = [int(np.count_nonzero(row > 0)) + int(1.0 - total > 1e-6) for row, total in zip(arrays["probabilities"], alive, strict=True)]
        arrays["stage_kept"] = tuple(kept)
        arrays["stage_entropies"] = tuple(
            entropy(np.nan_to_num(row), max(0.0, 1.0 - float(total))) for row, total in zip(arrays["probabilities"], alive, strict=True)
        )
        arrays["stage_exact"] = exact
        certain = settings.greedy or (roll is not None and top.certain_pick(stages_of(settings), roll))
        return arrays, int(seen.chosen) if certain and 0 <= seen.chosen < len(rows) else None

    def _place(self, ahead: _Ahead, settings: SamplingSettings) -> dict[str, Any]:
        answer = ahead.answer
        reused = answer.reused or 0
        computed = max(0, (answer.prompt_tokens or 0) - reused)
        done = ForwardPass(computed, reused, 0, answer.seconds) if ahead.first else ForwardPass(0, 0, 0, 0.0)
        return {"index": len(self._path), "position": self.token_count, "settings": settings, "forward": done, "vocabulary": self.model}

    def _keep(self, ahead: _Ahead, arrays: dict[str, Any], key: int, chosen_by: str, roll: float | None, attempt: int) -> Step:
        """Append this token to the current node, or move to an equal child that exists."""
        known = self._child_like(int(key), self.settings, chosen_by, attempt)
        if known is not None and known.step is not None:
            self.switch(known.node_id)
            return known.step
        token = self.model.token(int(key))
        text, waiting = added_by(token, self._waiting[-1])
        own = token.raw == ahead.steps[0].chosen.raw
        step = Step(
            **self._place(ahead, self.settings),
            **{name: value for name, value in arrays.items() if name != "key"},
            key=int(key),
            text=text,
            chosen_by=chosen_by,
            roll=roll,
            attempt=attempt,
            before=self._path[-1] if self._path else self.prompt,
        )
        node = self.add(step, waiting)
        if token.special:  # a mark such as </s> ends the text and is not sent back as text
            self._ended.add(node.node_id)
        later = ahead.steps[1:]
        if own and later and (waiting or not self._server.route.continues):
            self._ahead[node.node_id] = _Ahead(ahead.answer, later, first=False)
        elif own and not later and ahead.answer.ended:
            self._ended.add(node.node_id)
        return step


def _check_messages(model: ListedModel, messages: Messages) -> None:
    """Raise ModelError if the server takes no conversation, BadToken if it does not continue the begun answer."""
    if messages and not model.route.takes_messages:
        raise ModelError("{name} is not a chat model: it continues a text and does not answer.", name=model.name)
    if messages and messages[-1]["role"] == "assistant" and not model.route.continues:
        raise BadToken(model.route.why_no_choice)


def _without_choice(step: ListedStep) -> ListedStep:
    """Return the list alone, without the token that the server chose, which the list may lack."""
    return ListedStep(step.listed[0], step.listed) if step.listed else step


def _widened(values: np.ndarray, keys: np.ndarray, rows: Any) -> np.ndarray:
    """Return the columns of the listed tokens, with one more for a chosen token that the server did not list."""
    missing = len(keys) - len(rows)
    if not missing:
        return values
    filler = -1 if values.dtype.kind == "i" else math.nan
    return np.concatenate([values, np.full((*values.shape[:-1], missing), filler, dtype=values.dtype)], axis=-1)
