"""Chromium behind a pipe: HTML in, a picture of the page out, and how two pictures differ."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

WIDTH, HEIGHT = 1280, 900  # pixels of the window
_TALLEST = 6_000  # pixels of a page that are looked at
_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
_OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-pipe",
)  # fmt: skip
_LOAD = """
  const load = async data => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
"""
# The bounding box of the pixels in which two pictures differ by more than `least`.
_DIFFER = (
    "(async (one, other, least) => {"
    + _LOAD
    + """
  const [a, b] = [await load(one), await load(other)];
  let [left, top, right, bottom] = [Infinity, Infinity, -1, -1];
  for (let place = 0; place < a.data.length; place++) {
    if (Math.abs(a.data[place] - b.data[place]) <= least) continue;
    const pixel = place >> 2, x = pixel %% a.width, y = Math.floor(pixel / a.width);
    left = Math.min(left, x); right = Math.max(right, x);
    top = Math.min(top, y); bottom = Math.max(bottom, y);
  }
  return [Math.max(0, right - left + 1) || 0, Math.max(0, bottom - top + 1) || 0];
})(%s, %s, %d)
"""
)


# For each cell of a grid, row by row: in how many rows of pixels two pictures differ.
def find_chromium() -> str | None:
    """The command that starts Chromium here, or None."""
    for command in _COMMANDS:
        if found := shutil.which(command):
            return found
    return None


class Browser:
    """One window. Use it in a `with`, so that the process ends."""

    def __init__(self, command: str) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self._page = Path(self._folder.name) / "page.html"
        self._number = 0
        self._session = ""
        self._unread = b""
        commands_out, self._commands = os.pipe()
        self._replies, replies_in = os.pipe()

        def connect() -> None:
            """Chromium reads commands at descriptor 3 and answers at 4."""
            source, target = os.dup(commands_out), os.dup(replies_in)
            os.dup2(source, 3)
            os.dup2(target, 4)

        profile = f"--user-data-dir={self._folder.name}/profile"
        self._process = subprocess.Popen(
            [command, *_OPTIONS, profile, "about:blank"],
            preexec_fn=connect,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands_out)
        os.close(replies_in)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        attached = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._call("Page.enable")
        self._call(
            "Emulation.setDeviceMetricsOverride",
            width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
        os.close(self._commands)
        os.close(self._replies)
        self._folder.cleanup()

    def paint(self, html: str) -> str:
        """A page as a picture, PNG in base64, down to where it ends."""
        self._page.write_text(html, "utf-8")
        self._call("Page.navigate", url=self._page.as_uri())
        self._wait_for("Page.loadEventFired")
        self._evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 30)))")
        bottom = self._evaluate("document.documentElement.scrollHeight")
        height = min(max(int(bottom), HEIGHT), _TALLEST)
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
        picture = self._call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return str(picture["data"])

    def measure_difference(self, one: str, other: str, least: int) -> tuple[int, int]:
        """Width and height of the part in which two pictures differ by more than `least` of 255."""
        if one == other:
            return 0, 0
        width, height = self._evaluate(_DIFFER % (json.dumps(one), json.dumps(other), least))
        return int(width), int(height)

    def _evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript in the page."""
        reply = self._call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in reply:
            raise RuntimeError(f"The page raised an error: {reply['exceptionDetails']}")
        return reply["result"].get("value")

    def _call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send a command, and wait for what comes back."""
        self._number += 1
        message: dict[str, object] = {
            "id": self._number, "method": method, "params": parameters,
        }  # fmt: skip
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while True:
            reply = self._read()
            if reply.get("id") == self._number:
                if "error" in reply:
                    raise RuntimeError(f"Chromium refused {method}: {reply['error']}")
                return dict(reply["result"])

    def _wait_for(self, event: str) -> None:
        """Read until something has happened."""
        while self._read().get("method") != event:
            pass

    def _read(self) -> dict[str, Any]:
        """The next message."""
        while b"\0" not in self._unread:
            more = os.read(self._replies, 1 << 20)
            if not more:
                raise RuntimeError("Chromium ended before it answered; does it start by hand?")
            self._unread += more
        message, _, self._unread = self._unread.partition(b"\0")
        return dict(json.loads(message))
