"""Turn a Hugging Face folder into a GGUF file with llama.cpp's own converter: `python convert.py LLAMA_CPP FOLDER FILE [f32|bf16]`.

The converter recognises tokenizers by a fingerprint. The byte-level BPE of this project has no known one, so it is declared as GPT-2's.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Convert the folder that the command line names."""
    llama, folder, file, kind = [*sys.argv[1:], "f32"][:4]
    sys.path[:0] = [llama, f"{llama}/gguf-py"]
    conversion, gguf = importlib.import_module("conversion"), importlib.import_module("gguf")
    architecture = conversion.get_model_architecture(conversion.ModelBase.load_hparams(Path(folder), False), conversion.ModelType.TEXT)
    base: Any = conversion.get_model_class(architecture)

    class WithBytePairs(base):
        model_arch = base.model_arch

        def get_vocab_base_pre(self, tokenizer: Any) -> str:
            return "gpt-2"

        def set_vocab(self) -> None:
            self._set_vocab_gpt2()

    types = {"f32": gguf.LlamaFileType.ALL_F32, "bf16": gguf.LlamaFileType.MOSTLY_BF16}
    WithBytePairs(Path(folder), types[kind], Path(file)).write()


if __name__ == "__main__":
    main()
