"""Measure throughput and time per token against the number of requests in a pass, and compare with the limit of memory bandwidth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from core.batching.batch_server import MOST_SEQS, Server, ServerSettings, passes_are_compiled
from core.batching.block_pool import blocks_for
from core.batching.request import Request
from core.batching.scheduler import Policy
from core.checked_number import whole_number
from core.errors import BadSetting
from core.experiments.shared.prompt_tokens import prompt_ids
from core.message import Message
from core.sampling.settings import SamplingSettings

if TYPE_CHECKING:
    from core.costs.measured_hardware import Peak
    from core.engine.model import LanguageModel

SIZES = (1, 2, 4, 8, 16, 32)
LONGEST = 256  # tokens of each request at one size


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The passes so far in which `size` requests each generate one token. seconds: of one iteration, median over `passes`.

    pass_seconds: of its forward pass, median. tokens_per_second: of all requests. ceiling: tokens per second if only reading the weights
    once and all keys and values took time, at the bandwidth that `Peak` measured; computed.
    """

    size: int
    passes: int
    seconds: float
    pass_seconds: float
    tokens_per_second: float
    ceiling: float


def batch_curve(
    model: LanguageModel,
    prompt: str,
    peak: Peak,
    settings: SamplingSettings | None = None,
    sizes: Sequence[int] = SIZES,
    tokens: int = 24,
    repeats: int = 2,
) -> Iterator[CurvePoint]:
    """Measure all sizes in turn, `repeats` times, so that other load on the machine affects all sizes; yield a point after each.

    Every request generates `tokens` tokens after the same prompt with its own seed and ignores end tokens. Reading the prompts is not
    measured. Raises BadSetting and what `Server` raises.
    """
    for name, value, high in ((Message("The number of tokens"), tokens, LONGEST), (Message("The number of repeats"), repeats, 100)):
        whole_number(value, name, 1, high)
    if not sizes or any(isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_SEQS for size in sizes):
        raise BadSetting("A batch has 1 to {most} requests.", most=MOST_SEQS)
    settings = settings or SamplingSettings()
    ids = tuple(prompt_ids(model, prompt))
    tokens = min(tokens, model.context_length - len(ids))
    times: dict[int, list[tuple[float, float]]] = {size: [] for size in sizes}
    held, compiled = len(ids) + tokens / 2, passes_are_compiled(model)
    for _each in range(repeats):
        for size in sizes:
            seeded = [SamplingSettings(**settings.as_dict() | {"seed": number}) for number in range(size)]
            asked = [Request(number, ids, seeded[number], tokens, ignore_eos=True) for number in range(size)]
            blocks = size * blocks_for(len(ids) + tokens)
            server = Server(model, asked, ServerSettings(Policy.CONTINUOUS, size, 8192, blocks, prefix_caching=False), None, compiled)
            while not server.done:
                iteration = server.step()
                if iteration.rows == size and iteration.tokens == size:
                    times[size].append((iteration.seconds, iteration.pass_seconds))
            if not times[size]:
                continue
            seconds, pass_seconds = (median(values) for values in zip(*times[size], strict=True))
            fetched = model.weight_bytes + size * held * model.cache_bytes_per_token
            yield CurvePoint(size, len(times[size]), seconds, pass_seconds, size / seconds, size / (fetched / peak.bytes_per_second))
