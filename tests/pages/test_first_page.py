"""The first page, in a process of its own: drawn and stepped before transformers' code for the network is there, which comes behind it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = f"""
import sys
from streamlit.testing.v1 import AppTest
from pages.parts.runtime import preload

preload.AFTER = 3600
preload.begin()
preload.wait()
app = AppTest.from_file({str(ROOT / "app.py")!r}, default_timeout=60).run()
app.button(key="step").click().run()
assert not app.exception and len(app.session_state["_session"].run.path) == 1
heavy = ["torch._dynamo", "torch._inductor", "sympy", "transformers.modeling_utils", "transformers.models.llama.modeling_llama"]
heavy += ["core.training.lessons", "core.labs.prepared", "pages.parts.session.running_order_file"]
print([name for name in heavy if name in sys.modules])
app.switch_page("pages/inside.py").run()
assert not app.exception
preload.settle()
print("transformers.models.llama.modeling_llama" in sys.modules, preload._early)
"""


def test_the_first_page_does_without_the_networks_code_and_every_other_has_it() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == ["[]", "True []"]
