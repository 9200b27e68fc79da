"""`webquarry verify`: check an evidence pack offline, or with `--live` read the cited pages again.

`webquarry drift` is an alias of `verify --live`. Exit codes: 0 intact or no state of `--fail-on`,
1 damaged or failed, 4 a state of `--fail-on`.
"""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from webquarry.cli.options import AsJson
from webquarry.cli.output import command_output
from webquarry.cli.session import find_session_id
from webquarry.errors import BadInput
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.toolkit import Toolkit
    from webquarry.verify.live import CitedPage

DEFAULT_FAIL_ON = "quote_changed,quote_gone,page_gone"
_EXIT_CHANGED = 4
_WORDS = {
    "same": "the server says that it is unchanged",
    "same_text": "its text is the same",
    "quote_there": "it changed, and every quote is still in it",
    "quote_changed": "words of a quote changed",
    "quote_gone": "a quote is not in it any more",
    "text_changed": "its text changed",
    "readable": "it can be read; nothing was stored to compare it with",
    "page_gone": "it is gone",
    "blocked": "it refuses programs now",
    "unreachable": "it cannot be reached now",
}
_GOOD = ("same", "same_text", "quote_there", "readable")

FailOn = Annotated[
    str,
    typer.Option(help="States that end in exit code 4, separated by commas, or none."),
]


def verify(
    subject: Annotated[
        str, typer.Argument(help="An evidence pack, FILE.wacz; with --live also a session id.")
    ],
    live: Annotated[
        bool,
        typer.Option("--live", help="Read the cited pages again and look for each quote."),
    ] = False,
    fail_on: FailOn = DEFAULT_FAIL_ON,
    as_json: AsJson = None,
) -> None:
    """Check an evidence pack offline: every byte, hash and quote; or its pages with --live."""
    if live:
        check_live(subject, fail_on, as_json)
        return
    with command_output(as_json) as output:
        from webquarry.bridge import bridge

        report = bridge.run(_verify(read_pack_file(Path(subject))))
        output.show(report, lambda console: _show_report(console, report))
        if not report["intact"]:
            raise typer.Exit(1)


def drift(
    subject: Annotated[
        str,
        typer.Argument(help="A research session, by its id or its first letters, or FILE.wacz."),
    ],
    fail_on: FailOn = DEFAULT_FAIL_ON,
    as_json: AsJson = None,
) -> None:
    """Alias of `verify --live`: read cited pages again and look for each quote."""
    check_live(subject, fail_on, as_json)


def check_live(subject: str, fail_on: str, as_json: bool | None) -> None:
    """Read the pages that a session or a pack cites again and show what became of each."""
    with command_output(as_json) as output:
        from webquarry.bridge import bridge

        failing = _parse_states(fail_on)
        if not subject.lower().endswith(".wacz"):
            subject = find_session_id(subject)
        with output.show_progress("reading the pages again"):
            pages = bridge.run(_check(subject))
        counts = Counter(page["state"] for page in pages)
        answer: dict[str, Any] = {
            "pages": pages,
            "counts": dict(sorted(counts.items())),
            "moved": sum("movedTo" in page for page in pages),
        }
        output.show(answer, lambda console: _show(console, answer))
        if failing & set(counts):
            raise typer.Exit(_EXIT_CHANGED)


async def _verify(data: bytes) -> dict[str, Any]:
    """What is found in a pack; nothing but a process for the texts is opened."""
    from webquarry import __version__
    from webquarry.toolkit import Toolkit
    from webquarry.verify.pack.check import check_contents, remake_texts
    from webquarry.verify.pack.wacz import read_wacz

    software = f"webquarry {__version__}"
    contents = read_wacz(data)
    report = check_contents(contents, software)
    async with Toolkit.open(runner="fork") as kit:
        most_bytes = kit.settings.max_bytes
        await remake_texts(contents, report, kit.runner, most_bytes, software)
    return report.as_dict()


def read_pack_file(file: Path) -> bytes:
    """Return the bytes of a pack file."""
    from webquarry.verify.pack.wacz import MAX_BYTES

    try:
        with file.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(
            f"{file} cannot be read: {(error.strerror or '').lower()}.",
            suggested_action="Name a file that webquarry pack has written.",
        ) from None
    if len(data) > MAX_BYTES:
        raise BadInput(f"{file} is larger than {MAX_BYTES:,} bytes.")
    return data


async def _check(subject: str) -> list[dict[str, Any]]:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.live import LiveChecker

    async with Toolkit.open(runner="fork") as kit:
        cited = await _list_pages(kit, subject)
        async with kit.citations.open_asker(deadline=math.inf) as asker:
            checker = LiveChecker(kit.reader, kit.pages, asker, kit.clock)
            return await checker.check_all(cited)


async def _list_pages(kit: Toolkit, subject: str) -> list[CitedPage]:
    """Return the pages that a session or an intact pack cites."""
    from webquarry.verify.live import list_pack_pages, list_session_pages
    from webquarry.verify.pack.archive import DamagedPack
    from webquarry.verify.pack.check import check_contents
    from webquarry.verify.pack.wacz import read_wacz

    if not subject.lower().endswith(".wacz"):
        return list_session_pages(await kit.sessions.read(subject))
    contents = read_wacz(read_pack_file(Path(subject)))
    report = check_contents(contents, "webquarry")
    if not report.is_intact:
        raise DamagedPack(report.problems[0])
    return list_pack_pages(contents)


def _parse_states(text: str) -> set[str]:
    from webquarry.verify.live import STATES

    names = {name.strip() for name in text.split(",") if name.strip()}
    if names == {"none"}:
        return set()
    unknown = names - set(STATES)
    if unknown:
        raise BadInput(
            f"The option --fail-on does not know {', '.join(sorted(unknown))}.",
            suggested_action=f"Use some of: {', '.join(STATES)}; or none.",
        )
    return names


def _show(console: Console, answer: dict[str, Any]) -> None:
    from rich.text import Text

    from webquarry.cli.layout import link, print_hanging

    if not answer["pages"]:
        sentence = "The session has no page that was read: there is nothing to compare."
        print_hanging(console, "", Text(sentence))
    for page in answer["pages"]:
        style = "green" if page["state"] in _GOOD else "red"
        title = one_line(page["title"] or page["url"])
        print_hanging(console, f"[{page['number']}] ", Text(title))
        print_hanging(console, "    ", link(one_line(page["url"])))
        line = Text(f"{page['state']}: {_WORDS[page['state']]}", style)
        if "reason" in page:
            line.append(f" ({one_line(page['reason'])})")
        print_hanging(console, "    ", line)
        if "movedTo" in page:
            print_hanging(console, "    ", Text(f"moved to {one_line(page['movedTo'])}"))
        if "archive" in page:
            copy = page["archive"]
            words = f"archive copy of {copy['date']}: {one_line(copy['url'])}"
            print_hanging(console, "    ", Text(words))
        for quote in page.get("quotes", []):
            _show_quote(console, quote)


def _show_quote(console: Console, quote: dict[str, Any]) -> None:
    """A quote that is not there as it was, with the words that differ."""
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    words = one_line(quote["quote"])
    state = quote["state"]
    if quote.get("inArchive"):
        state += ", but in the archive's copy"
    print_hanging(console, "      ", Text(f"“{words}”: {state}"))
    for change in quote.get("changes", []):
        line = f"{change['kind']}: “{change['quote']}” is “{change['page']}” now"
        print_hanging(console, "        ", Text(one_line(line)))


def _show_report(console: Console, report: dict[str, Any]) -> None:
    """What was checked, for a person."""
    from rich.text import Text

    from webquarry.cli.layout import print_hanging
    from webquarry.verify.pack.build import STATEMENT

    verdict = Text("Everything in the pack fits together.", "green")
    if not report["intact"]:
        verdict = Text("The pack does not fit together.", "bold red")
    print_hanging(console, "", verdict)
    texts = f"{report['texts']} texts ({report['remade']} made again from their bytes)"
    counts = f"{report['sources']} sources, {texts}, {report['records']} records"
    tiers = ", ".join(f"{count} {tier}" for tier, count in report["quotes"].items())
    about = f"session {report['sessionId']}, {report['created']}: {counts}"
    if tiers:
        about += f"; quotes: {tiers}"
    print_hanging(console, "", Text(one_line(about)))
    for problem in report["problems"]:
        print_hanging(console, "    ", Text(one_line(problem), "red"))
    for note in report["notes"]:
        print_hanging(console, "    ", Text(one_line(note), "dim"))
    print_hanging(console, "", Text(STATEMENT, "dim"))
