"""One address is enough: the app finds out what answers there and what it shows, and writes with what it lists."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core import Recording, SamplingSettings, load_model
from core.errors import BadSetting, BadToken, EmptyPrompt, ModelError, NotForThisModel, RunFinished, ServerGone, WrongServer
from core.generation.generation import Generation
from core.generation.turns import messages_of
from core.record.tables import steps_table
from core.remote.address import Address
from core.remote.begun_answers import try_ways
from core.remote.http_client import HttpClient
from core.remote.text_routes import Chat
from core.remote.text_server_model import ListedModel
from core.reports.settings_text import code
from core.sources.capabilities import Can, require
from tests.core.remote import listed_servers
from tests.core.remote.serving import Asked, Reply, serve

pytestmark = pytest.mark.usefixtures("no_waiting")


def connected(address: str, **options: Any) -> ListedModel:
    model = load_model(address, **options)
    assert isinstance(model, ListedModel)
    return model


NEUTRAL = SamplingSettings(seed=3)
KINDS: dict[str, tuple[Any, str, bool, int]] = {
    "Ollama": (listed_servers.Ollama(), "/api/generate", True, 3),
    "TGI": (listed_servers.tgi, "/generate", True, 3),
    "LM Studio": (listed_servers.lm_studio, "/v1/responses", False, 3),
    "SGLang": (listed_servers.Completions(owner="sglang"), "/v1/completions", True, 3),
    "OpenAI-compatible": (listed_servers.hosted_chat, "/v1/chat/completions", False, 3),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_out_what_answers_and_says_what_that_shows(kind: str) -> None:
    server, path, continues, count = KINDS[kind]
    with serve(server) as running:
        model = connected(running.address)
        assert (model.server_kind, model.route.name, model.route.continues, model.listed) == (kind, path, continues, count)
        assert model.notes and all(note.endswith(".") for note in model.notes)
        run = Generation(model, "Look at", NEUTRAL)
        run.generate(3)
        assert len(run.path) == 3 and run.text.startswith("Look at ")
        assert all(0 < step.model_probability <= 1 for step in run.path)


def test_the_temperature_is_noticed_where_it_changes_the_list() -> None:
    notes = []
    for after in (False, True):
        with serve(listed_servers.Completions(after=after)) as running:
            notes.append(connected(running.address).notes[1])
    assert "before the temperature" in notes[0] and "change with the temperature" in notes[1]


def test_a_smaller_number_of_alternatives_is_taken_and_another_model_can_be_named() -> None:
    with serve(listed_servers.Completions(most=5)) as running:
        model = connected(running.address)
        assert model.route.limit == 5 and model.name.startswith("first at") and any("2 models" in note for note in model.notes)
        second = connected(f"{running.address}#org/second")
        assert second.name.startswith("org/second at") and second.route.model_id == "org/second"
        with pytest.raises(WrongServer, match="no model with this name"):
            load_model(f"{running.address}#third")


def test_our_dice_are_rolled_only_if_the_unlisted_tokens_cannot_change_the_outcome() -> None:
    server = listed_servers.Ollama(choice=1)
    with serve(server) as running:
        model = connected(running.address)
        certain = Generation(model, "the", NEUTRAL)
        assert certain.step().chosen_by == "sampled", "97 % and 3 %: everything is listed"
        doubtful = [Generation(model, "big dog", SamplingSettings(seed=seed)).step() for seed in range(30)]
    by_roll = {step.chosen_by for step in doubtful}
    assert by_roll == {"sampled", "server"}, "70 % are listed, so some rolls fall on what is not"
    for step in doubtful:
        if step.chosen_by == "server":
            assert step.roll is None and step.text == "!", "its own choice"
        else:
            assert step.roll is not None and step.chosen.dice_start is not None
        assert step.is_open and step.rest_model_probability == pytest.approx(0.3, abs=1e-6)
        assert step.probabilities[0].tolist() == pytest.approx([0.5, 0.2])


def test_the_servers_own_choice_follows_the_visitors_temperature() -> None:
    server = listed_servers.Ollama(choice=1)
    with serve(server) as running:
        model = connected(running.address)
        server.asked.clear()
        steps = [Generation(model, "big dog", SamplingSettings(seed=seed, temperature=1.3, top_p=0.95)).step() for seed in range(12)]
        chosen = [step for step in steps if step.chosen_by == "server"]
        assert chosen
        sent = [(body["options"]["temperature"], body["options"]["top_p"]) for body in server.asked]
        assert sent.count((1.3, 0.95)) == len(chosen) and sent.count((1.0, 1.0)) == 12


def test_greedy_is_certain_and_stages_are_ours() -> None:
    with serve(listed_servers.Ollama(choice=1)) as running:
        model = connected(running.address)
        run = Generation(model, "the", SamplingSettings(greedy=True))
        assert (run.generate(2), [step.chosen_by for step in run.path]) == ("the fox.", ["greedy", "greedy"])
        cut = Generation(model, "a", SamplingSettings(top_k=1, seed=1)).next_distribution()
        assert (
            cut.stage_names == ("model", "top-k")
            and cut.candidates[1].removed_by == "top-k"
            and cut.candidates[0].sampling_probability == 1.0
        )


def test_a_listed_token_can_be_forced_where_a_text_is_continued() -> None:
    with serve(listed_servers.Ollama()) as running:
        run = Generation(connected(running.address), "the", NEUTRAL)
        dog = run.next_distribution().candidates[1]
        assert dog.token_id is None
        assert run.force(dog).chosen_by == "forced" and run.text == "the dog"
        run.go_to(-1)
        assert run.force(" fox").text == " fox" and len(run.branches()) == 2
        run.go_to(-1)
        with pytest.raises(NotForThisModel, match="not among them"):
            run.force(" cat")


def test_a_server_that_answers_as_a_whole_says_why_nothing_can_be_forced() -> None:
    with serve(listed_servers.hosted_chat) as running:
        run = Generation(connected(running.address), "Hello", NEUTRAL)
        first = run.step()
        assert (first.chosen_by, run.generate()) == ("server", "Hello the fox.") and run.finished == "end of text"
        assert sum(asked.path == "/v1/chat/completions" for asked in running.asked) == 7, "six to find out, one for the whole answer"
        run.go_to(0)
        with pytest.raises(BadToken, match="as a whole"):
            run.force(run.next_distribution().candidates[1])
        assert run.step().text == " fox" and len(run.nodes) == 4, "the same step again"


HELLO = [{"role": "user", "content": "Hello"}]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("way", ["fields", "last", "prefix"])
def test_a_chat_server_that_continues_a_begun_answer_lets_tokens_be_chosen(way: str, strict: bool) -> None:
    with serve(listed_servers.Chat(way, strict)) as running:
        model = connected(running.address)
        assert model.route.name == "/v1/chat/completions" and model.route.continues and Can.CHAT in model.can
        assert not any("as a whole" in note for note in model.notes)
        whole = Generation(model, HELLO, SamplingSettings(greedy=True))
        assert whole.generate() == "Hello the fox." and {step.chosen_by for step in whole.path} == {"greedy"}
        whole.go_to(0)
        assert whole.force(whole.next_distribution().candidates[1]).text == " dog" and whole.step().text == "."
        assert len(whole.branches()) == 2 and messages_of(whole)[-1] == {"role": "assistant", "content": " the dog."}
        begun = Generation(model, [*HELLO, {"role": "assistant", "content": "It is a"}], SamplingSettings(greedy=True))
        assert begun.step().text == " dog" and messages_of(begun)[-1]["content"] == "It is a dog"
        again = Recording.loads(Recording.of(begun).dumps()).replay()
        assert again.messages == begun.messages and again.step().text == " dog"
        assert "Generation" in code(begun) and "It is a" in code(begun)


def test_deepseek_is_asked_at_its_own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(listed_servers.Chat("beta")) as running:
        route = Chat(HttpClient(Address.parse(running.address)), "chatty")
        try_ways(route, "DeepSeek")
        assert route.continues and running.asked[-1].path == "/beta/chat/completions"
        try_ways(other := Chat(route.client, "chatty"), "OpenAI")
        assert not other.continues and len(running.asked) == 2, "OpenAI is not asked at all"


def test_a_further_turn_and_a_refused_beginning_on_a_server_that_answers_as_a_whole() -> None:
    with serve(listed_servers.hosted_chat) as running:
        model = connected(running.address)
        further = [*HELLO, {"role": "assistant", "content": "Hi."}, {"role": "user", "content": "Go on"}]
        run = Generation(model, further, NEUTRAL)
        run.generate()
        assert messages_of(run) == (*further, {"role": "assistant", "content": " the fox."})
        assert running.asked[-1].body["messages"] == further and run.message_spans == ((0, 1), (1, 2), (2, 3))
        with pytest.raises(BadToken, match="does not continue a begun answer"):
            Generation(model, [*HELLO, {"role": "assistant", "content": "It is"}], NEUTRAL)
    with serve(listed_servers.Ollama()) as running, pytest.raises(ModelError, match="not a chat model"):
        Generation(connected(running.address), HELLO, NEUTRAL)


def test_a_token_that_ends_within_a_character_is_not_sent_back() -> None:
    with serve(listed_servers.Completions()) as running:
        run = Generation(connected(running.address), "a", SamplingSettings(greedy=True))
        half = next(one for one in run.next_distribution().candidates if one.text == "")
        assert half.piece == "⟨F0⟩⟨9F⟩"
        with pytest.raises(BadToken, match="whole characters"):
            run.force(half)


def test_a_text_that_the_server_ends_has_ended() -> None:
    with serve(listed_servers.Ollama()) as running:
        run = Generation(connected(running.address), "It is over.", NEUTRAL)
        with pytest.raises(RunFinished, match="ended its text"):
            run.step()
        assert run.finished == "end of text"


def test_a_mark_that_ends_a_text_is_not_sent_back_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(listed_servers.NEXT, "bye", [(b"</s>", 0.999), (b" now", 0.001)])
    with serve(listed_servers.Completions()) as running:
        run = Generation(connected(running.address), "bye", SamplingSettings(greedy=True))
        step = run.step()
    assert (step.piece, step.text, run.text, run.finished) == ("⟨/s⟩", "", "bye", "end of text")


def test_the_code_of_a_run_says_what_it_cannot_repeat() -> None:
    with serve(listed_servers.Completions()) as running:
        run = Generation(connected(running.address), "dog", NEUTRAL)
        run.step()
    assert "Generation" in code(run) and "None" not in code(run)


def test_a_run_can_be_kept_as_recording_page_and_table() -> None:
    with serve(listed_servers.Completions()) as running:
        run = Generation(connected(running.address), "dog", NEUTRAL)
        run.generate(3)
    again = Recording.loads(Recording.of(run).dumps())
    assert again.text == run.text and [step.chosen_by for step in again.path] == [step.chosen_by for step in run.path]
    assert Can.FACTS in again.model.can and steps_table(again.path).token_id.isna().all()
    page = run.to_html()
    assert page is not None and "not known" in page and "NaN" not in page


def test_what_needs_ids_or_other_settings_says_so() -> None:
    with serve(listed_servers.Ollama()) as running:
        model = connected(running.address)
        for needed in (Can.TOKEN_IDS, Can.PASSES, Can.NETWORK):
            with pytest.raises(NotForThisModel, match="without token ids"):
                require(model, Can.TOKEN_IDS, needed)
        with pytest.raises(BadToken, match="without token ids"):
            model.token(3)
        assert model.known_shape is None
        for settings in (SamplingSettings(repetition_penalty=1.2), SamplingSettings(dry_multiplier=0.8)):
            with pytest.raises(BadSetting, match="without token ids"):
                Generation(model, "a", settings).step()
        with pytest.raises(EmptyPrompt):
            Generation(model, "  ")


def test_a_key_goes_to_the_server_and_nowhere_else() -> None:
    server = listed_servers.Completions(key="sk-secret")
    with serve(server) as running:
        model = connected(running.address, api_key="sk-secret")
        run = Generation(model, "dog", NEUTRAL)
        run.generate(2)
        kept = Recording.of(run).dumps() + str(run.to_html()) + repr(model) + repr(run) + str(model.notes) + repr(vars(model.route).keys())
        assert "sk-secret" not in kept
        assert all(headers["authorization"] == "Bearer sk-secret" for headers in server.headers)
        with pytest.raises(WrongServer, match="access key") as caught:
            load_model(running.address, api_key="sk-wrong")
        assert "sk-wrong" not in str(caught.value)


def test_a_key_that_the_server_repeats_is_removed() -> None:
    def echoing(asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply.of({"data": [{"id": "m sk-secret", "owned_by": "x"}]})
        return Reply.of({"error": {"message": f"bad {asked.headers['authorization']}"}}, 400)

    with serve(echoing) as running, pytest.raises(WrongServer) as caught:
        load_model(running.address, api_key="sk-secret")
    assert "sk-secret" not in f"{caught.value} {caught.value.__cause__}"


BAD: dict[str, tuple[Any, type[ModelError], str]] = {
    "no log-probabilities": ({"choices": [{"text": "x", "logprobs": None}]}, WrongServer, "no log-probabilities"),
    "NaN": (
        b'{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": NaN, "top_logprobs": [{"token": "a", "logprob": NaN}]}]}}]}',
        WrongServer,
        "NaN",
    ),
    "repeated ids": (
        {
            "choices": [
                {
                    "logprobs": {
                        "content": [
                            {
                                "token": "a",
                                "id": 1,
                                "logprob": -1,
                                "top_logprobs": [{"token": "a", "id": 1, "logprob": -1}, {"token": "b", "id": 1, "logprob": -2}],
                            }
                        ]
                    }
                }
            ]
        },
        WrongServer,
        "twice",
    ),
    "missing fields": ({"choices": [{"logprobs": {"content": [{"logprob": -1}]}}]}, WrongServer, "neither a text nor bytes"),
    "more than 100 %": (
        {"choices": [{"logprobs": {"tokens": ["a"], "token_logprobs": [-0.1], "top_logprobs": [{"a": -0.1, "b": -0.1, "c": -0.1}]}}]},
        WrongServer,
        "100 %",
    ),
    "a redirect to a private address": (Reply(302, b"", headers={"Location": "http://169.254.169.254/"}), WrongServer, "redirects"),
    "a huge body": (Reply(200, (b"x" * 65536 for _ in range(1000))), WrongServer, "no log-probabilities"),
    "depth": (b"[" * 100_000, WrongServer, "no log-probabilities"),
    "a number with hundreds of digits": (
        b'{"choices": [{"logprobs": {"content": [{"token": "a", "logprob": 1' + b"0" * 400 + b"}]}}]}",
        WrongServer,
        "larger than 0",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_answer_is_one_sentence(what: str) -> None:
    body, error, words = BAD[what]
    with serve(listed_servers.saying(body)) as running, pytest.raises(error, match=words) as caught:
        load_model(running.address)
    assert str(caught.value).endswith(".") and "\n" not in str(caught.value) and len(str(caught.value)) < 300


def test_a_server_that_becomes_mute_or_vanishes_loses_nothing() -> None:
    server = listed_servers.Ollama()
    with serve(server) as running:
        run = Generation(connected(running.address), "the", NEUTRAL)
        run.step()
        text = run.text
    with pytest.raises(ServerGone, match="text is kept"):
        run.step()
    assert run.text == text


def test_strangers_cannot_name_addresses_that_the_operator_has_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(listed_servers.Completions()) as running, serve(listed_servers.mute) as other:
        monkeypatch.setenv("TOKEN_VIEWER_SERVERS", running.address)
        assert connected(f"{running.address}#org/second").route.model_id == "org/second", "all models of an allowed server"
        with pytest.raises(WrongServer, match="not allowed"):
            load_model(other.address)
        monkeypatch.setenv("TOKEN_VIEWER_SERVERS", f"{running.address}#org/second")
        with pytest.raises(WrongServer, match="not allowed"):
            load_model(running.address)
        assert not other.asked


@pytest.mark.parametrize("text", ["http://a#", "http://a#b c", "http://a#" + "x" * 300, "http://a#<script>", "http://a?x#y"])
def test_the_name_of_a_model_in_an_address_is_checked(text: str) -> None:
    try:
        assert Address.parse(text).model == "" and text.endswith("#")
    except WrongServer as error:
        assert str(error).endswith(".")


def test_an_assumed_number_of_unlisted_tokens_never_makes_a_probability_of_the_server_wrong() -> None:
    with serve(listed_servers.Ollama()) as running:
        seen = Generation(connected(running.address), "dog", SamplingSettings(temperature=0.5)).next_distribution()
    assert seen.probabilities[0].tolist() == [math.exp(math.log(0.5)), math.exp(math.log(0.2))]
    assert seen.stage_kept == (3, 3) and not seen.exact and "estimates" in seen.note
