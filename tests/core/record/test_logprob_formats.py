"""The forms in which programs save log-probabilities are read, each token with its own number."""

from __future__ import annotations

from typing import Any

import pytest

from core import Recording

ONE = {
    "token": "Hi",
    "logprob": -0.1,
    "bytes": [72, 105],
    "top_logprobs": [{"token": "Hi", "logprob": -0.1}, {"token": "Yo", "logprob": -2.5}],
}
GEMINI = {
    "topCandidates": [{"candidates": [{"token": "Hi", "logProbability": -0.1, "tokenId": 12}]}],
    "chosenCandidates": [{"token": "Hi", "logProbability": -0.1, "tokenId": 12}],
}
GEMINI_SDK = {
    "top_candidates": [{"candidates": [{"token": "Hi", "log_probability": -0.1, "token_id": -1}]}],
    "chosen_candidates": [{"token": "Hi", "log_probability": -0.1, "token_id": -1}],
}
PROMPT = [
    None,
    {"450": {"logprob": -1.0, "rank": 1, "decoded_token": "The"}},
    {"738": {"logprob": -2.0, "rank": 5, "decoded_token": " fox"}, "33": {"logprob": -0.4, "rank": 1, "decoded_token": " is"}},
]


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        ({"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "logprobsResult": GEMINI}]}, ["Hi"]),
        ({"candidates": [{"logprobs_result": GEMINI_SDK}]}, ["Hi"]),
        ([{"responseId": "g", "candidates": [{"logprobsResult": GEMINI}]}] * 2, ["Hi", "Hi"]),
        ({"content": "Hi", "response_metadata": {"model_name": "m", "logprobs": {"content": [ONE]}}}, ["Hi"]),
        ({"lc": 1, "kwargs": {"content": "Hi", "response_metadata": {"logprobs": {"content": [ONE]}}}}, ["Hi"]),
        ({"content": [ONE]}, ["Hi"]),
        ({"logprobs": {"content": [ONE]}}, ["Hi"]),
        ([ONE, ONE], ["Hi", "Hi"]),
        ({"tokens": ["a"], "token_logprobs": [-0.5]}, ["a"]),
        ({"choices": [{"logprobs": {"content": [ONE], "reasoning_content": [ONE, ONE]}}]}, ["Hi"] * 3),
        ({"choices": [{"logprobs": {"tokens": [" I", " am"], "token_logprobs": [0.0947, -0.5]}}]}, [" I", " am"]),
        ({"choices": [{"text": " is", "logprobs": None, "prompt_logprobs": PROMPT}]}, ["The", " fox"]),
    ],
)
def test_the_forms_of_other_programs(value: Any, texts: list[str]) -> None:
    made = Recording.from_response(value)
    assert [step.text for step in made.path] == texts and len(made.branches()) == 1


def test_the_prompt_of_vllm_has_its_own_probabilities_and_is_not_the_servers_choice() -> None:
    made = Recording.from_response(
        {"choices": [{"logprobs": {"content": [ONE]}}], "prompt_logprobs": PROMPT, "prompt_token_ids": [1, 450, 738]}
    )
    assert [(step.text, step.token_id, step.rank, step.chosen_by) for step in made.path] == [
        ("The", 450, 1, "forced"),
        (" fox", 738, 2, "forced"),
        ("Hi", None, 1, "server"),
    ]
