"""The words of a `%web` line -> the answer, as the Python library gives it.

The words are those of the command line, and it is the command line that reads them, so that every
flag means the same in both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from webquarry.api import call_with
from webquarry.errors import BadInput

if TYPE_CHECKING:
    from webquarry.tools.research.scrape_page import ScrapeOutput

COMMANDS = ("search", "read", "cite", "papers", "patents")
_BILL = "bill"
_PROGRAM = "%web"


def run_web_line(words: Sequence[str]) -> Any:
    """What the line asks for; None where it only asked for help. A line that cannot be understood
    is `BadInput`.
    """
    if not words:
        raise BadInput(
            f"{_PROGRAM} wants a command.",
            suggested_action=f"Say {_PROGRAM} and one of {', '.join((*COMMANDS, _BILL))}; "
            f"{_PROGRAM} search --help shows what one takes.",
        )
    if words[0] == _BILL:
        return _show_bill(words[1:])
    if words[0] not in COMMANDS:
        raise BadInput(
            f"{_PROGRAM} has no command {words[0]!r}.",
            suggested_action=f"Use one of {', '.join((*COMMANDS, _BILL))}.",
        )
    return _call(words)


def _call(words: Sequence[str]) -> Any:
    """Read the words, and call what they mean."""
    from webquarry.cli.app import app
    from webquarry.cli.options import take_call

    call = take_call(app, words, _PROGRAM)
    if call is None:
        return None
    answer = call_with(call.tool, call.arguments, "research")
    if words[0] != "cite":
        return answer
    from webquarry.api import CiteOutput

    return CiteOutput.of(cast("ScrapeOutput", answer), call.arguments["citation_style"])


def _show_bill(words: Sequence[str]) -> Any:
    """The bill of the last days, of all doors and processes."""
    from webquarry.notebook.asking import share_instance
    from webquarry.sql.functions.setters import list_usage

    match words:
        case []:
            days = 1
        case ["--days", count] if count.isascii() and count.isdigit() and int(count) > 0:
            days = int(count)
        case _:
            raise BadInput(
                f"{_PROGRAM} {_BILL} takes --days and a number.",
                suggested_action=f"Such as {_PROGRAM} {_BILL} --days 7.",
            )
    return list_usage(share_instance(), days)
