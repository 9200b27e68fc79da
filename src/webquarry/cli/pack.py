"""`webquarry pack` writes a session as an evidence pack, `verify` checks one, or with `--live`
reads the cited pages again; `drift` is an alias of `verify --live`.

Exit codes of `verify`: 0 intact or no state of `--fail-on`, 1 damaged or failed, 4 a state of
`--fail-on`.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from webquarry import __version__
from webquarry.bridge import bridge
from webquarry.cli.output import Output, with_output
from webquarry.cli.session import find_session_id, session_id
from webquarry.errors import BadInput

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.live import CitedPage

Scope = Literal["read", "quoted", "hashes"]
SOFTWARE = f"webquarry {__version__}"
DEFAULT_FAIL_ON = "quote_changed,quote_gone,page_gone"
_EXIT_CHANGED = 4
_STATES = {
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


@click.command()
@session_id
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The file to write, FILE.wacz.",
)
@click.option(
    "--scope",
    type=click.Choice(["read", "quoted", "hashes"]),
    default="read",
    help="read: pages that were read; quoted: only quoted pages; hashes: no page text.",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@with_output
def pack(output: Output, id: str, out: Path, scope: Scope, force: bool) -> None:
    """Write a session with its sources' bytes, quotes, spans and hashes to one file.

    The pages are read again for it.
    """
    if out.exists() and not force:
        raise BadInput(
            f"{out} exists.",
            suggested_action="Name another file, or overwrite it with --force.",
        )
    full_id = find_session_id(id)
    with output.show_progress("reading the sources"):
        data, problems = bridge.run(_make_pack(full_id, scope))
    draft = out.with_name(f"{out.name}.{os.getpid()}.new")
    draft.write_bytes(data)
    draft.replace(out)
    answer = {
        "file": str(out),
        "bytes": len(data),
        "sessionId": full_id,
        "scope": scope,
        "problems": problems,
    }

    def render() -> None:
        output.print(f"{out} was written: {len(data):,} bytes.")
        for problem in problems:
            output.print(f"[{problem['number']}] {problem['error']['message']}", "    not in it: ")

    output.show(answer, render)


async def _make_pack(id: str, scope: Scope) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the bytes of the pack, and the sources that could not be read."""
    from webquarry.toolkit import Toolkit
    from webquarry.verify.pack import build_pack, read_sources
    from webquarry.verify.wacz import read_exchanges

    with tempfile.TemporaryDirectory(prefix="webquarry-pack-") as folder:
        file = Path(folder) / "exchanges.warc.gz"
        async with Toolkit.open() as kit:
            session = await kit.sessions.read(id)
            settings = kit.settings.replace(record=file, cache=False, call_log=False)
            async with Toolkit.open(settings, kit.environ, runner="fork") as recording:

                async def read(url: str) -> Any:
                    return await recording.pages.get_words(url, fresh=True)

                sources = await read_sources(session, scope, read)
                exchanges = read_exchanges(file)
    data = build_pack(session, sources, exchanges, scope, SOFTWARE)
    problems = []
    for source in sources:
        if source.problem is not None:
            number, url = source.recorded.number, source.recorded.source.url
            problems.append({"number": number, "url": url, "error": source.problem.as_dict()})
    return data, problems


_fail_on = click.option(
    "--fail-on",
    default=DEFAULT_FAIL_ON,
    show_default=True,
    help="States that end in exit code 4, separated by commas, or none.",
)


@click.command()
@click.argument("subject", metavar="FILE.wacz|ID")
@click.option("--live", is_flag=True, help="Read the cited pages again and look for each quote.")
@_fail_on
@with_output
def verify(output: Output, subject: str, live: bool, fail_on: str) -> None:
    """Check an evidence pack offline: every byte, hash and quote; or its pages with --live."""
    if live:
        _check_live(output, subject, fail_on)
        return
    report = bridge.run(_check_pack(_read_pack(Path(subject))))
    output.show(report, lambda: _show_report(output, report))
    if not report["intact"]:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("subject", metavar="FILE.wacz|ID")
@_fail_on
@with_output
def drift(output: Output, subject: str, fail_on: str) -> None:
    """Alias of `verify --live`: read cited pages again and look for each quote."""
    _check_live(output, subject, fail_on)


async def _check_pack(data: bytes) -> dict[str, Any]:
    """Check a pack; the texts are made again in a worker, nothing else is opened."""
    from webquarry.toolkit import Toolkit
    from webquarry.verify.pack import check_contents, remake_texts
    from webquarry.verify.wacz import read_wacz

    contents = read_wacz(data)
    report = check_contents(contents, SOFTWARE)
    async with Toolkit.open(runner="fork") as kit:
        await remake_texts(contents, report, kit.runner, kit.settings.max_bytes, SOFTWARE)
    return report.as_dict()


def _read_pack(file: Path) -> bytes:
    from webquarry.verify.wacz import MAX_BYTES

    if file.stat().st_size > MAX_BYTES:
        raise BadInput(f"{file} is larger than {MAX_BYTES:,} bytes.")
    return file.read_bytes()


def _check_live(output: Output, subject: str, fail_on: str) -> None:
    """Read the pages that a session or a pack cites again, and show their states."""
    failing = {name.strip() for name in fail_on.split(",") if name.strip()} - {"none"}
    unknown = failing - set(_STATES)
    if unknown:
        raise BadInput(
            f"The option --fail-on does not know {', '.join(sorted(unknown))}.",
            suggested_action=f"Use some of: {', '.join(_STATES)}; or none.",
        )
    if not subject.lower().endswith(".wacz"):
        subject = find_session_id(subject)
    with output.show_progress("reading the pages again"):
        pages = bridge.run(_read_again(subject))
    counts = Counter(page["state"] for page in pages)
    answer: dict[str, Any] = {
        "pages": pages,
        "counts": dict(sorted(counts.items())),
        "moved": sum("movedTo" in page for page in pages),
    }
    output.show(answer, lambda: _show_pages(output, pages))
    if failing & set(counts):
        raise click.exceptions.Exit(_EXIT_CHANGED)


async def _read_again(subject: str) -> list[dict[str, Any]]:
    from webquarry.toolkit import Toolkit
    from webquarry.verify.live import LiveChecker

    async with Toolkit.open(runner="fork") as kit:
        cited = await _list_cited(kit, subject)
        async with kit.citations.open_lookups(deadline=math.inf) as lookups:
            checker = LiveChecker(kit.reader, kit.pages, lookups.ask, kit.clock)
            return await checker.check_all(cited)


async def _list_cited(kit: Toolkit, subject: str) -> list[CitedPage]:
    """Return the pages that a session or an intact pack cites."""
    from webquarry.verify.live import list_pack_pages, list_session_pages
    from webquarry.verify.pack import check_contents
    from webquarry.verify.wacz import DamagedPack, read_wacz

    if not subject.lower().endswith(".wacz"):
        return list_session_pages(await kit.sessions.read(subject))
    contents = read_wacz(_read_pack(Path(subject)))
    report = check_contents(contents, "webquarry")
    if not report.is_intact:
        raise DamagedPack(report.problems[0])
    return list_pack_pages(contents)


def _show_pages(output: Output, pages: list[dict[str, Any]]) -> None:
    if not pages:
        output.write("The session has no page that was read: there is nothing to compare.")
    for page in pages:
        output.print(page["title"] or page["url"], f"[{page['number']}] ")
        output.print(page["url"], "    ", "cyan")
        reason = f" ({page['reason']})" if "reason" in page else ""
        style = "green" if page["state"] in _GOOD else "red"
        output.print(f"{page['state']}: {_STATES[page['state']]}{reason}", "    ", style)
        for line in _list_details(page):
            output.print(line, "    ")


def _list_details(page: Mapping[str, Any]) -> list[str]:
    """Where a page moved, its archive copy, and its quotes that changed."""
    lines = []
    if "movedTo" in page:
        lines.append(f"moved to {page['movedTo']}")
    if "archive" in page:
        lines.append(f"archive copy of {page['archive']['date']}: {page['archive']['url']}")
    for quote in page.get("quotes", []):
        state = quote["state"] + ", but in the archive's copy" * bool(quote.get("inArchive"))
        lines.append(f"“{quote['quote']}”: {state}")
        for change in quote.get("changes", []):
            lines.append(f"{change['kind']}: “{change['quote']}” is “{change['page']}” now")
    return lines


def _show_report(output: Output, report: Mapping[str, Any]) -> None:
    from webquarry.verify.pack import STATEMENT

    if report["intact"]:
        output.print("Everything in the pack fits together.", style="green")
    else:
        output.print("The pack does not fit together.", style="bold red")
    texts = f"{report['texts']} texts ({report['remade']} made again from their bytes)"
    counts = f"{report['sources']} sources, {texts}, {report['records']} records"
    output.print(f"session {report['sessionId']}, {report['created']}: {counts}")
    if report["quotes"]:
        tiers = ", ".join(f"{count} {tier}" for tier, count in report["quotes"].items())
        output.print(f"quotes: {tiers}")
    for problem in report["problems"]:
        output.print(problem, "    ", "red")
    for note in report["notes"]:
        output.print(note, "    ")
    output.print(STATEMENT, style="dim")
