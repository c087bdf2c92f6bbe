"""Whether a chat server continues an answer that was begun, and in which way it has to be asked. Found out by trying.

Some servers ignore the request and begin a new answer. A way therefore counts only if the list of the next token is the same as in an
answer that the server wrote by itself.
"""

from __future__ import annotations

from core.errors import ModelError
from core.record.tokens_without_ids import ListedStep
from core.remote.text_routes import BegunAnswer, Chat, ListedAnswer, Sampling

FIELDS = BegunAnswer({"continue_final_message": True, "add_generation_prompt": False})  # vLLM, SGLang, TabbyAPI, newer llama-server
LAST_MESSAGE = BegunAnswer()  # llama-server, Ollama with some models, and what passes requests on to them
PREFIX = BegunAnswer(mark={"prefix": True})  # Mistral
WAYS: dict[str, tuple[BegunAnswer, ...]] = {
    "OpenAI": (),  # its chat does not continue answers, and each try costs money
    "DeepSeek": (BegunAnswer(mark={"prefix": True}, path="/beta/chat/completions"),),
}
USUAL = (FIELDS, LAST_MESSAGE, PREFIX)
QUESTION = "Tell me something about the sea."
LENGTH = 8  # tokens of the answer that the server writes by itself
ALMOST_SAME = 0.25  # log-probabilities of one step differ by less, although hosted services do not repeat them exactly


def try_ways(route: Chat, kind: str) -> None:
    """Set how this server continues an answer, after trying. Costs one request, and one more for each way."""
    ways = WAYS.get(kind, USUAL)
    if not ways:
        return
    try:
        index = _place(answer := route.ask(QUESTION, LENGTH, Sampling()))
    except ModelError:
        return
    if index == 0:
        return
    text = b"".join(step.chosen.raw for step in answer.steps[:index]).decode()
    for way in ways:
        route.continue_by(way)
        try:
            further = route.ask(QUESTION, 1, Sampling(), text)
        except ModelError:
            continue
        if further.steps and _same(further.steps[0], answer.steps[index]):
            return
    route.continue_by(None)


def _place(answer: ListedAnswer) -> int:
    """Return the last step whose text before it can be sent, and whose list shows that it is not the first one; 0 if there is none."""
    for index in range(len(answer.steps) - 1, 0, -1):
        before = answer.steps[:index]
        try:
            text = b"".join(step.chosen.raw for step in before).decode()
        except UnicodeDecodeError:
            continue
        plain = text.rstrip() == text and text and not any(step.chosen.special for step in before)
        if plain and answer.steps[index].listed and not _same(answer.steps[index], answer.steps[0]):
            return index
    return 0


def _same(step: ListedStep, other: ListedStep) -> bool:
    """Return whether two lists belong to the same step: the three likeliest tokens have nearly the same log-probabilities."""
    logprob_of = {token.raw: token.logprob for token in other.listed}
    pairs = [(token.logprob, logprob_of.get(token.raw)) for token in step.listed[:3]]
    return bool(pairs) and all(a is not None and b is not None and abs(a - b) < ALMOST_SAME for a, b in pairs)
