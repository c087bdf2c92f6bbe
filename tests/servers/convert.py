"""Turn a Hugging Face folder into a GGUF file with llama.cpp's own converter: `python convert.py LLAMA_CPP FOLDER FILE [f32|bf16]`.

The converter knows tokenizers by fingerprint; a byte-level BPE that was trained at home has none, and is told to be cut like GPT-2's.
"""

from __future__ import annotations

import importlib
import runpy
import sys


def main() -> None:
    """Run the converter on the command line's arguments."""
    llama, folder, file, kind = [*sys.argv[1:], "f32"][:4]
    sys.path[:0] = [llama, f"{llama}/gguf-py"]
    base = importlib.import_module("conversion.base")
    base.TextModel.get_vocab_base_pre = lambda self, tokenizer: "gpt-2"
    base.TextModel._set_vocab_sentencepiece = lambda self: self._set_vocab_gpt2()
    sys.argv = ["convert_hf_to_gguf.py", folder, "--outfile", file, "--outtype", kind]
    runpy.run_path(f"{llama}/convert_hf_to_gguf.py", run_name="__main__")


if __name__ == "__main__":
    main()
