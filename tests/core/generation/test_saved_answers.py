"""A saved answer of an inference server opens as a recording: the file's own numbers, characters joined from bytes, nothing invented."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from core import Recording
from core.errors import BadRecording
from core.generation import saved_answers
from core.inspection.scored_answer import scored_answer
from core.record.csv_text import csv_text
from core.record.tables import steps_table
from core.sources.capabilities import Can
from tests.core.record.test_logprob_formats import GEMINI, ONE
from tests.core.refusals import one_sentence
from tests.core.remote.serving import recorded

FOX = "🦊".encode()


def entry(raw: bytes, logprob: float | None, others: list[tuple[bytes, float]] | None = None, **more: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"token": raw.decode("utf-8", "replace"), "bytes": list(raw), "logprob": logprob, **more}
    if others is not None:
        made["top_logprobs"] = [entry(one, value) for one, value in others]
    return made


SPLIT = [
    entry(b"A ", -0.5, [(b"A ", -0.5), (b"B", -1.5)]),
    entry(FOX[:2], -1.0, [(b"dog", -0.9), (FOX[:2], -1.0)]),
    entry(FOX[2:], -0.01, [(FOX[2:], -0.01)]),
    entry(b"!", -3.0, [(b".", -0.2), (b"?", -2.5)]),
]


def chat(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"object": "chat.completion", "model": "m", "choices": [{"index": 0, "logprobs": {"content": list(entries)}}], **more}


def opened(value: Any) -> Recording:
    return Recording.from_response(value if isinstance(value, str | bytes) else json.dumps(value))


@pytest.fixture(scope="module")
def split() -> Recording:
    return opened(chat(*SPLIT))


def test_a_character_split_over_two_tokens_has_its_text_and_its_probabilities(split: Recording) -> None:
    assert split.text == "A 🦊!"
    assert [step.text for step in split.path] == ["A ", "", "🦊", "!"]
    assert [step.piece for step in split.path] == ["A␣", "⟨F0⟩⟨9F⟩", "⟨A6⟩⟨8A⟩", "!"]
    assert [step.model_probability for step in split.path] == pytest.approx([math.exp(p) for p in (-0.5, -1.0, -0.01, -3.0)], rel=1e-6)
    assert [step.rank for step in split.path] == [1, 2, 1, 3]
    assert split.path[3].rest_model_probability == pytest.approx(1 - sum(math.exp(p) for p in (-0.2, -2.5, -3.0)), rel=1e-5)


def test_a_token_without_an_id_has_none_and_its_bytes(split: Recording) -> None:
    step = split.path[1]
    assert step.token_id is None and step.raw == FOX[:2] and split.model.token(step.key).token_id is None
    assert [candidate.token_id for candidate in step.candidates] == [None, None]
    assert [candidate.key == step.key for candidate in step.candidates] == [False, True]
    assert step.chosen.text == "" and step.chosen_by == "server" and step.roll is None


def test_its_handout_its_pictures_and_its_table_show_what_is_there_and_leave_out_the_rest(split: Recording, tmp_path: Path) -> None:
    replay = split.replay()
    replay.generate()
    page = replay.to_html()
    assert page is not None and "🦊" in page and "not in this file" in page and "NaN" not in page
    replay.to_gif(tmp_path / "run.gif")
    replay.path[1].to_image(tmp_path / "step.svg")
    assert "not in this file" in (tmp_path / "step.svg").read_text("utf-8")
    table = steps_table(replay.path)
    assert table[["token_id", "position", "computed_tokens", "cache_bytes", "seconds", "roll"]].isna().all(axis=None)
    assert table.model_probability.iloc[0] == pytest.approx(math.exp(-0.5)) and "A ␣" not in csv_text(table)
    replay.chart().to_dict() if hasattr(replay.chart(), "to_dict") else replay.chart()


def test_it_is_a_recording_that_can_be_saved_and_opened_again(split: Recording) -> None:
    again = Recording.loads(split.dumps())
    assert again.text == split.text and Can.FACTS not in again.model.can
    assert [step.probabilities.tolist() for step in again.path] == [step.probabilities.tolist() for step in split.path]
    assert Recording.loads(json.dumps(chat(*SPLIT))).text == split.text, "the field that opens recordings takes answers too"


def test_what_was_not_measured_stays_so() -> None:
    made = opened(chat(entry(b"a", 0.0, []), entry(b"b", None, []), entry(b"c", -9999.0, [(b"x", -0.1)]), entry(b"d", 0.0, [(b"d", 0.0)])))
    assert [step.rank for step in made.path] == [0, 0, 0, 1]
    assert [math.isnan(step.model_probability) for step in made.path] == [True, True, True, False]
    assert made.path[2].candidates[0].model_probability == pytest.approx(math.exp(-0.1), rel=1e-6)
    assert math.isnan(made.path[0].surprise) and math.isnan(made.path[0].model_entropy)
    again = Recording.loads(made.dumps())
    again_run = again.replay()
    again_run.generate()
    page = again_run.to_html()
    assert page is not None and "not measured" in page and "nan" not in page.lower().replace("finance", "")


def test_completions_name_bytes_and_ids() -> None:
    lists = {
        "tokens": ["bytes:\\xf0\\x9f", "bytes:\\xa6\\x8a", " fox", "token_id:7"],
        "token_logprobs": [-1.0, -0.1, -0.2, -0.3],
        "top_logprobs": [{"bytes:\\xf0\\x9f": -1.0, " a": -1.2}, None, {" fox": -0.2}, {"token_id:7": -0.3, "token_id:8": -2.0}],
    }
    made = opened({"object": "text_completion", "choices": [{"text": "🦊 fox", "index": 0, "logprobs": lists}]})
    assert made.text == "🦊 fox" and [step.token_id for step in made.path] == [None, None, None, 7]
    assert [candidate.token_id for candidate in made.path[3].candidates] == [7, 8] and made.path[3].piece == "#7"


def test_an_echoed_prompt_is_the_beginning_and_its_tokens_are_not_the_servers_choice() -> None:
    lists = {"tokens": ["Once", " upon", " a"], "token_logprobs": [None, -0.5, -0.1], "top_logprobs": [None, {" upon": -0.5}, {" a": -0.1}]}
    made = opened({"choices": [{"logprobs": lists, "text": ""}], "usage": {"prompt_tokens": 2}})
    assert made.prompt == "Once" and made.text == "Once upon a"
    assert [step.chosen_by for step in made.path] == ["forced", "server"]


RESPONSES = {
    "model": "r",
    "output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "x", "logprobs": SPLIT}]}],
}
SGLANG = {
    "text": " a b",
    "meta_info": {
        "output_token_logprobs": [[-0.5, 10, " a"], [-0.1, 11, " b"]],
        "output_top_logprobs": [[[-0.5, 10, " a"], [-1.5, 12, " c"]], None],
    },
}
TGI = {
    "generated_text": " a",
    "details": {
        "tokens": [{"id": 10, "text": " a", "logprob": -0.5, "special": False}],
        "top_tokens": [[{"id": 10, "text": " a", "logprob": -0.5}]],
    },
}
OLLAMA = "\n".join(
    json.dumps(line)
    for line in (
        {"model": "o", "response": "A ", "done": False, "logprobs": [SPLIT[0]]},
        {"model": "o", "response": "!", "done": False, "logprobs": [SPLIT[3]]},
        {"model": "o", "response": "", "done": True},
    )
)


@pytest.mark.parametrize(
    ("value", "text", "ids"),
    [
        (RESPONSES, "A 🦊!", [None] * 4),
        (SGLANG, " a b", [10, 11]),
        (TGI, " a", [10]),
        (OLLAMA, "A !", [None] * 2),
        ({"custom_id": "1", "response": {"status_code": 200, "body": chat(*SPLIT)}}, "A 🦊!", [None] * 4),
        (recorded("llamacpp_step")["body"], " ar", [510]),
        (recorded("llamacpp_stream")["body"], None, [215]),
        (recorded("vllm_step")["body"], "", [338]),
        (recorded("vllm_stream")["body"], "", [215]),
    ],
    ids=["responses", "SGLang", "TGI", "Ollama lines", "batch line", "llama-server", "llama-server stream", "vLLM", "vLLM stream"],
)
def test_the_forms_of_the_servers(value: Any, text: str | None, ids: list[int | None]) -> None:
    made = opened(value)
    assert text is None or made.text == text
    assert [step.token_id for step in made.path][: len(ids)] == ids
    assert len(made.branches()) == 1


def test_a_saved_stream_is_joined_in_order() -> None:
    chunks = [
        {"id": "c1", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "logprobs": {"content": [one]}}]}
        for one in SPLIT
    ]
    text = "\n\n".join(f"data: {json.dumps(chunk)}" for chunk in chunks) + "\n\ndata: [DONE]\n"
    assert opened(text).text == "A 🦊!"


def test_several_answers_are_branches_and_equal_tokens_share_a_key() -> None:
    several = [chat(*SPLIT[:2]), chat(SPLIT[0]), {"choices": chat(*SPLIT)["choices"] * 2}]
    for text in (json.dumps(several), json.dumps(several, indent=2), "\n".join(map(json.dumps, several))):
        made = opened(text)
        assert [len(made.path_to(branch.node_id)) for branch in made.branches()] == [2, 1, 4, 4]
        assert len({made.nodes[node].step.key for node in made.nodes[0].children}) == 1  # type: ignore[union-attr]


def test_tokens_with_the_same_bytes_stay_apart() -> None:
    made = opened(chat(entry(b"\xef\xbf\xbd", -1.0, [(b"\xef\xbf\xbd", -1.0), (b"\xef\xbf\xbd", -1.5)])))
    assert len({candidate.key for candidate in made.path[0].candidates}) == 2


def test_the_value_of_a_file_is_taken_as_its_text_is() -> None:
    assert Recording.from_response(chat(*SPLIT)).text == Recording.from_response([chat(*SPLIT)]).text == "A 🦊!"
    with pytest.raises(BadRecording, match="the dictionary in it, not set"):
        Recording.from_response({1})  # type: ignore[arg-type]


def test_whole_answers_with_one_id_stay_apart() -> None:
    message = {"index": 0, "message": {"content": "x"}, "finish_reason": "stop"}
    lists = {"tokens": ["a"], "token_logprobs": [-0.5]}
    for one in (
        {"id": "same", "choices": [message | {"logprobs": {"content": [ONE]}}]},
        {"id": "same", "object": "text_completion", "choices": [{"index": 0, "logprobs": lists, "finish_reason": "length"}]},
        {"responseId": "same", "candidates": [{"logprobsResult": GEMINI, "finishReason": "STOP"}]},
    ):
        made = opened([one, one])
        assert [len(made.path_to(branch.node_id)) for branch in made.branches()] == [1, 1]


PROMPT = [None, {"5": {"logprob": -1.0, "rank": 1, "decoded_token": " a"}}]
SGLANG_INPUT = {"input_token_logprobs": [[None, 4, "x"], [-1.0, 5, " a"]], "input_top_logprobs": [None, [[-1.0, 5, " a"], [-2.0, 6, " b"]]]}
TGI_PREFILL = [{"id": 4, "text": "x", "logprob": None}, {"id": 5, "text": " a", "logprob": -1.0}]


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ({"prompt_logprobs": PROMPT}, []),
        (
            {
                "prompt_token_ids": [4, 5],
                "prompt_logprobs": PROMPT,
                "outputs": [{"token_ids": [7], "logprobs": [{"7": {"logprob": -0.5, "decoded_token": "!"}}]}],
            },
            ["!"],
        ),
        ({"meta_info": SGLANG_INPUT}, []),
        ({"meta_info": SGLANG_INPUT | {"output_token_logprobs": [[-0.5, 7, "!"]]}}, ["!"]),
        ({"generated_text": "", "details": {"prefill": TGI_PREFILL, "tokens": []}}, []),
        ({"generated_text": "!", "details": {"prefill": TGI_PREFILL, "tokens": [{"id": 7, "text": "!", "logprob": -0.5}]}}, ["!"]),
    ],
    ids=["vLLM", "vLLM in Python", "SGLang alone", "SGLang", "TGI alone", "TGI"],
)
def test_the_tokens_of_a_prompt_are_given_in_every_form(value: dict[str, Any], answer: list[str]) -> None:
    path = opened(value).path
    assert [step.text for step in path] == [" a", *answer] and [step.chosen_by for step in path] == ["forced", "server"][: len(path)]
    assert [step.model_probability for step in path] == pytest.approx([math.exp(number) for number in (-1.0, -0.5)[: len(path)]])


LISTED = {"content": [ONE]}


@pytest.mark.parametrize(
    "value",
    [
        {"generations": [[{"text": "Hi", "generation_info": {"logprobs": {"tokens": ["Hi"], "token_logprobs": [-0.1]}}}]]},
        {
            "generations": [
                [{"generation_info": {"logprobs": LISTED}, "message": {"content": "Hi", "response_metadata": {"logprobs": LISTED}}}]
            ]
        },
        {"content": "Hi", "response_metadata": {"logprobs": [ONE]}},
        {"content": "Hi", "response_metadata": {"logprobs_result": [ONE]}},
        {"logprobs": [{"token_ids": [1], "text": "Hi", "logprobs": [-0.1]}]},
        {"logprobs": [{"token_ids": [1, 2], "text": "Hi", "logprobs": [-0.05, -0.05]}]},
    ],
    ids=["completions", "chat", "Ollama", "Gemini", "Cohere", "Cohere, two tokens"],
)
def test_the_shapes_of_langchain_and_cohere(value: dict[str, Any]) -> None:
    made = opened(value)
    assert len(made.branches()) == 1
    assert [(step.text, step.model_probability) for step in made.path] == [("Hi", pytest.approx(math.exp(-0.1)))]


def test_the_chunks_of_langchain_and_of_gemini_are_one_answer() -> None:
    chunks = [
        {"type": "AIMessageChunk", "id": "run-1", "response_metadata": {"logprobs": {"content": [entry(raw, -0.5)]}}}
        for raw in (b"a", b"b")
    ]
    parts = [{"candidates": [{"logprobsResult": {"chosenCandidates": [{"token": text, "logProbability": -0.5}]}}]} for text in "ab"]
    for value in (chunks, "".join(f"data: {json.dumps(part)}\n\n" for part in parts)):
        made = opened(value)
        assert (made.text, len(made.branches())) == ("ab", 1)


TGI_LINES = [
    {"token": {"id": 10 + place, "text": text, "logprob": -0.5}, "generated_text": "ab" if place else None}
    for place, text in enumerate("ab")
]
SGLANG_LINES = [
    {"meta_info": {"id": "s", "finish_reason": None, "output_token_logprobs": [[-0.5, 10, "a"]]}},
    {"meta_info": {"id": "s", "finish_reason": {"type": "stop"}, "output_token_logprobs": [[-0.5, 10, "a"], [-0.1, 11, "b"]]}},
]
PLAIN_CHUNKS = [{"choices": [{"delta": {}, "logprobs": {"content": [entry(raw, -0.5)]}}]} for raw in (b"a", b"b")]
TEXT_CHUNKS = [{"choices": [{"text": text, "logprobs": {"tokens": [text], "token_logprobs": [-0.5]}}]} for text in "ab"]
EVENTS = [
    *({"type": "response.output_text.delta", "item_id": "i", "logprobs": [{"token": text, "logprob": -0.5}]} for text in "ab"),
    {"type": "response.output_text.done", "item_id": "i", "logprobs": [{"token": text, "logprob": -0.5} for text in "ab"]},
    {"type": "response.completed", "response": {"output": [{"type": "message", "content": [{"logprobs": [entry(b"a", -0.5)]}]}]}},
]


@pytest.mark.parametrize(
    "lines", [TGI_LINES, SGLANG_LINES, PLAIN_CHUNKS, TEXT_CHUNKS, EVENTS], ids=["TGI", "SGLang", "chat", "text", "responses"]
)
@pytest.mark.parametrize("before", ["", "id: 1\nevent: message\n"], ids=["data", "all fields"])
def test_a_saved_stream_without_ids_is_one_text(lines: list[dict[str, Any]], before: str) -> None:
    made = opened("".join(f"{before}data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n")
    assert made.text == "ab" and len(made.branches()) == 1
    assert [step.model_probability for step in made.path] == pytest.approx([math.exp(-0.5), made.path[1].model_probability])


def test_the_chosen_token_has_its_own_probability_among_tokens_with_its_text() -> None:
    twice = {**entry(b"true", -1.2), "top_logprobs": [entry(b"true", -0.7), entry(b"true", -1.2), entry(b"false", -2.0)]}
    lists = {"tokens": ["true"], "token_logprobs": [-0.7], "top_logprobs": [{"true": -2.4, "false": -1.6}]}
    for value, logprob, rank, rows in ((chat(twice), -1.2, 2, 3), ({"choices": [{"logprobs": lists}]}, -0.7, 1, 3)):
        (step,) = opened(value).path
        assert (step.model_probability, step.rank) == (pytest.approx(math.exp(logprob), rel=1e-6), rank)
        assert len(step.candidates) == rows and len({candidate.key for candidate in step.candidates}) == rows
    (same,) = opened(chat({**entry(b"a", -0.3), "top_logprobs": [entry(b"a", -0.1), entry(b"b", -3.0)]})).path
    assert len(same.candidates) == 2, "together they would be more than 100 %, so it is one token"


def test_a_character_that_was_held_back_has_all_its_bytes() -> None:
    bear = "🦍".encode()
    held = {"id": 141, **entry(bear, -0.2), "top_logprobs": [{"id": 141, **entry(bear[3:], -0.2)}, {"id": 9, **entry(b"x", -2.0)}]}
    (step,) = opened({"completion_probabilities": [held]}).path
    assert (step.text, step.token_id, step.rank) == ("🦍", None, 1)
    assert [candidate.token_id for candidate in step.candidates] == [None, 9]


def test_zeros_without_lists_are_certain_tokens_where_other_numbers_stand_beside_them() -> None:
    content = [{"token": f" w{place}", "logprob": 0.0 if place % 5 else -1.0, "top_logprobs": []} for place in range(10)]
    replay = opened(chat(*content)).replay()
    replay.generate()
    scored = scored_answer(replay)
    assert (scored.scored_count, scored.perplexity) == (10, pytest.approx(math.exp(0.2)))
    zeros = opened(chat(*({**one, "logprob": 0.0} for one in content)))
    assert all(math.isnan(step.model_probability) for step in zeros.path), "a server that writes only zeros measures nothing"


DEEP = '{"choices": ' + "[" * 4_000 + "]" * 4_000 + "}"


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        '{"choices": [{"message": {"content": "no log-probabilities"}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": NaN}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": 3}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": "-1"}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": true}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"logprob": -1}]}}]}',
        '{"choices": [{"logprobs": {"content": [3]}}]}',
        '{"choices": [{"logprobs": {"content": {"a": 1}}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "bytes": [256], "logprob": -1}]}}]}',
        '{"choices": [{"logprobs": {"content": [{"token": "a", "id": -5, "logprob": -1}]}}]}',
        json.dumps(chat(entry(b"a", -1.0, [(b"b", -0.1), (b"c", -0.1)]))),
        json.dumps(chat({**entry(b"a", -1.0), "top_logprobs": [entry(b"b", -2.0, id=1), entry(b"c", -2.0, id=1)]})),
        '{"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": []}}]}',
        '{"choices": [{"logprobs": {"tokens": [1], "token_logprobs": [-1]}}]}',
        '{"meta_info": {"output_token_logprobs": [[1, 2]]}}',
        '{"meta_info": {"output_token_logprobs": [7]}}',
        '{"details": {"tokens": [7]}}',
        json.dumps(chat(entry(b"x" * 5_000, -1.0))),
        "\n".join(["{}"] * 30_000),
        json.dumps([chat(SPLIT[0])] * 300),
        "\ud800",
    ],
)
def test_anything_else_is_one_sentence(text: str) -> None:
    with one_sentence(BadRecording):
        Recording.loads(text)


def test_a_file_is_bounded_in_bytes_and_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRecording, match="too large"):
        Recording.from_response(b" " * (saved_answers.LARGEST_FILE + 1))
    monkeypatch.setattr(saved_answers, "MOST_STEPS", 3)
    with pytest.raises(BadRecording, match="too large"):
        opened(chat(*SPLIT))
    monkeypatch.setattr(saved_answers, "MOST_ENTRIES", 3)
    with pytest.raises(BadRecording, match="too large"):
        opened(chat(*SPLIT))


def test_a_very_long_list_keeps_its_likeliest_tokens() -> None:
    many = [entry(b"%d" % number, -8.0 - number / 1000) for number in range(3_000)][::-1]
    made = opened(chat({**entry(b"0", -8.0), "top_logprobs": many}))
    assert len(made.path[0].candidates) == 1_000 and made.path[0].rank == 1


def test_it_keeps_no_invented_probability(split: Recording) -> None:
    for step in split.path:
        assert step.stage_names == ("model",) and step.dice_starts.tolist() != [] and all(map(math.isnan, step.dice_starts.tolist()))
        assert step.is_open and "lower bound" in step.note and step.top_logprobs_count == len(step.candidates)


def test_it_can_be_read_as_a_scored_text(split: Recording) -> None:
    replay = split.replay()
    replay.generate()
    found = scored_answer(replay)
    assert found.scored_count == 4 and found.perplexity == pytest.approx(math.exp((0.5 + 1.0 + 0.01 + 3.0) / 4), rel=1e-6)
    assert [token.rank for token in found.tokens] == [1, 2, 1, 3] and found.tokens[3].candidates[0].piece == "."
    assert found.most_surprising(1)[0].piece == "!" and found.table().token_id.isna().all()


def test_a_list_whose_tokens_lost_their_space_leaves_the_chosen_token_its_own() -> None:
    """As llama-server of early 2025 wrote it; the same token is then also listed at other places."""

    def of(number: int, raw: bytes, logprob: float, *others: tuple[int, bytes, float]) -> dict[str, Any]:
        tops = [entry(text, value, id=other) for other, text, value in others]
        return entry(raw, logprob, id=number) | {"top_logprobs": tops}

    value = {
        "completion_probabilities": [of(11, b" big", -0.5, (11, b"big", -0.5), (13, b"os", -3.0)), of(13, b" os", -2.0, (13, b"os", -2.0))]
    }
    read = opened(value)
    assert [step.text for step in read.path] == [" big", " os"] and [step.token_id for step in read.path] == [11, 13]
    assert Recording.loads(read.dumps()).text == " big os"


def test_the_log_of_llm_is_read() -> None:
    lists = [{"text": "\n", "top_logprobs": [{"\n": -1.9, "\n\n": -0.3}]}, {"text": "Otter", "top_logprobs": [{"Yes": -0.4}]}]
    read = opened({"content": "\nOtter", "logprobs": lists})
    assert [step.text for step in read.path] == ["\n", "Otter"]
    assert [c.text for c in read.path[0].candidates] == ["\n\n", "\n"]
    assert read.path[0].model_probability == pytest.approx(math.exp(-1.9)) and math.isnan(read.path[1].model_probability)
    assert opened([{"response_json": {"content": "\n", "logprobs": lists}}]).text == "\nOtter"


def test_koboldcpps_own_answers_are_read_and_its_floor_is_no_probability() -> None:
    tokens = [entry(b" Hi", -0.2, [(b" Hi", -0.2), (b" Ho", -9.210340371976182)]), entry(b"!", -9.210340371976182, [(b".", -0.1)])]
    read = opened({"results": [{"text": " Hi!", "logprobs": {"content": tokens}}, {"text": " Hi", "logprobs": {"content": tokens[:1]}}]})
    assert read.text == " Hi!" and len(read.branches()) == 2
    assert [c.text for c in read.path[0].candidates] == [" Hi"] and math.isnan(read.path[1].model_probability)
    with pytest.raises(BadRecording, match="contains no log-probabilities"):
        opened({"results": [{"text": " Hi", "logprobs": None}]})
    assert opened({"results": [chat(*SPLIT)]}).text == "A 🦊!"


def done_stream(text: str, own: dict[str, Any], **choice: Any) -> str:
    delta = {"index": 0, "delta": {"content": text}, "logprobs": {"content": [entry(text.encode(), -0.2)]}, **choice}
    return "data: " + json.dumps({**own, "object": "chat.completion.chunk", "choices": [delta]}) + "\n\n"


@pytest.mark.parametrize("own", [{"id": "c"}, {}], ids=["one id", "no id"])
@pytest.mark.parametrize("reason", [None, "stop"])
def test_the_last_line_of_a_stream_ends_an_answer(own: dict[str, Any], reason: str | None) -> None:
    lines = [done_stream("Hel", own), done_stream("lo", own, finish_reason=reason), "data: [DONE]\n"]
    lines += [done_stream("By", own), done_stream("e", own, finish_reason=reason), "data: [DONE]\n"]
    read = opened("".join(lines))
    assert read.text == "Hello" and len(read.branches()) == 2
    assert opened("".join(lines[:2] + lines[3:5])).text == ("Hello" if reason else "HelloBye")


def test_an_answer_of_zeros_was_not_measured_even_with_lists_of_the_token_alone() -> None:
    zeros = [entry(b"A", 0.0, [(b"A", 0.0)]), entry(b"B", 0.0, [(b"B", 0.0)])]
    assert all(math.isnan(step.model_probability) for step in opened(chat(*zeros)).path)
    assert all(math.isnan(step.model_probability) for step in opened(chat(entry(b"A", 0.0), entry(b"B", 0.0, []))).path)
    measured = opened(chat(*zeros, entry(b"C", -1.0, [(b"C", -1.0)])))
    assert [step.model_probability for step in measured.path] == pytest.approx([1.0, 1.0, math.exp(-1.0)])
