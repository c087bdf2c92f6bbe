"""Turn a checkpoint into an ordinary Hugging Face folder that anybody can load.

python -m core.bundled.recipe.export --run RUN --model storyteller --to core/bundled/storyteller
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import torch
from transformers import AutoTokenizer, GenerationConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from core.bundled.recipe.checksums import write_checksums
from core.bundled.recipe.models import CHECKPOINTS, SHAPES, config
from core.bundled.recipe.tokenizer import CONTEXT


def export(model: LlamaForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write config, bf16 weights, tokenizer and generation settings; what else lies in the folder (the model card) stays."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.model_max_length = CONTEXT
    model = model.to(torch.bfloat16)
    model.config.dtype = torch.bfloat16
    model.generation_config = GenerationConfig(
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
        do_sample=True,
        temperature=0.7,
        max_new_tokens=120,
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    # The class name that older releases of transformers know too, and no traces of where it was made.
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings = {key: value for key, value in settings.items() if key not in ("is_local", "local_files_only", "backend")}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"tokenizer_class": "PreTrainedTokenizerFast"}, indent=2) + "\n")
    (folder / "model.safetensors").chmod(0o644)


def load_checkpoint(path: Path, shape: dict[str, int], tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """The model of a checkpoint that train.py or distill.py saved, in fp32."""
    model = LlamaForCausalLM(config(shape, tokenizer.bos_token_id, tokenizer.eos_token_id, len(tokenizer)))
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["model"])
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--model", choices=sorted(SHAPES), default="storyteller", help="which of them")
    parser.add_argument("--to", type=Path, required=True, help="folder to write")
    arguments = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(arguments.run / "tokenizer")
    checkpoint = arguments.run / CHECKPOINTS[arguments.model]
    export(load_checkpoint(checkpoint, SHAPES[arguments.model], tokenizer), tokenizer, arguments.to)
    record = arguments.run / "growth.json"
    if arguments.model == "storyteller" and record.exists():
        shutil.copyfile(record, arguments.to / "growth.json")
    write_checksums(arguments.to.parent)


if __name__ == "__main__":
    main()
