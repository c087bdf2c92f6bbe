"""A tab that can be hidden and frozen. Playwright keeps its own pages visible, so this one is driven in the browser's protocol alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class OwnTab:
    """A file in a window of its own."""

    def __init__(self, browser: Any, path: Path) -> None:
        self._session = browser.new_browser_cdp_session()
        self._session.on("Target.receivedMessageFromTarget", self._receive)
        self._answers: dict[int, Any] = {}
        self._sent = 0
        context = self._session.send("Target.createBrowserContext")["browserContextId"]
        self._target = self._session.send("Target.createTarget", {"url": "about:blank", "browserContextId": context})["targetId"]
        self._tab = self._session.send("Target.attachToTarget", {"targetId": self._target})["sessionId"]
        self._window = self.send("Browser.getWindowForTarget")["windowId"]
        self.send("Page.navigate", url=path.as_uri())  # is answered once the file has taken the place of the empty page

    def _receive(self, event: Any) -> None:
        answer = json.loads(event["message"])
        if "id" in answer:
            self._answers[answer["id"]] = answer["result"]

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command of the protocol and return its result."""
        self._sent += 1
        message = json.dumps({"id": self._sent, "method": method, "params": parameters})
        self._session.send("Target.sendMessageToTarget", {"sessionId": self._tab, "message": message})
        while self._sent not in self._answers:
            self._session.send("Browser.getVersion")  # reads what has arrived
        return self._answers.pop(self._sent)

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression, of a promise once it is kept."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until a condition holds in the tab."""
        look = f"const look = () => (({condition}) ? done() : setTimeout(look, 10)); look();"
        self.evaluate(f"new Promise(done => {{ {look} }})")

    def show(self, shown: bool) -> None:
        """Hide the tab with its window, or show both."""
        self.send("Browser.setWindowBounds", windowId=self._window, bounds={"windowState": "normal" if shown else "minimized"})
        self.until(f"document.hidden === {json.dumps(not shown)}")

    def freeze(self, frozen: bool) -> None:
        """Freeze the tab, which hides it, too; or let its scripts run again."""
        self.send("Page.setWebLifecycleState", state="frozen" if frozen else "active")

    def close(self) -> None:
        """Close the tab."""
        self._session.send("Target.closeTarget", {"targetId": self._target})
        self._session.detach()
