"""What stands in deploy/ and the Dockerfile, tried as far as that goes: read, run, asked; with nginx and Caddy where they are at hand."""

from __future__ import annotations

import fnmatch
import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import streamlit
import yaml  # type: ignore[import-untyped]
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware
from websockets.exceptions import InvalidStatus
from websockets.sync import client

from tests.browser.conftest import free_port, running_app
from tests.nginx import nginx_command

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each with what stands behind it."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


def get(address: str, **headers: str) -> tuple[int, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=10) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def wait_for(address: str, patience: float = 90.0) -> None:
    latest = monotonic() + patience
    while monotonic() < latest:
        try:
            if get(address)[0] == 200:
                return
        except OSError:
            pass
        sleep(0.2)
    pytest.fail(f"nothing answers at {address}")


def test_the_dockerfile_is_sound() -> None:
    known = instructions()
    words = [name for name, _ in known]
    assert words[0] == "FROM"
    assert ":latest" not in known[0][1]
    assert ":" in known[0][1]
    assert dict(known)["USER"] not in ("root", "0")
    assert words.index("USER") < words.index("CMD")
    assert words.index("USER") > max(place for place, word in enumerate(words) if word in ("COPY", "RUN"))
    assert not [rest for name, rest in known if name == "ADD" or (name == "RUN" and re.search(r"curl|wget|sudo|apt-get upgrade", rest))]
    assert not [rest for name, rest in known if name in ("ENV", "ARG") and re.search(r"(TOKEN|SECRET|PASSWORD|KEY)\w*=\S", rest)]
    for name in ("CMD", "HEALTHCHECK"):
        assert json.loads(dict(known)[name].partition("CMD ")[2] if name == "HEALTHCHECK" else dict(known)[name])
    if shutil.which("hadolint"):
        subprocess.run(["hadolint", str(ROOT / "Dockerfile")], check=True)


@pytest.mark.slow
def test_the_image_s_steps_give_an_app_that_is_ready_and_public(tmp_path: Path) -> None:
    """COPY, CMD and HEALTHCHECK as the Dockerfile has them, in a folder in place of an image."""
    ignored = [line.strip() for line in (ROOT / ".dockerignore").read_text().splitlines() if line.strip()]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    for name in listed:
        parents = ["/".join(name.split("/")[: count + 1]) for count in range(name.count("/") + 1)]
        if not any(fnmatch.fnmatch(part, one.removeprefix("**/")) for part in parents for one in ignored):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    assert (tmp_path / "app.py").is_file()
    assert not (tmp_path / "tests").exists()
    known, port = dict(instructions()), free_port()
    torch = re.search(r"\$\((grep [^)]*)\)", next(rest for name, rest in instructions() if name == "RUN" and "pip" in rest))
    assert torch is not None
    found = subprocess.run(shlex.split(torch[1]), cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"torch==[\d.]+\n", found)
    command = [sys.executable, "-m", *(part.replace("8501", str(port)) for part in json.loads(known["CMD"]))]
    health = [part.replace("8501", str(port)) for part in json.loads(known["HEALTHCHECK"].partition("CMD ")[2])]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, cwd=tmp_path, env=os.environ | {"HF_HUB_OFFLINE": "1"}, **quiet)
    try:
        wait_for(f"http://127.0.0.1:{port}/healthz")
        subprocess.run([sys.executable, *health[1:]], check=True)
        assert get(f"http://127.0.0.1:{port}/_stcore/metrics", **{"X-Forwarded-For": "203.0.113.7"})[0] == 404
    finally:
        server.terminate()
        server.wait(20)


def test_compose_names_what_is_there() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = told["services"]
    assert {"viewer", "llama", "vllm", "caddy"} <= services.keys()
    assert "ports" not in services["viewer"], "nobody reaches the app but through the proxy"
    assert services["viewer"]["environment"]["TOKEN_VIEWER_PUBLIC"] == "1"
    assert {name for service in services.values() for name in service.get("networks", ())} <= told["networks"].keys()
    for service in services.values():
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert source in told["volumes"] or (DEPLOY / source).exists()
    if shutil.which("docker"):
        done = subprocess.run(
            ["docker", "compose", "-f", str(DEPLOY / "compose.yaml"), "config", "-q"],
            env=os.environ | {"PASSWORD": "x" * 12},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 or "unknown" in done.stderr or "is not a docker command" in done.stderr, done.stderr


def visitor(trusted: str, proxy: str, forwarded: str) -> str:
    """Return the address that the app sees, with this value of FORWARDED_ALLOW_IPS, for a request of this proxy."""
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["client"][0])

    scope: Any = {"type": "http", "client": (proxy, 1), "headers": [(b"x-forwarded-for", forwarded.encode())]}
    unused: Any = None
    with pytest.raises(StopIteration):  # nothing in it waits, so no loop is needed; another test may have left one running
        ProxyHeadersMiddleware(app, trusted)(scope, unused, unused).send(None)
    return seen[0]


def test_only_the_named_proxies_may_say_from_where_a_visitor_comes() -> None:
    told = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = told["services"]
    proxy = services["caddy"]["networks"]["front"]["ipv4_address"]
    assert [name for name, one in services.items() if "front" in one["networks"]] == ["viewer", "caddy"]
    assert not {"inside", "outside"} & services["caddy"]["networks"].keys(), "the app would see another address of Caddy"
    trusted = services["viewer"]["environment"]["FORWARDED_ALLOW_IPS"]
    assert visitor(trusted, proxy, "203.0.113.7") == "203.0.113.7"
    assert visitor(trusted, "10.89.40.3", "203.0.113.7") == "10.89.40.3"
    space = re.search(r"`FORWARDED_ALLOW_IPS` \| `(.*?)`", (DEPLOY / "huggingface-space.md").read_text())
    assert space is not None
    for told_by_browser in ("203.0.113.7", "198.51.100.1, 203.0.113.7"):  # the proxy adds the last one
        assert visitor(space[1], "10.20.0.3", told_by_browser) == visitor(trusted, proxy, told_by_browser) == "203.0.113.7"
    for path in filter(Path.is_file, DEPLOY.iterdir()):
        assert not re.search(r"FORWARDED_ALLOW_IPS\W{0,6}\*", path.read_text()), path


def test_the_space_and_the_unit_say_what_they_need() -> None:
    head = yaml.safe_load((DEPLOY / "huggingface-space.md").read_text().split("---")[1])
    exposed = next(rest for name, rest in instructions() if name == "EXPOSE")
    assert (head["sdk"], str(head["app_port"])) == ("docker", exposed)
    unit = (DEPLOY / "token-probability-viewer.service").read_text()
    assert "--server.address=127.0.0.1" in unit
    assert "TOKEN_VIEWER_PUBLIC=1" in unit


@contextmanager
def running(command: list[str], address: str, **environment: str) -> Iterator[None]:
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    proxy = subprocess.Popen(command, env=os.environ | environment, start_new_session=True, **quiet)
    try:
        wait_for(address)
        yield
    finally:
        os.killpg(proxy.pid, signal.SIGTERM)
        proxy.wait(20)


def through(proxy: str, host: str) -> None:
    """What must hold behind every proxy: pages and sockets pass, a visitor is a visitor, metrics and strange names do not."""
    port = int(proxy.rpartition(":")[2])
    status, headers = get(proxy, Host=host)
    assert status == 200
    assert "frame-ancestors" in headers["content-security-policy"]
    assert get(f"{proxy}/_stcore/metrics", Host=host)[0] == 404
    address = f"ws://{host}/_stcore/stream"
    connect: Any = client.connect
    own: dict[str, Any] = {"subprotocols": ["streamlit"], "compression": None}
    with socket.create_connection(("127.0.0.1", port)) as line, connect(address, sock=line, origin=f"http://{host}", **own) as talk:
        assert talk.subprotocol == "streamlit"
    with (
        socket.create_connection(("127.0.0.1", port)) as line,
        pytest.raises(InvalidStatus),
        connect(address, sock=line, origin="http://evil.example", **own),
    ):
        pytest.fail("a page of another site came in")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx on this machine")
def test_behind_nginx(tmp_path: Path) -> None:
    port = free_port()
    with running_app(TOKEN_VIEWER_PUBLIC="1", TOKEN_VIEWER_HOSTS="viewer.example.org") as app:
        command = nginx_command(tmp_path, port, [app])
        subprocess.run([*command, "-t"], check=True, capture_output=True)
        with running([*command, "-g", "daemon off;"], f"http://127.0.0.1:{port}/_stcore/health"):
            through(f"http://127.0.0.1:{port}", "viewer.example.org")
            a_class_comes_in(port, "viewer.example.org")


def a_class_comes_in(port: int, name: str, visitors: int = 30) -> None:
    """Many visitors behind one address ask for as many scripts as a page has, small ones. Every request is answered, compressed."""
    found = Path(streamlit.__file__).with_name("static").joinpath("static", "js").glob("*.js")
    scripts = sorted((path for path in found if path.stat().st_size > 1200), key=lambda path: path.stat().st_size)[:110]

    def one(_number: int) -> Counter[tuple[int, str | None]]:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        seen: Counter[tuple[int, str | None]] = Counter()
        for script in scripts:
            line.request("GET", f"/static/js/{script.name}", headers={"Host": name, "Accept-Encoding": "gzip"})
            answer = line.getresponse()
            answer.read()
            seen[answer.status, answer.getheader("content-encoding")] += 1
        line.close()
        return seen

    with ThreadPoolExecutor(visitors) as together:
        seen = sum(together.map(one, range(visitors)), Counter())
    assert {status for status, _ in seen} == {200}
    assert seen[200, "gzip"] > visitors * len(scripts) // 2


@pytest.mark.skipif(shutil.which("caddy") is None, reason="no caddy on this machine")
def test_behind_caddy(tmp_path: Path) -> None:
    port = free_port()
    with running_app(TOKEN_VIEWER_PUBLIC="1", TOKEN_VIEWER_HOSTS="viewer.example.org") as app:
        environment = {
            "VIEWER": f"http://viewer.example.org:{port}, http://127.0.0.1:{port}",
            "APP": app.removeprefix("http://"),
            "XDG_DATA_HOME": str(tmp_path),
            "XDG_CONFIG_HOME": str(tmp_path),
        }
        text = "{\n\tadmin off\n" + (DEPLOY / "Caddyfile").read_text().partition("{\n")[2]
        (tmp_path / "Caddyfile").write_text(text)
        command = ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
        with running(command, f"http://127.0.0.1:{port}/_stcore/health", **environment):
            through(f"http://127.0.0.1:{port}", f"viewer.example.org:{port}")
