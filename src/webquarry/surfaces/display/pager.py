"""A text that is longer than the screen goes through a pager: $PAGER, else `less -R`.

Only a person at a terminal gets one. A pager that cannot be started, an empty $PAGER and `cat` mean
that the text is written as it is.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console

_USUAL = "less -R"
_NONE = ("", "cat")


def write_paged(console: Console, text: str) -> None:
    """Write what was rendered for a console: through a pager if it does not fit the screen."""
    command = None
    if console.is_terminal and text.count("\n") >= console.height:
        command = find_pager(os.environ)
    if command is None or not _run_pager(command, text):
        console.file.write(text)
        console.file.flush()


def find_pager(environ: Mapping[str, str]) -> list[str] | None:
    """The command of the pager; None if there is none or none is wanted."""
    if environ.get("TERM") == "dumb":
        return None
    named = environ.get("PAGER", _USUAL).strip()
    if named in _NONE:
        return None
    try:
        words = shlex.split(named)
    except ValueError:  # a quotation mark that is not closed
        return None
    if shutil.which(words[0]) is None:
        return None
    return words


def _run_pager(command: list[str], text: str) -> bool:
    """Let a person read the text in a pager; False if it could not be started."""
    environ = {"LESS": "R", **os.environ}  # colours and links, unless the user has said otherwise
    with _leave_interrupts_to_the_pager():
        try:
            # The user's own choice, and no shell.
            process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environ)  # noqa: S603
        except OSError:
            return False
        with process:
            try:
                process.communicate(text.encode("utf-8", "replace"))
            except BrokenPipeError:  # it was left before the end
                process.wait()
    return True


@contextmanager
def _leave_interrupts_to_the_pager() -> Iterator[None]:
    """Ctrl-C is a command of the pager's while it runs."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # Not SIG_IGN, which the pager would inherit.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
