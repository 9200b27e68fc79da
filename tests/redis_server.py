"""A real redis-server on a socket of its own, which can be stopped, killed, frozen and started
again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from webquarry.secret import Secret
from webquarry.store.redis_connection import RedisConnection

KEY = bytes(range(32))
PATIENCE_SECONDS = 60


class WatchedConnection(RedisConnection):
    """Remembers what scripts were run and what they said."""

    said: list[tuple[str, Any]]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.said = []

    async def script(
        self, text: str, keys: Sequence[bytes], arguments: Sequence[Any], **options: Any
    ) -> Any:
        found = await super().script(text, keys, arguments, **options)
        self.said.append((text, found))
        return found


class RedisServer:
    """Begun by `start`; the same place, and with `lasting` the same data, after `stop` and
    `start`.
    """

    def __init__(self, folder: Path, lasting: bool = False) -> None:
        self.folder = folder
        self.socket = folder / "r.sock"
        self.url = f"unix://{self.socket}"
        self.lasting = lasting
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        binary = shutil.which("redis-server")
        if binary is None:
            pytest.skip("there is no redis-server")
        lasting = (
            ["--appendonly", "yes", "--appendfsync", "always"]
            if self.lasting
            else ["--appendonly", "no"]
        )
        command = [
            binary,
            "--port",
            "0",
            "--unixsocket",
            str(self.socket),
            "--dir",
            str(self.folder),
            "--save",
            "",
            *lasting,
        ]
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        end = time.monotonic() + PATIENCE_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "redis-server ended at once"
            assert time.monotonic() < end, "redis-server does not answer"
            time.sleep(0.01)

    def say(self, *words: str) -> bytes:
        """One command, and the beginning of what is answered."""
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE_SECONDS)
            line.connect(str(self.socket))
            parts = [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
            line.sendall(f"*{len(words)}\r\n{''.join(parts)}".encode())
            return line.recv(65536)

    def _answers(self) -> bool:
        try:
            return self.say("PING").startswith(b"+PONG")
        except OSError:
            return False

    def stop(self, how: int = signal.SIGTERM) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.send_signal(how)
            self._process.wait(PATIENCE_SECONDS)
            self._process = None
            self.socket.unlink(missing_ok=True)

    def freeze(self) -> None:
        """It takes connections, and answers nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        os.waitpid(self._process.pid, os.WUNTRACED)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    @property
    def environ(self) -> dict[str, str]:
        """What a server of ours finds in its environment; it is patient, since the machine may be
        busy.
        """
        return {
            "WEBQUARRY_REDIS_URL": self.url,
            "WEBQUARRY_STORE_KEY": KEY.hex(),
            "redis_timeout_seconds": "30",
            "HOME": "/nonexistent",
        }

    def begin(self, program: str, said: str) -> subprocess.Popen[str]:
        """A Python program that is given the place and the key; it has come to where it says
        this.
        """
        command = [sys.executable, "-c", program, self.url, KEY.hex()]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        assert process.stdout.readline() == f"{said}\n"
        return process

    @contextlib.asynccontextmanager
    async def connect(
        self, key: bytes = KEY, timeout_seconds: float = 30, rest_seconds: float = 0
    ) -> AsyncIterator[WatchedConnection]:
        """One server's connection to it."""
        connection = WatchedConnection(
            Secret(self.url),
            key,
            place="test",
            timeout_seconds=timeout_seconds,
            rest_seconds=rest_seconds,
        )
        try:
            yield connection
        finally:
            await connection.aclose()


@contextlib.contextmanager
def running(lasting: bool = False) -> Iterator[RedisServer]:
    """A server for the time of a block. The path of a socket must be short, which those of pytest
    are not.
    """
    with tempfile.TemporaryDirectory(prefix="wq-") as folder:
        server = RedisServer(Path(folder), lasting)
        server.start()
        try:
            yield server
        finally:
            server.stop(signal.SIGKILL)
