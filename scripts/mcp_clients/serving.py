"""A command and its environment -> the address of a server of ours, for the time of a context."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

END_SECONDS = 40  # more than the grace that our server gives to calls under way
OURS = str(Path(sysconfig.get_path("scripts")) / "webquarry")


@contextmanager
def start_server(command: list[str], environ: dict[str, str], folder: Path) -> Iterator[str]:
    """The address at which the command, started in the folder, says that it serves."""
    with subprocess.Popen(
        command, cwd=folder, env=environ, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        assert process.stderr
        try:
            line = process.stderr.readline()
            url = re.search(r"http://\S+/mcp", line)
            if not url:
                process.terminate()
                sys.exit(f"the server did not start: {line}{process.stderr.read()}")
            # A log that nobody reads would stop the server once the pipe is full.
            threading.Thread(target=deque, args=(process.stderr, 0), daemon=True).start()
            yield url[0]
        finally:
            process.terminate()
            try:
                process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
