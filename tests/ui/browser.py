"""A real browser that tests drive: Chromium over a pipe, in the words of its DevTools protocol."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

KEYS = {
    "Escape": 27,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "Tab": 9,
    "Enter": 13,
}


class Browser:
    """One page in one browser; `events` holds what the browser told meanwhile."""

    def __init__(self, reads: int, writes: int) -> None:
        self._reads, self._writes = reads, writes
        self._number, self._rest, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for part in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{part}.enable")

    def ask(self, method: str, **words: Any) -> dict[str, Any]:
        """Ask and wait for the answer."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": words}
        message = {**asked, "sessionId": self._session} if self._session else asked
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, address: str) -> None:
        """Open an address, as a new page."""
        self.ask("Page.navigate", url="about:blank")
        self.events.clear()
        self.ask("Page.navigate", url=address)
        self.wait_for(lambda: self.value("document.readyState") == "complete")
        self.wait_for(lambda: self.value("location.protocol") == "file:")

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"key": key, "code": key, "windowsVirtualKeyCode": KEYS[key], **text}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, **code)

    def wait_for(self, is_so: Callable[[], object], seconds: float = 20) -> None:
        until = time.monotonic() + seconds
        while not is_so():
            assert time.monotonic() < until, self.value("document.body.innerText.slice(0, 3000)")
            time.sleep(0.02)

    @property
    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        sent = [each for each in self.events if each.get("method") == "Network.requestWillBeSent"]
        return [each["params"]["request"]["url"] for each in sent]

    @property
    def complaints(self) -> list[str]:
        """What the browser complained of: errors of a script, what the page's policy refused."""
        entries = [each["params"]["entry"] for each in self.events if each.get("method") == "Log.entryAdded"]
        thrown = [each for each in self.events if each.get("method") == "Runtime.exceptionThrown"]
        return [*(each["text"] for each in entries), *map(str, thrown)]

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            read = os.read(self._reads, 1 << 20)
            assert read, "the browser is gone"
            self._rest += read
        message, self._rest = self._rest.split(b"\0", 1)
        found: dict[str, Any] = json.loads(message)
        return found


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    words = "--headless=new --no-sandbox --disable-gpu --remote-debugging-pipe --window-size=1280,1000"
    line = f'exec chromium {words} "--user-data-dir=$0" 3<&{theirs_in} 4>&{theirs_out}'
    process = subprocess.Popen(
        ["bash", "-c", line, str(profile)], pass_fds=(theirs_in, theirs_out), stderr=subprocess.DEVNULL
    )
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Browser(ours_in, ours_out)
    finally:
        process.terminate()
        process.wait(20)
        os.close(ours_in)
        os.close(ours_out)
