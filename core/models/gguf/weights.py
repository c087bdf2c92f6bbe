"""The weights of a GGUF file as an ordinary folder of safetensors: which precision, and the numbers as transformers expects them.

llama.cpp's converter permutes rotary rows, transposes or shifts some matrices; that is undone here. transformers' own reader (`gguf_file=`)
gives the same bits. But it holds the whole model in memory, takes one part of a split file for the whole, and ignores tensors and settings
that it does not know.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.models.gguf.architectures import FAMILIES, bias_shapes, place_of
from core.models.gguf.header import Header, Tensor
from core.models.load_progress import CONVERTS, tell


def precision_of(header: Header, dtype: str, device: str = "auto") -> str:
    """Return the format in which the weights are written, so that no bit is lost which the loaded model would have.

    F32 if they are in float32 in memory. 16 bits if they stay so there: F16 if the file's matrices are F16, else BF16; or the asked type.
    """
    from core.device import device_for
    from core.models.precision import dtype_for, stays_in

    where = device_for(device)
    loaded = dtype_for(dtype, where)
    if loaded.itemsize == 2:
        return {"float16": "F16"}.get(str(loaded).removeprefix("torch."), "BF16")
    counts: dict[str, int] = {}
    for tensor in header.tensors:
        if len(tensor.shape) > 1:
            counts[tensor.kind] = counts.get(tensor.kind, 0) + tensor.count
    usual = max(counts, key=counts.__getitem__, default="F32")
    narrow = "F16" if usual == "F16" and counts.keys() <= {"F16", "F32", "BF16"} else "BF16"
    family = FAMILIES.get(header.architecture)
    stays = family is not None and stays_in({narrow: header.parameter_count}, family.model_type, where, dtype)
    return narrow if stays and usual not in ("F32", "F64") and dtype != "float32" else "F32"


def write_weights(header: Header, path: Path, precision: str) -> None:
    """Write model.safetensors, one tensor after the other, so that only one of them is in memory. precision: "F32", "F16" or "BF16"."""
    from gguf import GGMLQuantizationType, quantize

    family, undo, size = FAMILIES[header.architecture], _undo(header), 4 if precision == "F32" else 2
    shapes: dict[str, tuple[int, ...]] = {}
    for tensor in header.tensors:
        shapes[str(place_of(family, tensor.name))] = tensor.shape[::-1] if undo(tensor) is np.transpose else tensor.shape
    for name, shape in bias_shapes(header).items():
        shapes.setdefault(name, shape)
    table: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, shape in shapes.items():
        start, end = end, end + size * math.prod(shape)
        table[name] = {"dtype": precision, "shape": shape, "data_offsets": [start, end]}
    head = json.dumps(table).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for tensor, values in numbers_of(header.tensors):
            tell(CONVERTS, file.tell() / (8 + len(head) + end))
            file.write(np.ascontiguousarray(quantize(undo(tensor)(values), GGMLQuantizationType[precision])).data)
        file.truncate(8 + len(head) + end)  # biases that the file leaves out are zeros at the end


def numbers_of(tensors: tuple[Tensor, ...]) -> Iterator[tuple[Tensor, np.ndarray]]:
    """Yield each tensor with its numbers in float32."""
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    for tensor in tensors:
        raw = np.memmap(tensor.file, np.uint8, "r", tensor.start, (tensor.bytes,))
        rows = raw.reshape(*tensor.shape[:-1], -1)
        values = rows.view(np.float64) if tensor.kind == "F64" else dequantize(rows, GGMLQuantizationType[tensor.kind])
        yield tensor, values.astype(np.float32, copy=False).reshape(tensor.shape)


def vectors_are_exact(header: Header, dtype: str) -> bool:
    """Return whether the vectors of this file (norms and biases) have no bits that this type of torch loses."""
    import torch

    undo = _undo(header)
    for tensor, values in numbers_of(tuple(tensor for tensor in header.tensors if len(tensor.shape) == 1)):
        exact = torch.tensor(undo(tensor)(values))
        stored = exact.to(getattr(torch, dtype)).float()
        if not torch.allclose(stored, exact, rtol=0, atol=1e-6):  # Gemma's norms lose 6e-8 when 1 is taken off
            return False
    return True


def _undo(header: Header) -> Callable[[Tensor], Callable[[np.ndarray], np.ndarray]]:
    """Return a function from a tensor to what undoes llama.cpp's change of it."""
    heads = int(header.number("attention.head_count"))
    key_heads = int(header.number("attention.head_count_kv", heads))

    def of(tensor: Tensor) -> Callable[[np.ndarray], np.ndarray]:
        part = tensor.name.split(".")[-2]
        if header.architecture == "llama" and part in ("attn_q", "attn_k"):
            count = heads if part == "attn_q" else key_heads
            return lambda values: values.reshape(count, -1, 2, *values.shape[1:]).swapaxes(1, 2).reshape(values.shape)
        if header.architecture == "gpt2" and len(tensor.shape) == 2 and part in ("attn_qkv", "attn_output", "ffn_up", "ffn_down"):
            return np.transpose
        if header.architecture == "gemma3" and part.endswith("norm"):
            return lambda values: values - 1
        return lambda values: values

    return of
