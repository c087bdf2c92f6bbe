"""A served model shows the numbers of a local one, and says where its server does not tell enough."""

from __future__ import annotations

import json
import logging
from typing import Any, cast

import numpy as np
import pytest
import torch

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import NotForThisModel, PromptTooLong, ServerGone, WrongServer
from core.remote import server_model
from core.remote.server_model import ServerModel
from core.sampling import dice, observe_stages
from tests.core.remote.serving import TINY, VOCABULARY, FakeLlama, FakeSGLang, FakeVLLM, Reply, connect, recorded, serve, tokenize, truth
from tests.core.sampling.chains import text_of

PROMPT = "def main(argv): return 0"


pytestmark = pytest.mark.usefixtures("no_waiting")


def test_the_error_of_a_server_covers_its_sum_of_all_tokens() -> None:
    """llama-server divides by a float32 sum of all tokens, which moves its whole list: 6.0e-5 were seen at the bundled model's 4,096."""
    with serve(FakeLlama()) as llama, serve(FakeVLLM()) as vllm:
        assert connect(vllm).logprob_error == pytest.approx(5e-5)
        assert connect(llama).logprob_error == pytest.approx(5e-5 + VOCABULARY * 2**-24)
    weights = np.array([1.0, *[5.9e-8] * 4095], np.float32)  # each is less than half of the last digit of 1, so all are lost
    assert np.cumsum(weights)[-1] == 1
    offset = np.log(weights.sum(dtype=np.float64))
    assert 2.4e-4 < offset < 4096 * server_model.ADDITION


def agrees(step: Any, ids: list[int]) -> None:
    """Every number of the step is that of the whole distribution, as core.sampling.observe_stages sees it."""
    logits = torch.from_numpy(truth(ids)).float()
    seen = observe_stages.observe(
        logits, step.settings, text_of(ids), len(step.token_ids) - 1 or 1, roll=step.roll, greedily=step.roll is None
    )
    assert seen.chosen == step.token_id
    there = dict(zip(seen.token_ids.tolist(), seen.probabilities.T.tolist(), strict=True))
    for column, token in enumerate(step.token_ids.tolist()):
        if token in there:
            np.testing.assert_allclose(step.probabilities[:, column], there[token], atol=2e-5)


@pytest.mark.parametrize("kind", [FakeVLLM(limit=VOCABULARY), FakeLlama(), FakeSGLang()], ids=["vLLM", "llama-server", "SGLang"])
@pytest.mark.parametrize(
    "settings",
    [
        SamplingSettings(seed=3),
        SamplingSettings(seed=3, top_k=150),
        SamplingSettings(seed=5, top_p=0.8),
        SamplingSettings(seed=1, min_p=0.1),
        SamplingSettings(greedy=True),
    ],
    ids=["plain", "top-k", "top-p", "min-p", "greedy"],
)
def test_a_run_is_the_same_as_if_the_whole_distribution_were_known(kind: Any, settings: SamplingSettings) -> None:
    with serve(kind) as server:
        run = Generation(connect(server), PROMPT, settings)
        ids = tokenize(PROMPT)
        for _ in range(8):
            step = run.step()
            agrees(step, ids)
            assert step.exact
            ids.append(step.token_id)
        run.go_to(2)
        assert run.force(ids[-1]).probabilities[0, -1] == pytest.approx(np.exp(truth(ids[: len(tokenize(PROMPT)) + 3])[ids[-1]]), rel=1e-3)
        for body in server.steps():
            assert all(isinstance(i, int) for i in body.get("prompt", body.get("input_ids", [None])))
            assert body.get("max_tokens", body.get("n_predict", body.get("sampling_params", {}).get("max_new_tokens"))) == 1


def test_the_facts_of_the_model_come_from_the_server_and_the_configuration() -> None:
    with serve(FakeVLLM()) as vllm, serve(FakeLlama()) as llama:
        one, two = connect(vllm), connect(llama)
    assert (one.device, two.device) == ("server (vLLM)", "server (llama-server)")
    assert one.name == f"tiny at 127.0.0.1:{vllm.port}"
    assert (one.context_length, two.context_length, one.vocabulary_size) == (512, 512, 512)
    assert two.parameter_count == one.parameter_count == 426_624  # of the network that the configuration describes
    assert one.cache_bytes_per_token == 2 * 2 * 32 * 2 * 4  # layers, heads, head size, keys and values, float32
    assert one.end_token_ids == frozenset({1})
    assert isinstance(one, ServerModel)
    with pytest.raises(NotForThisModel):
        _ = one.network
    with pytest.raises(NotForThisModel):
        one.engine.backend.new_state()
    assert one.shape.layer_count == 2


def test_what_was_reused_is_the_servers_own_count() -> None:
    with serve(FakeLlama()) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(greedy=True))
        run.step()
        second = run.step()
        assert (second.forward.computed_tokens, second.forward.reused_tokens) == (1, second.position - 1)
        assert second.forward.cache_bytes == second.position * run.model.cache_bytes_per_token == run.cache_bytes
        assert second.forward.seconds > 0
        assert second.forward.server_seconds == pytest.approx(0.003729)
        alone = Generation(run.model, PROMPT, use_cache=False).step()
        assert alone.forward.reused_tokens == 0
        assert server.steps()[-1]["cache_prompt"] is False
    with serve(FakeVLLM()) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(greedy=True))
        assert [run.step().forward.reused_tokens for _ in range(3)] == [0, 8, 12]  # whole blocks of four
        assert "cache_salt" not in server.steps()[-1]
        Generation(run.model, PROMPT, SamplingSettings(greedy=True), use_cache=False).step()
        assert server.steps()[-1]["cache_salt"]


def test_a_short_list_is_learned_from_the_refusal_and_shown_with_a_mark() -> None:
    with serve(FakeVLLM(limit=20)) as server:
        model = connect(server)
        assert any("--max-logprobs" in note for note in model.notes)
        run = Generation(model, PROMPT, top_n=50)
        distribution = run.next_distribution()
        expected = np.exp(truth(tokenize(PROMPT)))
        assert len(distribution.candidates) == 20
        for candidate in distribution.candidates:
            assert candidate.model_probability == pytest.approx(expected[candidate.token_id], rel=1e-4)
        assert distribution.rest_model_probability == pytest.approx(1 - np.sort(expected)[-20:].sum(), abs=1e-5)
        assert distribution.exact
        assert "upper bounds" in distribution.note
        hot = run.next_distribution(SamplingSettings(temperature=1.4))
        assert not hot.exact
        assert hot.stage_exact == (True, False)
        assert "temperature" in hot.note
        cut = run.next_distribution(SamplingSettings(temperature=1.4, top_k=5))
        assert cut.stage_exact == (True, False, True)
        assert sum(body["logprobs"] > 20 for body in server.steps()) == 1


def test_a_roll_into_the_rest_asks_for_more_and_then_says_so_without_losing_anything() -> None:
    far = next(seed for seed in range(100) if dice.roll(seed, 0) > 0.98)
    with serve(FakeVLLM(limit=20)) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(seed=far))
        with pytest.raises(NotForThisModel, match="20 tokens that the server lists"):
            run.step()
        assert run.path == []
        run.settings = SamplingSettings(seed=far, top_p=0.3)
        assert run.step().exact
    with serve(FakeVLLM(limit=VOCABULARY)) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(seed=far))
        step = run.step()
        agrees(step, tokenize(PROMPT))
        assert step.rank > 100
        assert server.steps()[-1]["logprobs"] == VOCABULARY


def test_a_forced_token_beyond_the_list_gets_its_own_odds() -> None:
    ids = tokenize(PROMPT)
    rare = int(np.argsort(truth(ids))[5])
    with serve(FakeVLLM(limit=20)) as server:
        step = Generation(connect(server), PROMPT).force(rare)
        assert step.model_probability == pytest.approx(np.exp(truth(ids)[rare]), rel=1e-4)
        assert (step.rank, step.token_id) == (21, rare)
        assert server.steps()[-1]["allowed_token_ids"] == [rare]
    with serve(FakeVLLM(limit=20, mode="processed_logprobs")) as server, pytest.raises(NotForThisModel):
        Generation(connect(server), PROMPT).force(rare)
    with serve(FakeLlama()) as server:
        step = Generation(connect(server), PROMPT).force(rare)
        assert step.model_probability == pytest.approx(np.exp(truth(ids)[rare]), rel=1e-4)
        assert step.rank == VOCABULARY - 5


def test_processed_log_probabilities_are_noticed_and_asked_for_neutrally() -> None:
    with serve(FakeVLLM(limit=VOCABULARY, mode="processed_logprobs")) as server:
        run: Any = Generation(connect(server), PROMPT, SamplingSettings(seed=2))
        assert any("neutral" in note for note in run.model.notes)
        agrees(run.step(), tokenize(PROMPT))
        asked = server.steps()[-1]
    assert (asked["temperature"], asked["top_p"], asked["top_k"], asked["min_p"], asked["repetition_penalty"]) == (1.0, 1.0, 0, 0.0, 1.0)


SGLANG_BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no log-probabilities": (lambda body: body | {"meta_info": {"prompt_tokens": 3}}, WrongServer, "no token ids"),
    "null": (lambda body: body | {"meta_info": None}, WrongServer, "no token ids"),
    "short entries": (lambda body: body | {"meta_info": {"output_top_logprobs": [[[-1.0]]]}}, WrongServer, "no token ids"),
    "texts for ids": (
        lambda body: body | {"meta_info": {"output_top_logprobs": [[[-1.0, "x", None]]], "output_token_logprobs": [[-1.0, "x", None]]}},
        WrongServer,
        "do not exist",
    ),
    "an id twice": (
        lambda body: (
            body | {"meta_info": {"output_top_logprobs": [[[-1.0, 1, None], [-1.0, 1, None]]], "output_token_logprobs": [[-1.0, 1, None]]}}
        ),
        WrongServer,
        "do not exist",
    ),
    "an empty list": (
        lambda body: body | {"meta_info": {"output_top_logprobs": [[]], "output_token_logprobs": [[-1.0, 1, None]]}},
        WrongServer,
        "do not exist",
    ),
    "huge numbers": (
        lambda body: body | {"meta_info": {"output_top_logprobs": [[[10**400, 1, None]]], "output_token_logprobs": [[-1.0, 1, None]]}},
        WrongServer,
        "digits",
    ),
    "everything refused": (lambda body: {"error": {"message": "no"}}, WrongServer, "no token ids"),
}


@pytest.mark.parametrize("what", SGLANG_BAD)
def test_a_bad_answer_of_sglang_is_one_sentence(what: str) -> None:
    change, error, words = SGLANG_BAD[what]
    with serve(FakeSGLang(change=change)) as server, pytest.raises(error, match=words) as caught:
        connect(server)
    assert str(caught.value).endswith(".") and len(str(caught.value)) < 250


def test_sglang_lists_after_the_temperature_unless_it_was_told_otherwise() -> None:
    ids = tokenize(PROMPT)
    rare = int(np.argsort(truth(ids))[5])
    for raw in (False, True):
        with serve(FakeSGLang(raw=raw)) as server:
            run: Any = Generation(connect(server), PROMPT, SamplingSettings(seed=2, temperature=0.7))
            assert run.model.server_kind == "SGLang" and any("neutral" in note for note in run.model.notes) is not raw
            agrees(run.step(), ids)
            sent = server.steps()[-1]
            assert sent["sampling_params"]["temperature"] == 1.0 and sent["return_logprob"] is True and "text" not in sent
            run.go_to(-1)
            run.settings = SamplingSettings(top_k=5)
            step = run.force(rare)
            assert step.model_probability == pytest.approx(np.exp(truth(ids)[rare]), rel=1e-4)
            assert any(body.get("token_ids_logprob") == [rare] for body in server.steps())
            assert run.step().forward.reused_tokens == step.position


def test_llama_server_is_never_asked_to_sample_half_a_character() -> None:
    ids, halves = tokenize(PROMPT), frozenset(range(100, 200))
    assert any(int(truth([*ids, i]).argmax()) in halves for i in range(50))
    with serve(FakeLlama(split=halves)) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(greedy=True))
        for _ in range(30):
            agrees(run.step(), ids)
            ids.append(run.path[-1].token_id)
        assert any(i in halves for i in ids[11:])
        assert len(server.steps()) == 30 + 3  # three to try it out


def test_a_run_outlives_its_server() -> None:
    with serve(FakeVLLM(limit=VOCABULARY)) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(top_p=0.9, seed=4))
        run.step()
        kept = run.text
    for _ in range(2):
        with pytest.raises(ServerGone, match="does not answer"):
            run.step()
    assert run.text == kept
    assert run.finished is None
    with serve(FakeVLLM(limit=VOCABULARY), port=server.port):
        run.step()
    assert len(run.path) == 2


def test_a_run_on_a_server_is_recorded_with_its_marks_and_without_secrets() -> None:
    with serve(FakeVLLM()) as server:
        address = server.address.replace("http://", "http://anna:hunter2@")
        model = load_model(address, tokenizer=str(TINY))
        run = Generation(model, PROMPT, SamplingSettings(temperature=0.9, top_k=3))
        run.step()
        assert server.asked[-1].headers["authorization"].startswith("Basic ")
    text = Recording.of(run).dumps()
    assert "hunter2" not in text
    assert "anna" not in text
    replay = Recording.loads(text).replay()
    step = replay.step()
    assert (step.top_logprobs_count, step.stage_exact, step.note) == (20, (True, False, True), run.path[0].note)
    assert step.forward.server_seconds == run.path[0].forward.server_seconds


def test_a_key_is_sent_and_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serve(FakeVLLM()) as server:
        model = connect(server, api_key="sk-very-secret")
        assert all(asked.headers["authorization"] == "Bearer sk-very-secret" for asked in server.asked)
    with pytest.raises(ServerGone) as caught:
        Generation(model, PROMPT).step()
    seen = [caplog.text, model.name, str(caught.value), repr(caught.value.__cause__), *model.notes]
    assert not any("very-secret" in text for text in seen)


def test_an_openai_like_server_is_not_watched_without_ids() -> None:
    """transformers serve answers 200 and leaves out what was asked for."""

    def forgetful(body: dict[str, Any]) -> dict[str, Any]:
        choice = body["choices"][0]
        return body | {"choices": [{"text": choice["text"], "index": 0, "logprobs": None, "finish_reason": "length"}]}

    with serve(FakeVLLM(change=forgetful)) as server, pytest.raises(WrongServer, match="sends no token ids"):
        connect(server)


# The answers of real servers, word for word.


def replaying(*names: str) -> Any:
    known = {(recorded(name)["request"]["method"], recorded(name)["request"]["path"]): recorded(name) for name in names}

    def answer(asked: Any) -> Reply:
        found = known.get((asked.method, asked.path))
        return Reply(404) if found is None else Reply(found["status"], found["body"].encode(), found["content_type"])

    return answer


@pytest.mark.parametrize(
    ("names", "listed"),
    [(("vllm_v1_models", "vllm_step", "vllm_metrics"), 20), (("llamacpp_v1_models", "llamacpp_step", "llamacpp_metrics"), 20)],
    ids=["vLLM", "llama-server"],
)
def test_a_recorded_answer_is_read(names: tuple[str, ...], listed: int) -> None:
    """Both servers ran the same weights: 215 before 463 before 150, with the log-probabilities of transformers."""
    with serve(replaying(*names)) as server:
        run: Any = Generation(connect(server), PROMPT, SamplingSettings(greedy=True))
        step = run.step()
        assert run.model.metrics().hit_rate is not None
    assert (step.token_id, step.top_logprobs_count) == (215, listed)
    assert step.token_ids[:4].tolist() == [215, 463, 150, 338]
    np.testing.assert_allclose(step.logits[:4], [-2.8135557, -3.3977070, -4.0177765, -4.2726250], atol=2e-5)


@pytest.mark.parametrize("name", ["vllm_step", "llamacpp_step"])
def test_requests_are_those_that_a_real_server_understood(name: str) -> None:
    kind: Any = FakeVLLM() if name.startswith("vllm") else FakeLlama()
    with serve(kind) as server:
        Generation(connect(server), PROMPT).next_distribution()
        sent = server.steps()[-1]
    understood = recorded(name)["request"]["json"]
    documented = {"top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty", "logit_bias", "response_fields"}
    assert set(sent) - set(understood) <= documented
    assert sent["prompt"] == understood["prompt"]


@pytest.mark.parametrize(("name", "kind"), [("vllm_too_long", FakeVLLM), ("llamacpp_too_long", FakeLlama)])
def test_a_text_that_the_server_does_not_take_is_said_so(name: str, kind: Any) -> None:
    fake = kind()
    tight = False

    def answer(asked: Any) -> Reply:
        return Reply(400, recorded(name)["body"].encode()) if tight and "complet" in asked.path else fake(asked)

    with serve(answer) as server:
        run = Generation(connect(server), PROMPT)
        tight = True
        with pytest.raises(PromptTooLong):
            run.step()
        tight = False
        assert run.force(300).token_id == 300


def test_a_list_of_all_tokens_is_normalised() -> None:
    """llama-server's own sum is off by a common factor, which would move every border of the dice."""

    class Offset(FakeLlama):
        def __call__(self, asked: Any) -> Reply:
            reply = super().__call__(asked)
            if asked.path != "/completion":
                return reply
            body = json.loads(cast(bytes, reply.parts))
            for entry in body["completion_probabilities"][0]["top_logprobs"]:
                entry["logprob"] -= 3e-4
            return Reply.of(body)

    with serve(Offset()) as server:
        model, ids = connect(server), tokenize(PROMPT)
        listed = model.engine.forward(ids, top_logprobs=VOCABULARY).logits.top_logprobs
        np.testing.assert_allclose(listed.logprobs, np.sort(truth(ids))[::-1], atol=1e-7)


@pytest.mark.parametrize("kind", [FakeVLLM, FakeLlama])
def test_another_model_at_the_address_is_said_whatever_fails_first(kind: Any) -> None:
    fake, started = kind(), False

    def answer(asked: Any) -> Reply:
        if started and asked.path == "/v1/models":
            return Reply.of({"data": [{"id": "another", "owned_by": "llamacpp", "meta": {"n_vocab": 7}}]})
        if started:
            return Reply.of({"error": {"message": "token id 300 is out of range", "type": "invalid_request_error"}}, 400)
        return fake(asked)

    with serve(answer) as server:
        run = Generation(connect(server), PROMPT, SamplingSettings(seed=1))
        run.step()
        started = True
        with pytest.raises(ServerGone, match=r"now runs another model\. The text is kept"):
            run.step()
        assert len(run.path) == 1
