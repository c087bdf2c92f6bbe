"""Visitors who race caches, each again and again: `python -m tests.benchmarks.experimenters http://127.0.0.1:8501 8`.

They look how far their race is as often as a browser does. Each race that ended is a line of the output.
"""

from __future__ import annotations

import asyncio
import sys

from tests.attack.visitor import visit

LOOK = 2.0  # seconds between two looks at a race in progress


async def experiment(address: str, number: int) -> None:
    """Start the race, wait for its end, and start it again, without end."""
    async with visit(address, "cache") as visitor:
        while True:
            await visitor.ask(cache_start=True)
            while "cache_start" not in visitor.ids or "cache_stop" in visitor.ids:
                await asyncio.sleep(LOOK)
                visitor.ids.clear()
                await visitor.ask()
            print(f"visitor {number}: a race has ended", flush=True)


async def experiments(address: str, count: int) -> None:
    """Let so many visitors experiment, without end."""
    await asyncio.gather(*(experiment(address, number) for number in range(count)))


if __name__ == "__main__":
    asyncio.run(experiments(sys.argv[1], int(sys.argv[2])))
