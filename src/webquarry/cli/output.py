"""Output of a command: rich text on a terminal, one JSON object with --json or in a pipe.

rich is imported only where text is rendered.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import click

from webquarry.errors import BadInput, WebquarryError
from webquarry.terminal import as_json, one_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

log = logging.getLogger(__name__)


class Output:
    """Where the answer of one command goes, and in which form."""

    def __init__(self, as_json: bool | None, console: Console | None = None) -> None:
        self.is_terminal = sys.stdout.isatty() if console is None else console.is_terminal
        self.json = not self.is_terminal if as_json is None else as_json
        self._console = console

    @cached_property
    def console(self) -> Console:
        """The console of stdout."""
        return self._console or open_console()

    def show(
        self, answer: Any, render: Callable[[], None] | None = None, *, pager: bool = False
    ) -> None:
        """Print the answer as JSON, or with `render` as text, in a pager if that is wanted."""
        if self.json or render is None:
            sys.stdout.write(as_json(answer) + "\n")
        elif pager and self.is_terminal and not self.console.is_dumb_terminal:
            os.environ.setdefault("LESS", "FRX")  # colours; no paging of a single screen
            with self.console.pager(styles=True, links=True):
                render()
        else:
            render()

    def show_line(self, answer: Any, line: str) -> None:
        """Print the answer as JSON, or one line of text."""
        self.write(as_json(answer) if self.json else one_line(line))

    @contextmanager
    def show_progress(self, message: str) -> Iterator[None]:
        """Show a spinner with the current step on stderr, unless JSON goes to the same terminal."""
        is_quiet = self.json and sys.stdout.isatty()
        if is_quiet or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
            yield
            return
        from rich.text import Text

        from webquarry.progress import listening

        def describe(words: str) -> Text:
            line = Text(f"{one_line(words)} ...")
            line.truncate(max(console.width - 3, 1), overflow="ellipsis")
            return line

        # A stream of its own: page workers are forked and must not inherit a locked stderr.
        with os.fdopen(os.dup(2), "w", encoding="utf-8") as stream:
            console = open_console(file=stream, force_terminal=True)
            status = console.status(describe(message))
            with status, listening(lambda words: status.update(describe(words))):
                yield

    def print(self, text: str, lead: str = "", style: str = "") -> None:
        """Print a text as one line after a lead: wrapped, with links, if it is a terminal."""
        if self.is_terminal:
            from webquarry.cli.render import print_wrapped

            print_wrapped(self.console, one_line(text), lead, style)
        else:
            self.write(lead + one_line(text))

    def write(self, text: str) -> None:
        """Write a text to stdout."""
        if self.is_terminal:  # not past the pager
            self.console.print(text, soft_wrap=True)
        else:
            sys.stdout.write(text + "\n")

    def fail(self, error: WebquarryError) -> None:
        """Write the error to stderr, and as JSON to stdout if that is the form of the answer."""
        if self.json:
            self.write(as_json({"error": error.as_dict()}))
        print_line(error.sentence, "Error: ")
        if error.suggested_action:
            print_line(error.suggested_action, "Try: ")


def print_line(text: str, lead: str = "") -> None:
    """Print a text as one line to stderr: wrapped, with links, if it is a terminal."""
    sys.stdout.flush()
    if not sys.stderr.isatty():
        sys.stderr.write(f"{lead}{one_line(text)}\n")
        return
    from webquarry.cli.render import print_wrapped

    print_wrapped(open_console(stderr=True), one_line(text), lead)


def open_console(**options: Any) -> Console:
    """Open a console without markup, emoji codes and highlighting."""
    from rich.console import Console

    return Console(markup=False, emoji=False, highlight=False, **options)


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
    except (click.exceptions.Exit, click.ClickException, click.Abort, BrokenPipeError):
        raise
    except Exception as error:
        output.fail(_explain(error))
    else:
        return
    raise click.exceptions.Exit(1)


def _explain(error: Exception) -> WebquarryError:
    """Return the error for a file that cannot be used, or for a bug."""
    from webquarry.secret import redact

    if isinstance(error, OSError) and error.filename is not None:
        return BadInput(
            f"{error.filename} cannot be used: {error.strerror}.",
            suggested_action="Check the path and its permissions.",
        )
    log.debug("unexpected error", exc_info=True)
    reason = one_line(redact(f"{type(error).__name__}: {error}"))
    advice = "Run it again with WEBQUARRY_LOG_LEVEL=debug and report the output."
    return WebquarryError(f"Unexpected error ({reason}).", suggested_action=advice)


def with_output(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command with --json/--text; it gets its `Output` as first argument."""

    @json_option
    @functools.wraps(function)
    def run(*, as_json: bool | None, **options: Any) -> None:
        with command_output(as_json) as output:
            function(output, **options)

    return run


def with_text_output(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that prints the same in every case."""

    @functools.wraps(function)
    def run(**options: Any) -> None:
        with command_output(False) as output:
            function(output, **options)

    return run


json_option = click.option(
    "--json/--text", "as_json", default=None, help="Print JSON or text. Default: JSON in a pipe."
)
pager_option = click.option(
    "--pager/--no-pager", default=True, help="On a terminal, page long output with $PAGER or less."
)
