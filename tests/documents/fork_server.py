"""Runs `webquarry` for the shells of the documents: each time a new process, but one that has been
started and has imported what commands need, since that is most of what a command costs.

    python fork_server.py SOCKET              the server; it ends with its stdin
    python -I -S run_forked.py SOCKET ...     a command: its arguments, folder, environment and files

A command is a copy of the server that runs the console script's own `main`.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

PRELOADED = ("ask", "net", "pages", "_search", "sessions", "cli", "sql", "tools")
OTHERS = ("duckdb", "pyarrow", "lxml.html", "numpy", "webquarry.api")


def serve(path: str) -> dict[str, Any]:
    """Answer until stdin ends. It returns only in the copy that is to run a command."""
    _preload()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(16)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who answer
    while True:
        readable, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in readable:
            os._exit(0)
        connection, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            return _answer(connection)
        connection.close()


def _preload() -> None:
    for name in OTHERS:
        importlib.import_module(name)
    for name in PRELOADED:
        package = importlib.import_module(f"webquarry.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)


def _answer(connection: socket.socket) -> dict[str, Any]:
    """Let a copy run the command, tell how it ended, and end."""
    received, files, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not received.endswith(b"\n"):
        received += connection.recv(1 << 16)
    child = os.fork()
    if child == 0:
        connection.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        command: dict[str, Any] = json.loads(received)
        return command
    for file in files:
        os.close(file)
    _, status = os.waitpid(child, 0)
    connection.sendall(b"%d" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(command: dict[str, Any]) -> None:
    """Take over the folder, the environment, the files and the arguments."""
    os.chdir(command["folder"])
    os.environ.clear()
    os.environ.update(command["environ"])
    sys.argv = command["arguments"]
    sys.stdin = os.fdopen(0, "r", closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)


def main() -> None:
    command = serve(str(Path(sys.argv[1])))
    _become(command)
    from webquarry.__main__ import main as run_webquarry

    sys.exit(run_webquarry())


if __name__ == "__main__":
    main()
