"""A headless Chromium, asked over its DevTools protocol: what a page shows, and what it complained about."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tornado.websocket import websocket_connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0")


@contextmanager
def chromium(profile: Path) -> Iterator[int]:
    """Start a browser and give the port that it listens on."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    assert program, "no Chromium here; on Debian: apt-get install chromium"
    command = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    log = profile / "log.txt"
    with log.open("w") as stderr:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
    try:
        yield _port(log, process)
    finally:
        process.terminate()
        process.wait(timeout=30)


def _port(log: Path, process: subprocess.Popen[bytes]) -> int:
    import time

    for _ in range(600):
        if found := re.search(r"DevTools listening on ws://[^:]+:(\d+)/", log.read_text(errors="replace")):
            return int(found[1])
        assert process.poll() is None, log.read_text(errors="replace")
        time.sleep(0.1)
    raise AssertionError(f"the browser does not listen: {log.read_text(errors='replace')}")


class Tab:
    """A page in the browser; `complaints` and `requests` gather what it logs and loads."""

    def __init__(self, socket: Any) -> None:
        self._socket, self._number = socket, 0
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._events: list[str] = []

    async def ask(self, method: str, **arguments: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.write_message(json.dumps({"id": self._number, "method": method, "params": arguments}))
        while True:
            told = await self._read()
            if told.get("id") == self._number:
                assert "error" not in told, told["error"]
                result: dict[str, Any] = told["result"]
                return result

    async def _read(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(await asyncio.wait_for(self._socket.read_message(), 60))
        method, about = told.get("method"), told.get("params", {})
        self._events.append(str(method))
        if method == "Log.entryAdded" and about["entry"]["level"] in {"error", "warning"}:
            self.complaints.append(about["entry"]["text"])
        elif method in {"Runtime.exceptionThrown", "Runtime.consoleAPICalled"}:
            self.complaints.append(json.dumps(about))
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        return told

    async def open(self, file: Path) -> None:
        self._events.clear()
        await self.ask("Page.navigate", url=file.as_uri())
        while "Page.loadEventFired" not in self._events:
            await self._read()

    async def close(self) -> None:
        self._socket.close()
        while await self._socket.read_message() is not None:
            pass

    async def tell(self, expression: str) -> Any:
        told = await self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    async def look(self, *, width: int, scheme: str, media: str = "") -> None:
        await self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        await self.ask("Emulation.setEmulatedMedia", media=media, features=features)

    async def picture(self, file: Path) -> None:
        told = await self.ask("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(told["data"]))


async def new_tab(port: int) -> Tab:
    """Open a tab that tells what it logs and loads."""
    with urlopen(Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")) as answer:
        address = json.loads(answer.read())["webSocketDebuggerUrl"]
    tab = Tab(await websocket_connect(address, max_message_size=2**28))
    for room in ("Page", "Runtime", "Log", "Network"):
        await tab.ask(f"{room}.enable")
    return tab
