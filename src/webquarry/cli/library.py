"""`webquarry library`: the pages read on this machine: show, add, forget, export."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from webquarry.bridge import bridge
from webquarry.cli.output import Output, command_output, json_option, with_output, with_text_output
from webquarry.errors import BadInput, WebquarryError
from webquarry.terminal import count_noun, one_line
from webquarry.tool_arguments import read_url

if TYPE_CHECKING:
    from webquarry.library.library import Library
    from webquarry.toolkit import Toolkit

T = TypeVar("T")
_DAY = 86_400


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def library(context: click.Context, as_json: bool | None) -> None:
    """Pages read on this machine, searched with `--provider library`.

    Without a command: show their number, size and age.
    """
    if context.invoked_subcommand is not None:
        return
    with command_output(as_json) as output:
        report = _use_library(_measure)
        text = (
            f"{report['pages']} pages with {report['textBytes']} bytes of text, in "
            f"{report['place']} ({report['fileBytes']} of {report['maxBytes']} bytes)."
        )
        if "oldest" in report:
            text += f" Read between {report['oldest']} and {report['newest']}."
        output.show_line(report, text)


@library.command()
@click.argument("places", nargs=-1, required=True, metavar="URL|FILE...")
@with_output
def add(output: Output, places: tuple[str, ...]) -> None:
    """Read pages or files into the library."""
    report: dict[str, list[str]] = {"added": [], "notKept": []}
    failed: list[str] = []

    async def add_all(kit: Toolkit, library: Library) -> None:
        for place in places:
            try:
                url = await _add(kit, place)
            except WebquarryError as error:
                if len(places) == 1:
                    raise
                failed.append(f"{place}: {error.sentence}")
                continue
            report["added" if await library.holds(url) else "notKept"].append(url)

    with output.show_progress("reading"):
        _use_library(add_all)
    lines = [f"Added: {url}" for url in report["added"]]
    lines += [f"Not stored, as its site wants: {url}" for url in report["notKept"]]
    lines += [f"Not read: {line}" for line in failed]
    if failed:
        report["failed"] = failed
    output.show(report, lambda: output.write("\n".join(map(one_line, lines))))
    if failed:
        raise click.exceptions.Exit(1)


async def _add(kit: Toolkit, place: str) -> str:
    """Read a page or a file; return its address."""
    if _is_file(place):
        snapshot = await kit.pages.read_file(Path(place))
    else:
        snapshot = await kit.pages.get(read_url(place), fresh=True)
    return str(snapshot.fields["url"])


@library.command()
@click.argument("url", required=False)
@click.option("--older", type=click.FloatRange(min=0), help="Pages read more days ago than this.")
@click.option("--all", "everything", is_flag=True, help="Every page.")
@with_output
def forget(output: Output, url: str | None, older: float | None, everything: bool) -> None:
    """Remove a page, old pages, or all."""
    if [url is not None, older is not None, everything].count(True) != 1:
        raise click.UsageError("Give one of: an address, --older DAYS, --all.")
    address = url
    if url is not None:
        address = Path(url).absolute().as_uri() if _is_file(url) else read_url(url)
    before = None if older is None else time.time() - older * _DAY

    async def remove(_: Toolkit, library: Library) -> int:
        return await library.forget(address, before)

    count = _use_library(remove)
    line = f"{count_noun(count, 'page was', 'pages were')} removed."
    output.show_line({"forgotten": count}, line)


@library.command()
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="File. Default: stdout."
)
@with_text_output
def export(output: Output, out: Path | None) -> None:
    """Write every page, one JSON object per line, the newest first."""
    lines: list[str] = []

    async def write_lines(_: Toolkit, library: Library) -> None:
        for page in await library.list_pages():
            fields = {
                "url": page.url,
                "title": page.title,
                "fetchedAt": _format_time(page.fetched_at),
                "text": page.text.decode("utf-8", "replace"),
            }
            lines.append(json.dumps(fields, ensure_ascii=False) + "\n")

    _use_library(write_lines)
    if out is None:
        click.echo("".join(lines), nl=False)
        return
    out.write_text("".join(lines), "utf-8")


def _use_library(work: Callable[[Toolkit, Library], Awaitable[T]]) -> T:
    """Open the library of this machine and do the work."""
    from webquarry.toolkit import Toolkit

    async def run() -> T:
        async with Toolkit.open(runner="fork") as kit:
            if kit.library is None:
                raise BadInput(
                    "There is no library: it is off, or there is no home folder for it.",
                    suggested_action="Unset WEBQUARRY_LIBRARY, WEBQUARRY_RECORD and "
                    "WEBQUARRY_REPLAY, or set WEBQUARRY_STATE_FOLDER.",
                )
            return await work(kit, kit.library)

    return bridge.run(run())


async def _measure(kit: Toolkit, library: Library) -> dict[str, Any]:
    report: dict[str, Any] = {
        "pages": 0,
        "textBytes": 0,
        "fileBytes": 0,
        "maxBytes": kit.settings.library_max_bytes,
        "place": str(library.path),
    }
    if not library.path.exists():  # measuring must not create it
        return report
    found = await library.measure()
    report |= {"pages": found.pages, "textBytes": found.text_bytes, "fileBytes": found.file_bytes}
    if found.oldest is not None and found.newest is not None:
        report |= {"oldest": _format_time(found.oldest), "newest": _format_time(found.newest)}
    return report


def _is_file(place: str) -> bool:
    return "://" not in place and Path(place).is_file()


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
