"""How the command line speaks: colours on a terminal, one JSON object with --json or when piped.

Text from the web is untrusted: nothing in it may move the cursor, change the title or colour the
screen. On a terminal control characters are taken out; in JSON they are escaped, so that the value
stays what it was.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.text import Text

from webquarry.errors import BadInput, WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.display.layout import link_urls, print_hanging

log = logging.getLogger(__name__)

AsJson = Annotated[  # the flag of every command that answers
    bool | None,
    typer.Option(
        "--json/--text",
        help="One JSON object, or text for a person. JSON when piped.",
        show_default=False,
    ),
]
Pager = Annotated[  # of every command whose answer may be long
    bool,
    typer.Option(
        "--pager/--no-pager",
        help="On a terminal, what is longer than the screen goes through $PAGER, or less -R.",
        show_default=False,
    ),
]
# Whole escape sequences: CSI ... final byte; OSC, DCS, SOS, PM, APC ... terminator; any other
# two-character one.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Control characters but tab and newline, and those that reorder what is read.
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAK = re.compile("\r\n|\u2028|\u2029|\x85")
# What JSON may carry bare but a terminal, or UTF-8, may not.
_JSON_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """The text without anything that a terminal would obey."""
    text = _BREAK.sub("\n", text)
    text = _SEQUENCE.sub("", text)
    return _CONTROL.sub("", text)


def one_line(text: str) -> str:
    """The text as one printable line."""
    return " ".join(printable(text).split())


def as_json(value: Any) -> str:
    """Indented JSON in UTF-8, safe to print anywhere."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _JSON_ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def use_utf8_streams() -> None:
    """UTF-8 on all three streams, whatever the locale."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


class Output:
    """Where one command's answer goes, and in which form."""

    def __init__(self, as_json: bool | None) -> None:
        if as_json is None:
            self.json = not sys.stdout.isatty()
        else:
            self.json = as_json
        # No markup, emoji codes or highlighting: brackets and colons in our texts are what they
        # look like.
        self.console = Console(markup=False, emoji=False, highlight=False)

    def show(
        self,
        answer: Any,
        render: Callable[[Console], None] | None = None,
        *,
        pager: bool = False,
    ) -> None:
        """The answer as JSON, or by `render` for a person; with `pager`, what is longer than the
        screen goes through one.
        """
        if self.json:
            self.write(as_json(answer))
        elif render is not None and pager and self.console.is_terminal:
            from webquarry.surfaces.display.pager import write_paged

            with self.console.capture() as captured:
                render(self.console)
            write_paged(self.console, captured.get())
        elif render is not None:
            render(self.console)
        else:
            coloured = JSONHighlighter()(Text(as_json(answer)))
            self.console.print(coloured, soft_wrap=True)

    def show_progress(self, message: str) -> AbstractContextManager[None]:
        """Say on stderr what is being done, if a person looks there; not on a terminal that gets
        JSON.
        """
        if self.json and sys.stdout.isatty():
            return nullcontext()
        from webquarry.surfaces.display.spinner import show_progress

        return show_progress(message)

    def write(self, text: str) -> None:
        """A line to stdout as it is."""
        sys.stdout.write(text + "\n")

    def fail(self, error: WebquarryError) -> None:
        """The error in words on stderr, and as the one JSON object on stdout when that is what is
        read there.
        """
        if self.json:
            self.write(as_json({"error": error.as_dict()}))
        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        print_hanging(console, Text("Error: ", "bold red"), link_urls(one_line(error.sentence)))
        if error.suggested_action:
            action = link_urls(one_line(error.suggested_action))
            print_hanging(console, Text("Try: ", "bold"), action)


@contextmanager
def command_output(as_json: bool | None) -> Iterator[Output]:
    """Give the command its output; an error becomes two lines for a person, and exit code 1."""
    from webquarry import logs
    from webquarry.settings import Settings

    output = Output(as_json)
    try:
        logs.set_up(Settings.from_environment().log_level)
    except BadInput:  # a setting that cannot be used is an error of whoever needs it
        logs.set_up("warning")
    try:
        yield output
    except WebquarryError as error:
        output.fail(error)
        raise typer.Exit(1) from None
    except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
        raise
    except Exception as error:
        log.debug("unforeseen", exc_info=True)
        reason = one_line(redact(f"{type(error).__name__}: {error}"))
        unforeseen = WebquarryError(
            f"Something unforeseen happened ({reason}).",
            suggested_action="Run it again with WEBQUARRY_LOG_LEVEL=debug and report what it says.",
        )
        output.fail(unforeseen)
        raise typer.Exit(1) from None
