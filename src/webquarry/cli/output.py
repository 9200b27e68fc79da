"""Output of a command: rich text on a terminal, one JSON object with --json or in a pipe.

rich is imported only where text is rendered.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from webquarry.errors import BadInput, WebquarryError
from webquarry.terminal import as_json, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.tool import Answer

log = logging.getLogger(__name__)


class Output:
    """Where the answer of one command goes, and in which form."""

    def __init__(self, as_json: bool | None) -> None:
        self.json = not sys.stdout.isatty() if as_json is None else as_json

    @cached_property
    def console(self) -> Console:
        """The console of stdout."""
        return open_console()

    def show(
        self,
        answer: Any,
        render: Callable[[Console], None] | None = None,
        *,
        pager: bool = False,
    ) -> None:
        """Print the answer as JSON, or with `render` as text, which `pager` pages if it is long."""
        if self.json:
            self.write(as_json(answer))
        elif render is None:
            from rich.highlighter import JSONHighlighter
            from rich.text import Text

            self.console.print(JSONHighlighter()(Text(as_json(answer))), soft_wrap=True)
        elif pager and self.console.is_terminal:
            with self.console.capture() as captured:
                render(self.console)
            write_paged(self.console, captured.get())
        else:
            render(self.console)

    def show_answer(self, answer: Answer, *, pager: bool = False) -> None:
        """Print the answer of a tool."""

        def render(console: Console) -> None:
            from webquarry.cli.views import show_answer

            show_answer(console, answer)

        self.show(answer.as_dict(), render, pager=pager)

    def show_line(self, answer: Any, line: str) -> None:
        """Print the answer as JSON, or one line of text."""
        if self.json:
            self.show(answer)
        else:
            self.write(one_line(line))

    @contextmanager
    def show_progress(self, message: str) -> Iterator[None]:
        """Show on stderr what is done, if it is a terminal; not if that gets the JSON, too."""
        is_quiet = self.json and sys.stdout.isatty()
        if is_quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield
            return
        from webquarry.progress import listening

        def describe(words: str) -> str:
            line = "".join(sign if sign.isprintable() else " " for sign in words)
            return f"{' '.join(line.split())} ..."

        # A stream of its own: page workers are forked, and must not inherit a locked stderr.
        with os.fdopen(os.dup(2), "w", encoding="utf-8") as stream:
            console = open_console(file=stream, force_terminal=True)
            status = console.status(fit(console, describe(message)))
            with status, listening(lambda words: status.update(fit(console, describe(words)))):
                yield

    def write(self, text: str) -> None:
        """Write a line to stdout."""
        sys.stdout.write(text + "\n")

    def fail(self, error: WebquarryError) -> None:
        """Write the error to stderr, and as JSON to stdout if that is the form of the answer."""
        if self.json:
            self.write(as_json({"error": error.as_dict()}))
        lines = {"Error: ": error.sentence, "Try: ": error.suggested_action}
        texts = {lead: one_line(text) for lead, text in lines.items() if text}
        if not sys.stderr.isatty():
            for lead, text in texts.items():
                sys.stderr.write(f"{lead}{text}\n")
            return
        from rich.text import Text

        from webquarry.cli.layout import link_urls, print_hanging

        console = open_console(stderr=True)
        for lead, text in texts.items():
            style = "bold red" if lead == "Error: " else "bold"
            print_hanging(console, Text(lead, style), link_urls(text))


def open_console(**options: Any) -> Console:
    """A console without markup, emoji codes and highlighting, which texts do not expect."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, **options)


def fit(console: Console, line: str) -> Any:
    """The line, cut to the width of the terminal beside a spinner."""
    from rich.text import Text

    text = Text(line)
    text.truncate(max(console.width - 3, 1), overflow="ellipsis")
    return text


@contextmanager
def command_output(as_json: bool | None) -> Iterator[Output]:
    """Give the command its output; print an error and exit with code 1."""
    from webquarry import logs
    from webquarry.settings import Settings

    output = Output(as_json)
    try:
        logs.set_up(Settings.from_environment().log_level)
    except BadInput:  # reported by the code that needs the setting
        logs.set_up("warning")
    try:
        yield output
    except WebquarryError as error:
        output.fail(error)
        raise typer.Exit(1) from None
    except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise
    except Exception as error:
        from webquarry.secret import redact

        log.debug("unexpected error", exc_info=True)
        reason = one_line(redact(f"{type(error).__name__}: {error}"))
        unexpected = WebquarryError(
            f"Unexpected error ({reason}).",
            suggested_action="Run it again with WEBQUARRY_LOG_LEVEL=debug and report the output.",
        )
        output.fail(unexpected)
        raise typer.Exit(1) from None


def write_paged(console: Console, text: str) -> None:
    """Write rendered text, through a pager if it is longer than the screen."""
    command = find_pager(os.environ)
    if command is None or text.count("\n") < console.height:
        console.file.write(text)
        console.file.flush()
        return
    environ = {"LESS": "R", **os.environ}  # less shows colours and links with -R
    with subprocess.Popen(command, stdin=subprocess.PIPE, env=environ) as process:  # noqa: S603
        # Ctrl-C belongs to the pager, and a user may leave it early.
        with suppress(BrokenPipeError, KeyboardInterrupt):
            process.communicate(text.encode("utf-8", "replace"))
        while process.returncode is None:
            with suppress(KeyboardInterrupt):
                process.wait()


def find_pager(environ: Mapping[str, str]) -> list[str] | None:
    """The command of the pager: $PAGER or `less -R`; None if there is none or none is wanted."""
    named = environ.get("PAGER", "less -R").strip()
    if environ.get("TERM") == "dumb" or named in ("", "cat"):
        return None
    try:
        words = shlex.split(named)
    except ValueError:  # an unclosed quotation mark
        return None
    if shutil.which(words[0]) is None:
        return None
    return words
