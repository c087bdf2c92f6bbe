"""The attacks. Each is a coroutine that takes the address of a public instance and returns whether the instance held."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlencode, urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from core.experiments.shared import result_file
from pages.ui import features
from pages.ui.server.operator_password import TRIES
from tests import protocol
from tests.attack import http_attacks
from tests.attack.visitor import PATIENCE, Visitor, visit
from tests.benchmarks.constraint import HOSTILE
from tests.protocol import BackMsg

PASSWORD = "the operator's own word"
MEGABYTE = 2**20
RECORDED = Path(__file__).parents[2] / "core" / "bundled" / "experiments"
Attack = Callable[[str], Coroutine[Any, Any, bool]]


def addresses() -> Iterator[str]:
    """Yield addresses of visitors as a proxy reports them."""
    return (f"198.51.{number // 250}.{number % 250 + 1}" for number in range(10_000))


async def _ends(address: str, *messages: bytes | str) -> bool:
    """Return whether each message ends its websocket, and nothing else does."""
    ended = []
    for message in messages:
        async with visit(address) as visitor:
            ended.append(await visitor.is_ended_by(message))
    async with visit(address) as visitor:
        return all(ended) and not await visitor.is_ended_by(visitor.rerun(preset_Balanced=True).SerializeToString())


async def clear_caches(address: str) -> bool:
    """The message "clear cache", fifty times. Held: nothing is dropped, not even the text of who sends it."""
    async with visit(address) as visitor:
        await visitor.ask(preset_Balanced=True)
        for _ in range(50):
            await visitor.line.send(protocol.clear_cache())
        before = dict(visitor.ids)
        await visitor.ask(preset_Greedy=True)
        return visitor.ids.keys() >= before.keys()


async def forbidden_kinds(address: str) -> bool:
    """Messages of kinds that the app does not need: shutdown, installation of software, two kinds in one, no message at all."""
    skills = BackMsg()
    skills.backend_operation_request.install_skills.SetInParent()
    two = protocol.rerun() + protocol.clear_cache()
    shutdown = BackMsg(debug_shutdown_runtime=True).SerializeToString()
    return await _ends(address, skills.SerializeToString(), two, shutdown, b"\xff" * 100, b"", "text")


async def upload_names(address: str) -> bool:
    """Upload addresses for 100,000 and for 2,000,000 names."""
    return await _ends(address, protocol.upload_addresses(100_000), protocol.upload_addresses(2_000_000))


async def widget_states(address: str) -> bool:
    """600,000 states of widgets in one message."""
    message = BackMsg()
    for _ in range(600_000):
        message.rerun_script.widget_states.widgets.add()
    return await _ends(address, message.SerializeToString())


async def frames(address: str) -> bool:
    """Half a million frames that are no messages: pings, parts of a message with no byte. Then tiny messages, and one of 45 MB without
    its end. Held: each ends its websocket at once."""
    ping, part, tiny = b"\x89\x80", b"\x00\x80", b"\x82\x83"
    mask, begun = b"\0\0\0\0", b"\x02\x80" + b"\0\0\0\0"
    huge = b"\x82\xff" + (45 * MEGABYTE).to_bytes(8) + mask + b"a" * 4 * MEGABYTE
    for sent in ((ping + mask) * 500_000, begun + (part + mask) * 500_000, (tiny + mask + protocol.heartbeat()) * 500_000, huge):
        async with visit(address, forwarded="203.0.113.12") as visitor:
            visitor.line.transport.write(sent)
            async with asyncio.timeout(10):
                await visitor.hear_all()
    return True


def _talk_memory(visitor: Visitor, value: str) -> bytes:
    """Return the message with which the component that keeps a talk sends a value."""
    message = visitor.rerun()
    widget = message.rerun_script.widget_states.widgets.add()
    widget.id, widget.json_trigger_value = visitor.ids["talk_memory"], value
    return bytes(message.SerializeToString())


async def component_value(address: str) -> bool:
    """A component's value of 24 MB, or with more than a million lists, is refused. One of 1.9 MB harms only who sends it."""
    async with visit(address) as visitor:
        refused = [
            _talk_memory(visitor, value) for value in (json.dumps("a" * 24 * MEGABYTE), "[" * 1_900_000, "[" + "[]," * 600_000 + "[]]")
        ]
        await visitor.line.send(_talk_memory(visitor, json.dumps({"order": "a" * 1_900_000})))
        await visitor.heard(visitor.line, PATIENCE)
    return await _ends(address, *refused)


async def _ask_without_end(address: str, forwarded: str) -> None:
    """Ask for the page as fast as possible, for eight seconds."""
    async with visit(address, forwarded=forwarded) as visitor:
        message = visitor.rerun().SerializeToString()
        hearing = asyncio.ensure_future(visitor.hear_all())
        try:
            async with asyncio.timeout(8):
                while True:
                    await visitor.line.send(message)
                    await asyncio.sleep(0)  # sending alone never waits
        except (TimeoutError, ConnectionClosed):
            return
        finally:
            hearing.cancel()


async def constraints(address: str) -> bool:
    """One visitor opens twelve links with the most expensive constraints at once, and asks for tokens in each for ten seconds."""

    async def write(constraint: str) -> float:
        slowest, until = 0.0, monotonic() + 10
        async with visit(address, query=urlencode({"constraint": constraint}), forwarded="203.0.113.11") as visitor:
            while monotonic() < until:
                slowest = max(slowest, await visitor.ask(preset_Balanced=True))
        return slowest

    hostile = [*HOSTILE.values(), "regex:(a{1,1000}){1,1000}", "schema:" + '{"type":"array","items":' * 38 + "{}" + "}" * 38]
    return max(await asyncio.gather(*(write(hostile[number % len(hostile)]) for number in range(12)))) < 10


async def pages_at_once(address: str) -> bool:
    """Sixteen visitors of sixteen addresses open sixteen pages in the same moment, six times."""

    async def opened(path: str, forwarded: str) -> None:
        async with visit(address, path, forwarded=forwarded):
            pass

    for _round in range(6):
        await asyncio.gather(*map(opened, features.paths()[:16], addresses()))
    return True


async def leaving(address: str) -> bool:
    """Two hundred visitors of seven addresses open a page and leave before it is drawn."""

    async def left(number: int, path: str) -> None:
        async with visit(address, path, forwarded=f"203.0.113.{20 + number % 7}", waits=False):
            pass

    for start in range(0, 200, 10):
        await asyncio.gather(*map(left, range(start, start + 10), ["", "read", "inside", "gallery", "cost"] * 2))
    async with visit(address) as visitor:
        return await visitor.ask(preset_Balanced=True) < 10


async def flood(address: str) -> bool:
    """Four websockets of four addresses ask for the page without end."""
    known = addresses()
    await asyncio.gather(*(_ask_without_end(address, next(known)) for _ in range(4)))
    async with visit(address) as visitor:
        return await visitor.ask(preset_Balanced=True) < 10


async def flood_of_one(address: str) -> bool:
    """Twenty websockets of one address ask for the page without end."""
    await asyncio.gather(*(_ask_without_end(address, "203.0.113.10") for _ in range(20)))
    async with visit(address) as visitor:
        return await visitor.ask(preset_Balanced=True) < 10


async def prepared_talks(address: str) -> bool:
    """Running orders of 48 to 60 MB: lists in lists, unknown names, one stop of nothing but names."""
    names = b",".join(b'"%d":0' % number for number in range(4_000_000))
    return await _handed_in(
        address,
        "talk",
        "talk_file",
        b"[" + b"[]," * 20_000_000 + b"[]]",
        b"{" + names + b"}",
        b'{"format": "token-probability-viewer running order", "stops": [{' + names + b"}]}",
    )


async def recordings(address: str) -> bool:
    """Recordings of 60 MB of nothing, an experiment that unpacks to 60 MB, and a saved answer of 13 MB of names."""
    unpacked = b'{"format": "%b", "version": 1, "seen": [' % result_file.FORMAT.encode() + b"[]," * 20_000_000 + b"[]]}"
    names = b",".join(b'"%d":0' % number for number in range(1_300_000))
    return await _handed_in(
        address,
        "gallery",
        "gallery_file",
        b'{"choices": [{' + names + b"}]}",
        b'{"steps": [' + b"{}," * 20_000_000 + b"{}]}",
        b'{"format": "token-probability-viewer recording", "a": "' + b'\\"' * 30_000_000 + b'"}',
        gzip.compress(unpacked, 1),
    )


async def _handed_in(address: str, path: str, key: str, *files: bytes) -> bool:
    """Return whether each file gets a sentence and opens nothing."""
    said = []
    for number, content in enumerate(files):
        async with visit(address, path) as visitor:
            said.append(await visitor.hand_in(key, content, f"file{number}"))
    return all("file" in sentence.lower() and sentence.endswith(".") for sentence in said)


async def long_text(address: str) -> bool:
    """A text of a million characters in Read, whose field takes 200,000."""
    async with visit(address, "read") as visitor:
        message = visitor.rerun(read_text="a fox and a hare " * 60_000).SerializeToString()
        await visitor.line.send(message)
        await asyncio.sleep(8)  # it is read meanwhile; then its visitor leaves
    async with visit(address) as visitor:
        return await visitor.ask(preset_Balanced=True) < 10


async def ngram_models(address: str) -> bool:
    """Eight visitors count four texts of 199,000 random characters each, then four as large as the limit lets them.

    Held: the first get a sentence, and the memory of all comes back when they have left.
    """
    letters = random.Random(0)

    def text(length: int) -> str:
        return "".join(chr(letters.randrange(0x4E00, 0x9FFF)) for _character in range(length))

    async def counts(number: int) -> list[str]:
        said = []
        async with visit(address, "by_hand", forwarded=f"203.0.113.{20 + number}") as visitor:
            for length in [199_000] * 2 + [55_000] * 4:
                fields: dict[str, Any] = {"by_hand_text": text(length), "by_hand_n": ["4"], "by_hand_unit": "characters"}
                await visitor.ask(**fields, by_hand_count=True)
                said.append(" ".join(visitor.sentences))
        return said

    said = [await counts(number) for number in range(8)]
    await asyncio.sleep(22)  # a session without a browser ends after five seconds, and its memory comes back fifteen seconds later
    return all("different counts" in sentence for sentences in said for sentence in sentences[:2])


async def junk_steps(address: str) -> bool:
    """A link with 40,000 characters of steps that are none. Held: its page opens within five seconds."""
    began = monotonic()
    async with visit(address, query=urlencode({"steps": "!" * 40_000 + "a"})):
        return monotonic() - began < 5


async def many_ways(address: str) -> bool:
    """Two links that ask Same prompt for 100,000 ways, and leave. Held: a newcomer's page opens within ten seconds."""
    ways = ".".join(["1"] * 100_000) + ".-1"
    for number in range(2):
        async with visit(address, "same_prompt", query=urlencode({"ways": ways}), forwarded=f"203.0.113.{40 + number}", waits=False):
            await asyncio.sleep(1)
    began = monotonic()
    async with visit(address):
        return monotonic() - began < 10


async def blanks(address: str) -> bool:
    """A recorded result of Same prompt whose sentence is 24,000 blanks. Held: it opens, or gets a sentence, within ten seconds."""
    result = json.loads(gzip.decompress((RECORDED / "same_prompt.json.gz").read_bytes()))
    result["about"][0] = " " * 24_000 + "a"
    async with visit(address, "gallery") as visitor:
        await visitor.hand_in("gallery_file", gzip.compress(json.dumps(result).encode()), "blanks")
        visitor.path, visitor.page = "same_prompt", ""
        return await visitor.ask() < 10


async def uploads(address: str) -> bool:
    """Twelve visitors upload three files of 60 MB each and leave them unread. Held: 512 MB are taken, the others refused."""
    content = random.Random(0).randbytes(60 * MEGABYTE)
    async with AsyncExitStack() as open_visits:
        visitors: list[Visitor] = [await open_visits.enter_async_context(visit(address)) for _ in range(12)]
        taken = 0
        for visitor in visitors:
            for number in range(3):
                taken += await visitor.upload(content, f"file{number}") < 300
        return 1 <= taken <= 8


async def announced_files(address: str) -> bool:
    """Four visitors announce files of 720 MB together and send nothing. Held: another visitor can send a file."""
    place = urlsplit(address)
    token = "61" * 16  # of one's own: the server compares two that the browser sends
    async with AsyncExitStack() as open_visits:
        for visitor in [await open_visits.enter_async_context(visit(address, forwarded="203.0.113.13")) for _ in range(4)]:
            for number in range(3):
                _hears, line = await asyncio.open_connection(place.hostname, place.port)
                open_visits.callback(line.close)
                head = f"PUT /_stcore/upload_file/{visitor.session}/file{number} HTTP/1.1\r\nHost: {place.netloc}\r\n"
                head += f"Cookie: _streamlit_xsrf={token}\r\nX-Xsrftoken: {token}\r\nContent-Length: {60 * MEGABYTE}\r\n"
                head += "Content-Type: multipart/form-data; boundary=x\r\n\r\n"
                line.write(head.encode())
        await asyncio.sleep(2)
        async with visit(address) as other:
            return await other.upload(b"{}" * MEGABYTE * 20) < 300


async def passwords(address: str) -> bool:
    """A hundred wrong passwords from a hundred addresses, then the right one from another; and six from one address."""

    async def tries(forwarded: str, *words: str) -> list[str]:
        async with visit(address, "operator", forwarded=forwarded) as visitor:
            said = []
            for word in words:
                await visitor.ask(operator_password=word, operator_enter=True)
                said.append(" ".join(visitor.sentences))
            return said

    known = addresses()
    for _round in range(10):
        await asyncio.gather(*(tries(next(known), "a wrong word") for _ in range(10)))
    right = await tries("203.0.113.7", PASSWORD)
    late = await tries("203.0.113.8", *["a wrong word"] * TRIES, PASSWORD)
    return "password" not in right[0].lower() and "Too many" in late[-1]


async def sockets(address: str) -> bool:
    """Three hundred silent websockets from one address. Held: at most a hundred are open."""
    async with AsyncExitStack() as open_visits:

        async def one() -> bool:
            try:
                await open_visits.enter_async_context(visit(address, forwarded="203.0.113.9"))
            except (InvalidStatus, ConnectionClosed, OSError):
                return False
            return True

        found = [await one() for _ in range(20)]  # each is a whole visit
        plain = await asyncio.gather(*(_opened(address, "203.0.113.9", open_visits) for _ in range(280)))
        return sum(found) + sum(plain) <= 100


async def _opened(address: str, forwarded: str, open_visits: AsyncExitStack) -> bool:
    try:
        await open_visits.enter_async_context(protocol.websocket(address, forwarded, open_timeout=30))
    except (InvalidStatus, ConnectionClosed, OSError, TimeoutError):
        return False
    return True


async def other_sites(address: str) -> bool:
    """Websockets of another site's page, and requests under another host's name."""
    target = address.replace("http", "ws", 1) + "/_stcore/stream"
    for headers in ({"origin": "https://evil.example"}, {"origin": "null"}, {"x-token-viewer-from": "this-machine", "origin": "file://"}):
        try:
            async with connect(target, additional_headers=headers):
                return False
        except InvalidStatus:
            continue
    return True


def some(quick: bool) -> dict[str, Attack]:
    """Return the attacks by name. quick: the five shortest."""
    short: dict[str, Attack] = {one.__name__: one for one in (clear_caches, forbidden_kinds, upload_names, widget_states, other_sites)}
    others = (
        frames,
        component_value,
        constraints,
        pages_at_once,
        leaving,
        flood,
        flood_of_one,
        prepared_talks,
        recordings,
        long_text,
        ngram_models,
        junk_steps,
        many_ways,
        blanks,
        *http_attacks.ATTACKS,
        announced_files,  # before all room for files is taken
        uploads,
        sockets,
        passwords,
    )
    return short if quick else short | {one.__name__: one for one in others}
