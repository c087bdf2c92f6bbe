"""A model that does not fit into the memory limit of the process is refused in a sentence, and everything else goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import transformers

from tests import tiny_models

pytestmark = pytest.mark.slow
PROGRAM = """
import resource, sys
import psutil
from core import Generation, SamplingSettings, load_model
from core.errors import NoRoom
run = Generation(load_model(sys.argv[1]), "a fox", SamplingSettings(seed=1))
run.generate(3)
for left in (0, 200_000_000):
    limit = psutil.Process().memory_info().vms + left
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    try:
        load_model(sys.argv[2])
    except NoRoom as error:
        print(error)
    run.generate(3)
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
Generation(load_model(sys.argv[2]), "a fox").generate(1)
print(len(run.path))
"""


def test_a_model_above_the_limit(tmp_path: Path) -> None:
    small, large = tiny_models.save("llama", tmp_path / "small"), tmp_path / "large"
    config = transformers.LlamaConfig(vocab_size=50_000, **tiny_models.GROUPED | {"hidden_size": 512, "num_hidden_layers": 1})
    torch.manual_seed(0)
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(large)
    tiny_models.byte_level_tokenizer().save_pretrained(large)
    command = [sys.executable, "-c", PROGRAM, str(small), str(large)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("There is not enough memory on cpu for") == 2
    assert done.stdout.splitlines()[-1] == "9"
