"""The GPU benchmark runs with a tiny model on a CPU, and is refused there with any other."""

from __future__ import annotations

import pytest
import torch

from tests.benchmarks import gpu


@pytest.mark.exhaustive
def test_the_script_goes_all_its_ways_and_prints_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    gpu.main(["--tiny"])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == gpu.HEADINGS
    rows = {row[1]: dict(zip(gpu.HEADINGS, row, strict=True)) for row in cells[2:]}
    assert list(rows) == [gpu.STEP, "loop", "generate", "generate, static"]
    assert all(float(row["tokens/s"]) > 0 for row in rows.values())
    for name in (gpu.STEP,):
        assert 0 < float(rows[name]["logit apart"]) < 0.3  # bfloat16 against float32; the logits spread by 3
        assert float(rows[name]["probability apart"]) < 0.02
    assert rows["loop"]["x loop"] == "1.00"


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device")
def test_without_a_gpu_it_refuses_in_one_sentence() -> None:
    with pytest.raises(SystemExit, match="There is no CUDA device here"):
        gpu.main([])
