"""nginx with the configuration of `deploy/` on a port of this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

CONFIGURATION = Path(__file__).parents[1] / "deploy" / "nginx.conf"
TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def nginx_command(folder: Path, port: int, apps: Sequence[str]) -> list[str]:
    """Write the configuration into this folder and return the command. apps: addresses of the replicas."""
    text = CONFIGURATION.read_text()
    text = text.replace("listen 80;", f"listen 127.0.0.1:{port};")
    servers = " ".join(f"server {app.removeprefix('http://')};" for app in apps)
    text = text.replace("server 127.0.0.1:8501;", servers)
    places = "".join(f"{name}_temp_path {folder}/{name};\n" for name in TEMPORARY)
    text = text.replace("http {", f"http {{\naccess_log off;\n{places}", 1)
    (folder / "nginx.conf").write_text(f"pid {folder}/pid;\nerror_log stderr;\n{text}")
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
