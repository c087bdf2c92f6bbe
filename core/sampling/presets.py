"""The presets: settings that belong together, with a name. The app and a live page offer them."""

from __future__ import annotations

from core.message import Message
from core.sampling.settings import SamplingSettings

PRESETS: dict[str, SamplingSettings] = {
    Message("Greedy"): SamplingSettings(greedy=True),
    Message("Careful"): SamplingSettings(temperature=0.5, top_k=40, top_p=0.85),
    Message("Balanced"): SamplingSettings(temperature=0.7, top_p=0.9),
    Message("Creative"): SamplingSettings(temperature=1.1, top_p=0.97, min_p=0.02),
    Message("Wild"): SamplingSettings(temperature=1.6),
}
START = PRESETS["Balanced"]  # before the visitor changes anything
