"""Each sampler of llama.cpp and random chains of them give the probabilities that a real llama-server gives after sampling."""

from __future__ import annotations

from typing import Any

import pytest

from core.remote.http_client import HttpClient
from tests.servers import samplers

pytestmark = pytest.mark.exhaustive


def test_each_sampler_alone(line: HttpClient, local: Any) -> None:
    found = dict(samplers.alone(line, local))
    assert found.keys() == samplers.ALONE.keys()
    assert {name: off for name, off in found.items() if off >= samplers.CLOSE} == {}


def test_random_chains(line: HttpClient, local: Any) -> None:
    found = list(samplers.chains(line, local))
    assert len(found) == samplers.CHAINS
    assert sum(kept > 1 for _settings, kept, _off in found) > samplers.CHAINS // 2
    assert [(settings, off) for settings, _kept, off in found if off >= samplers.CLOSE] == []


def test_every_difference_in_its_own_order_is_said(line: HttpClient, local: Any) -> None:
    """Where llama.cpp counts excluded tokens, the numbers differ, and the page says so; nowhere else."""
    found = list(samplers.chains(line, local, samplers.settings_in_its_order, 200))
    different = [settings for settings, _kept, off in found if off >= samplers.CLOSE]
    assert len(different) >= 5 and all(settings.counting_excluded for settings in different)


def test_mirostat_over_several_tokens(line: HttpClient, local: Any) -> None:
    assert samplers.mirostat(line, local) < samplers.CLOSE
