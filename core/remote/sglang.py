"""Client of SGLang: its native /generate, with token ids in and out. Written after its documents; no real SGLang was tried.

SGLang lists log-probabilities after the temperature. The app asks at temperature 1 without exclusions, where these are the model's own.
"""

from __future__ import annotations

from typing import Any

from core.remote.protocol import ServedStep, answer_bytes, no_token_ids, number
from core.remote.vllm import NEUTRAL, VLLM

SAMPLING = {**NEUTRAL, "top_k": -1, "max_new_tokens": 1, "ignore_eos": True}


class SGLang(VLLM):
    """An SGLang server. It lists as many tokens as the app asks for. `/tokenize` is that of vLLM."""

    kind = "SGLang"

    def step(self, ids: list[int], count: int, keep: bool = True, **changes: Any) -> ServedStep:
        """Return the `count` likeliest tokens after these ids. Its cache cannot be avoided: `reused` says what came from it.

        Raises ServerGone, PromptTooLong, WrongServer.
        """
        asked = min(count, self.limit)
        content = {"input_ids": ids, "sampling_params": {**SAMPLING, **changes}, "return_logprob": True, "top_logprobs_num": asked}
        return self._generate(content, asked)

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """Return the same step with this token listed too."""
        content = {"input_ids": ids, "sampling_params": SAMPLING, "return_logprob": True, "top_logprobs_num": count}
        return self._generate({**content, "token_ids_logprob": [token_id]}, count, token_id)

    def _generate(self, content: dict[str, Any], asked: int, token_id: int = -1) -> ServedStep:
        position = len(content["input_ids"])
        answer = self.client.post("/generate", content, most=answer_bytes(position, asked))
        if answer.status != 200:
            raise self.refused(answer, position)
        try:
            meta = answer.body["meta_info"]
            listed = [(entry[1], entry[0]) for entry in meta["output_top_logprobs"][0][:asked]]
            sampled = meta["output_token_logprobs"][0][1]
            if token_id >= 0 and token_id not in dict(listed):
                listed += [(entry[1], entry[0]) for entry in meta["output_token_ids_logprobs"][0] if entry[1] == token_id][:1]
        except (KeyError, IndexError, TypeError) as error:
            raise no_token_ids(self.client) from error
        reused, held = number(meta.get("cached_tokens")), number(meta.get("prompt_tokens"), position)
        return ServedStep(
            [listed_id for listed_id, _logprob in listed],
            [logprob for _one, logprob in listed],
            min(asked, len(listed)),
            sampled,
            None if reused is None else int(reused),
            position if held is None else int(held),
        )
