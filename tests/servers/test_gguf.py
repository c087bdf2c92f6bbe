"""A file of llama.cpp's own converter, read here and run by a llama-server that the app starts, gives one model's probabilities."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, cast

import psutil
import pytest
from tokenizers import Tokenizer

from core import Generation, SamplingSettings, load_model
from core.errors import ModelError
from core.models.gguf.header import RUN, read_header
from core.models.gguf.tokenizer import why_no_tokenizer, write_tokenizer
from core.models.models_in_memory import ModelRegistry
from core.remote.local_server import LocalServerModel
from tests.servers.build import HOME, SERVER
from tests.servers.test_llama_server import furthest

pytestmark = pytest.mark.exhaustive

PROMPT = "Once upon a time"
CLOSE = 0.02  # log-probabilities; the server's cache is in half precision
VOCABULARIES = ("gpt-2", "llama-bpe", "llama-spm", "phi-3", "qwen2", "refact", "starcoder", "command-r")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def server_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{SERVER.parent}{os.pathsep}{os.environ['PATH']}")


def running(model: Any) -> list[psutil.Process]:
    """The llama-servers of this process that run this model's file."""
    port = str(model.server.client.address.url).rpartition(":")[2]
    return [one for one in psutil.Process().children(recursive=True) if one.name() == SERVER.name and port in one.cmdline()]


def test_three_ways_to_one_model(gguf: Path, local: Any) -> None:
    here, served = load_model(gguf, device="cpu"), cast(LocalServerModel, load_model(f"{RUN}{gguf}"))
    settings = SamplingSettings(greedy=True)
    runs = [Generation(model, PROMPT, settings) for model in (local, here, served)]
    for run in runs:
        run.generate(40)
    own, read, far = ([step.token_id for step in run.path] for run in runs)
    assert own == read == far
    assert max(furthest(step, also) for step, also in zip(runs[0].path, runs[1].path, strict=True)) < 1e-4
    assert max(furthest(step, also) for step, also in zip(runs[0].path, runs[2].path, strict=True)) < CLOSE
    for text in ("A fox 🦊.", " two  spaces", "Äpfel\n"):
        assert served.tokenize(text) == here.tokenize(text) == local.tokenize(text)
    assert served.name == f"{RUN}{gguf}"
    served.close()


def test_its_server_ends_and_starts_again(gguf: Path) -> None:
    shelf = ModelRegistry()
    model: Any = shelf.model(f"{RUN}{gguf}")
    run = Generation(model, PROMPT, SamplingSettings(seed=1))
    run.generate(3)
    assert len(running(model)) == 1
    shelf.unload(model.name)
    assert running(model) == [] and model.name not in shelf.in_memory()
    run.generate(3)
    assert len(run.path) == 6 and len(running(model)) == 1
    assert shelf.model(model.name) is model and model.name in shelf.in_memory()
    shelf.unload(model.name)
    assert running(model) == []


def test_its_server_ends_when_the_app_is_killed(gguf: Path) -> None:
    code = f"import time; from core import load_model; m = load_model({f'{RUN}{gguf}'!r}); print(m.server.client.address.url, flush=True)"
    app = subprocess.Popen([sys.executable, "-c", f"{code}; time.sleep(600)"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None and app.stdout.readline().startswith("http")
    servers = [one for one in psutil.Process(app.pid).children(recursive=True) if one.name() == SERVER.name]
    assert len(servers) == 1
    app.kill()
    app.wait()
    app.stdout.close()
    _gone, left = psutil.wait_procs(servers, timeout=20)
    assert left == []


def test_a_file_that_it_cannot_run_is_refused_with_its_reason(gguf: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(gguf.read_bytes().replace(b"blk.0.attn_q.weight", b"blk.0.attn_x.weight"))
    began = time.monotonic()
    with pytest.raises(ModelError, match="llama-server cannot run"):
        load_model(broken)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("name", VOCABULARIES)
def test_tokenizers_agree_with_llama_cpps_own_test_vectors(name: str, tmp_path: Path) -> None:
    file = HOME / "models" / f"ggml-vocab-{name}.gguf"
    if not file.is_file():
        pytest.skip("llama.cpp's sources are not there")
    metadata = read_header(file).metadata
    assert why_no_tokenizer(metadata) is None
    write_tokenizer(metadata, tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    texts = Path(f"{file}.inp").read_text("utf-8").split("\n__ggml_vocab_test__\n")
    expected = [[int(number) for number in line.split()] for line in Path(f"{file}.out").read_text("utf-8").splitlines()]
    assert [tokenizer.encode(text, add_special_tokens=False).ids for text, _each in zip(texts, expected, strict=False)] == expected
