"""Real servers against the same model here: 500 steps greedy and 500 at temperature 1, connected by their address alone.

One command for each server prints one line (steps compared, tokens that differ, largest difference of the listed log-probabilities):

    pytest -m exhaustive -s tests/servers/test_agreement.py -k llama_server_alone
    pytest -m exhaustive -s tests/servers/test_agreement.py -k llama_server_over_two_workers
    pytest -m exhaustive -s tests/servers/test_agreement.py -k llama_server_with_its_usual_cache
    TOKEN_VIEWER_VLLM=python-with-vllm pytest -m exhaustive -s tests/servers/test_agreement.py -k vllm_in_one_process
    TOKEN_VIEWER_VLLM=python-with-vllm pytest -m exhaustive -s tests/servers/test_agreement.py -k vllm_over_two_processes
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core import Generation, SamplingSettings, load_model
from core.record.near_border import is_close
from core.remote.text_routes import Chat
from tests.servers.conftest import MODEL, Process, client, llama_server, vllm_server
from tests.servers.test_by_address import begun_answers_agree
from tests.servers.test_llama_server import furthest

pytestmark = pytest.mark.exhaustive

PROMPTS = ("Once upon a time", "The old king had a secret.", "One day, a bear and an owl 🦉 went to the sea.", '"No," said the fox,')
STEPS = 500
CLOSE = 1e-3  # log-probabilities


@dataclass
class Compared:
    """steps: how many were compared. close: those that the app itself marks as close. different: tokens that differ; marked: those of
    them that are close."""

    steps: int = 0
    close: int = 0
    different: int = 0
    marked: int = 0
    furthest: float = 0.0


def compare(served: Any, local: Any, greedy: bool) -> Compared:
    """Write with both models. Where a token differs, both go on with the local one."""
    found, seed = Compared(), 0
    while found.steps < STEPS:
        settings = SamplingSettings(greedy=greedy, seed=seed)
        runs = [Generation(model, PROMPTS[seed % len(PROMPTS)], settings, top_n=50) for model in (served, local)]
        seed += 1
        while found.steps < STEPS and not runs[1].finished and len(runs[1].path) < 200:
            there, here = (run.step() for run in runs)
            found.steps += 1
            found.furthest = max(found.furthest, furthest(there, here))
            close = is_close(there, served.logprob_error)
            found.close += close
            if there.token_id != here.token_id:
                found.different += 1
                found.marked += close
                runs[0].go_to(there.index - 1)
                runs[0].force(here.token_id)
    return found


def compared(name: str, process: AbstractContextManager[Process], local: Any, most: int = 1, close: float = CLOSE) -> None:
    """Print the line of this server. most: tokens that may differ at temperature 1, all marked. close: of log-probabilities."""
    with process as running:
        served: Any = load_model(f"http://127.0.0.1:{running.port}")
        greedy, rolled = compare(served, local, True), compare(served, local, False)
    far = max(greedy.furthest, rolled.furthest)
    sys.stdout.write(
        f"\n{name}: {greedy.steps} steps greedy, {greedy.different} tokens differ; {rolled.steps} steps at temperature 1, "
        f"{rolled.different} tokens differ, {rolled.marked} of them marked as close ({rolled.close} steps are); "
        f"largest difference {far:.1e}, expected {served.logprob_error:.1e}\n"
    )
    assert greedy.different == 0 and far < close
    assert rolled.different <= most and rolled.marked == rolled.different


def test_llama_server_alone(gguf: Path, tmp_path: Path, local: Any) -> None:
    compared("llama-server alone", llama_server(gguf, tmp_path, 0), local)


def test_llama_server_over_two_workers(gguf: Path, tmp_path: Path, local: Any) -> None:
    compared("llama-server over two RPC workers", llama_server(gguf, tmp_path, 2), local)


def test_llama_server_with_its_usual_cache(gguf: Path, tmp_path: Path, local: Any) -> None:
    """Its cache is in half precision, so more tokens differ, most of them unlikely ones with neighbours of nearly the same probability."""
    compared("llama-server with its usual cache", llama_server(gguf, tmp_path, 0, ()), local, 20, 0.05)


@pytest.fixture(scope="module")
def vllm_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    with vllm_server(tmp_path_factory.mktemp("vllm"), 1) as process:
        yield process


def test_vllm_in_one_process(vllm_alone: Process, local: Any) -> None:
    compared("vLLM in one process", nullcontext(vllm_alone), local)


def test_vllm_in_one_process_continues_a_begun_answer(vllm_alone: Process) -> None:
    begun_answers_agree("vLLM", Chat(client(vllm_alone), MODEL))


def test_vllm_over_two_processes(tmp_path: Path, local: Any) -> None:
    compared("vLLM, tensor parallel over two processes", vllm_server(tmp_path, 2), local)
