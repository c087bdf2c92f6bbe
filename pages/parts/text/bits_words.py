"""The longer texts about a notepad in fewer bits, on the page about quantization."""

NOTEPAD = "And the notepad?"
NOTEPAD_TERM = "KV cache at 8 and 4 bits"
NOTEPAD_START = "Write the notepad smaller"
NOTEPAD_FIRST = "Press the button: the weights stay as they are, and keys and values are kept at 8 and at 4 bits."
NOTEPAD_HEAD = "| bits a number | note\u00adpad | diver\u00adgence (KL, nats) | favour\u00adites kept | perplex\u00adity |"
NOTEPAD_WHY = (
    "Along {count} tokens that the full model writes. Each key and value is rounded once, in groups of 32 with a scale and a lowest value "
    "of their own, and every piece looks at rounded ones only. Bytes of the rounded tensors are **measured**, the full ones **computed**."
)
