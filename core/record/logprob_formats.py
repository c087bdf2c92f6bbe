"""The forms in which inference servers write log-probabilities into their answers, read into listed steps.

A form is recognised by a field at the top of the answer (`OWN_FORMS`), or it is one of OpenAI's forms inside of a choice (`of_choice`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from core.errors import BadRecording
from core.record import tokens_without_ids
from core.record.tokens_without_ids import ListedStep, ListedToken

KOBOLD_FLOOR = -9.2103  # log of 0.0001


def of_choice(choice: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of a choice of chat completions or completions; none without log-probabilities. Raises BadRecording."""
    logprobs = choice.get("logprobs")
    if not isinstance(logprobs, dict):
        return []
    if isinstance(logprobs.get("tokens"), list):
        return parallel_lists(logprobs, choice)
    parts = [entry for name in ("reasoning_content", "content", "refusal") for entry in list_of(logprobs.get(name))]
    return with_ids(list(map(tokens_without_ids.entry, parts)), choice.get("token_ids"))


def of_kobold(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result of KoboldCpp as a choice. Its smallest probability means "0.0001 or less", which is no value of a token."""
    logprobs = result.get("logprobs")
    if not isinstance(logprobs, dict):
        return result
    return result | {"logprobs": {"content": [_above_floor(entry) for entry in list_of(logprobs.get("content"))]}}


def _above_floor(value: Any) -> Any:
    """Return an entry of KoboldCpp without the numbers that are its smallest."""
    if not isinstance(value, dict):
        return value
    entry = dict(value)
    if isinstance(value.get("logprob"), float) and value["logprob"] <= KOBOLD_FLOOR:
        entry["logprob"] = None
    if isinstance(value.get("top_logprobs"), list):
        entry["top_logprobs"] = list(map(_above_floor, value["top_logprobs"]))
    return entry


def of_prompt(values: Any, ids: Any = None) -> list[ListedStep]:
    """Return the tokens of vLLM's prompt_logprobs: an object from ids to log-probabilities for each token of the prompt but the first.

    The prompt's own token is the first of each object, or the one in ids. Raises BadRecording.
    """
    steps = []
    for index, value in enumerate(list_of(values)):
        if value is None:  # the first token has no probability
            continue
        named = {
            key: tokens_without_ids.token(_vllm_entry(key, entry))
            for key, entry in list(_object(value).items())[: tokens_without_ids.MOST_LISTED]
        }
        chosen = str(ids[index]) if isinstance(ids, list) and index < len(ids) else next(iter(named), "")
        if chosen not in named:
            raise BadRecording("A list of tokens is missing.")
        steps.append(ListedStep.of(named[chosen], named.values()))
    return steps


def _vllm_entry(key: str, value: Any) -> dict[str, Any]:
    fields = _object(value)
    number = int(key) if key.isascii() and key.isdecimal() and len(key) < 16 else -1
    return {"id": number, "text": fields.get("decoded_token") or "", "logprob": fields.get("logprob")}


def of_candidate(candidate: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of a candidate of Gemini, in the spelling of its REST interface or of its Python package."""
    result: dict[str, Any] = next(
        (candidate[name] for name in ("logprobsResult", "logprobs_result") if isinstance(candidate.get(name), dict)), {}
    )
    chosen = list_of(result.get("chosenCandidates", result.get("chosen_candidates")))
    tops = list_of(result.get("topCandidates", result.get("top_candidates")))
    steps = []
    for index, entry in enumerate(chosen):
        top = _object(tops[index]) if index < len(tops) else {}
        steps.append(ListedStep.of(_gemini(entry), map(_gemini, list_of(top.get("candidates"))[: tokens_without_ids.MOST_LISTED])))
    return steps


def _gemini(value: Any) -> ListedToken:
    fields = _object(value)
    number = fields.get("tokenId", fields.get("token_id"))
    ids = {"id": number} if type(number) is int and number >= 0 else {}
    return tokens_without_ids.token(
        {"token": fields.get("token"), "logprob": fields.get("logProbability", fields.get("log_probability")), **ids}
    )


def _responses(value: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of OpenAI's responses."""
    messages = [item for item in list_of(value["output"]) if isinstance(item, dict) and item.get("type") == "message"]
    parts = [part for item in messages for part in list_of(item.get("content")) if isinstance(part, dict)]
    return [tokens_without_ids.entry(entry) for part in parts for entry in list_of(part.get("logprobs"))]


def _entries(name: str) -> Callable[[dict[str, Any]], list[ListedStep]]:
    """Return a function that reads a list of entries with this name (llama-server, Ollama, Cohere)."""
    return lambda value: [tokens_without_ids.entry(_of_llm(_cohere(entry))) for entry in list_of(value[name])]


def _of_llm(value: Any) -> Any:
    """Return an entry of the log of `llm`, {text, top_logprobs: [{text: log-probability}]}, in the usual form. Any other is returned."""
    if not isinstance(value, dict) or not isinstance(value.get("text"), str) or {"token", "logprob"} & value.keys():
        return value
    lists = [_object(top) for top in list_of(value.get("top_logprobs"))]
    listed = [{"token": text, "logprob": number} for top in lists for text, number in top.items()]
    logprob = next((top[value["text"]] for top in lists if value["text"] in top), None)
    return {"token": value["text"], "logprob": logprob, "top_logprobs": listed}


def _cohere(value: Any) -> Any:
    """Return an entry of Cohere, {text, token_ids, logprobs}, in the usual form. Any other entry is returned as it is."""
    if not isinstance(value, dict) or not isinstance(value.get("logprobs"), list) or "logprob" in value:
        return value
    numbers, ids = [tokens_without_ids.log(number) for number in value["logprobs"]], value.get("token_ids")
    measured = [number for number in numbers if number is not None]
    logprob = sum(measured) if numbers and len(measured) == len(numbers) else None  # of a text of several tokens
    return {"token": value.get("text"), "logprob": logprob} | ({"id": ids[0]} if isinstance(ids, list) and len(ids) == 1 else {})


def _sglang(value: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of SGLang's /generate: triples of log-probability, id and text."""
    info = value["meta_info"]
    chosen, others = list_of(info.get("output_token_logprobs")), list_of(info.get("output_top_logprobs"))
    lists = [list_of(other) for other in others] + [[]] * max(0, len(chosen) - len(others))
    return [
        ListedStep.of(_triple(triple), map(_triple, listed[: tokens_without_ids.MOST_LISTED]))
        for triple, listed in zip(chosen, lists, strict=False)
    ]


def _triple(value: Any) -> ListedToken:
    parts = [*value, None] if isinstance(value, list) and len(value) in (2, 3) else None
    if parts is None:
        raise BadRecording("A token has neither a text nor bytes.")
    return tokens_without_ids.token({"logprob": parts[0], "id": parts[1], "text": parts[2] or ""})


def _tgi_line(value: dict[str, Any]) -> list[ListedStep]:
    """Return the token of a line of TGI's /generate_stream."""
    listed = [_object(entry) for entry in list_of(value.get("top_tokens"))]
    return [ListedStep.of(tokens_without_ids.token(value["token"]), tokens_without_ids.likeliest(listed))]


def _langchain(value: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of a message of LangChain, whose metadata are those of the server behind it."""
    about = value["response_metadata"]
    if isinstance(about.get("logprobs"), list):
        return _entries("logprobs")(about)
    if isinstance(about.get("logprobs_result"), list):
        return _entries("logprobs_result")(about)
    return of_candidate(about) or of_choice(about)


def _tgi(value: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of TGI's /generate with details."""
    details = value["details"]
    chosen, others = list_of(details.get("tokens")), list_of(details.get("top_tokens"))
    lists = [list_of(other) for other in others] + [[]] * max(0, len(chosen) - len(others))
    return [
        ListedStep.of(tokens_without_ids.token(_object(token)), tokens_without_ids.likeliest(list(map(_object, listed))))
        for token, listed in zip(chosen, lists, strict=False)
    ]


def own_prompt(value: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of the prompt but the first in a form of OWN_FORMS: of vLLM, SGLang or TGI."""
    if isinstance(value.get("meta_info"), dict):
        chosen, others = (list_of(value["meta_info"].get(f"input_{name}_logprobs")) for name in ("token", "top"))
        pairs = [
            (_triple(entry), list(map(_triple, list_of(others[index] if index < len(others) else None))))
            for index, entry in enumerate(chosen)
        ]
    elif isinstance(value.get("details"), dict):
        pairs = [(tokens_without_ids.token(_object(entry)), []) for entry in list_of(value["details"].get("prefill"))]
    else:
        return of_prompt(value.get("prompt_logprobs"), value.get("prompt_token_ids"))
    return [ListedStep.of(entry, listed[: tokens_without_ids.MOST_LISTED]) for entry, listed in pairs[1:]]


OWN_FORMS: dict[str, tuple[type, Callable[[dict[str, Any]], list[ListedStep]]]] = {
    "completion_probabilities": (list, _entries("completion_probabilities")),
    "meta_info": (dict, _sglang),
    "token": (dict, _tgi_line),
    "details": (dict, _tgi),
    "logprobs": (list, _entries("logprobs")),
    "output": (list, _responses),
    "response_metadata": (dict, _langchain),
    "prompt_logprobs": (list, lambda _value: []),
}


def parallel_lists(logprobs: dict[str, Any], choice: dict[str, Any]) -> list[ListedStep]:
    """Return the tokens of completions, which are in parallel lists. The alternatives are an object from text to log-probability."""
    names, values, tops = logprobs["tokens"], list_of(logprobs.get("token_logprobs")), list_of(logprobs.get("top_logprobs"))
    if len(values) != len(names):
        raise BadRecording("The lists of tokens and of log-probabilities differ in length.")
    steps = []
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        if not isinstance(name, str):
            raise BadRecording("A token has neither a text nor bytes.")
        if index == 0 and type(value) in (int, float) and value > tokens_without_ids.SLACK:
            value = None  # Together writes a number above 0 for the first token
        others = tops[index] if index < len(tops) and isinstance(tops[index], dict) else {}
        listed = tokens_without_ids.likeliest([{"token": other, "logprob": number} for other, number in others.items()])
        steps.append(ListedStep.of(tokens_without_ids.token({"token": name, "logprob": value}), listed))
    ids = choice.get("token_ids", logprobs.get("token_ids"))
    return with_ids(steps, ids)


def with_ids(steps: list[ListedStep], ids: Any) -> list[ListedStep]:
    """Return the steps with the ids of the chosen tokens, if the answer has an id for each."""
    if not isinstance(ids, list) or len(ids) != len(steps) or not all(type(number) is int and 0 <= number < 2**31 for number in ids):
        return steps
    result = []
    for step, number in zip(steps, ids, strict=True):
        chosen = step.chosen if step.chosen.token_id is not None else replace(step.chosen, token_id=number)
        result.append(ListedStep(chosen, tuple(chosen if entry is step.chosen else entry for entry in step.listed)))
    return result


def list_of(value: Any) -> Sequence[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRecording("A list of tokens is missing.")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRecording("A token is not a JSON object.")
    return value
