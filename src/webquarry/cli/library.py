"""`webquarry library`: the pages read on this machine: show, add, forget, export."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from webquarry.cli.options import AsJson, new_group
from webquarry.cli.output import command_output
from webquarry.errors import BadInput, WebquarryError
from webquarry.terminal import count_noun, one_line

if TYPE_CHECKING:
    from webquarry.library import KeptPage
    from webquarry.library.library import Library
    from webquarry.toolkit import Toolkit

T = TypeVar("T")
app = new_group("Pages read on this machine, searched with `--provider library`.")
_DAY = 86_400
_FILE_ENDINGS = (".md", ".txt", ".htm", ".html", ".pdf", ".docx", ".csv", ".json")


@app.callback(invoke_without_command=True)
def show(context: typer.Context, as_json: AsJson = None) -> None:
    """Show the number, size and age of the pages in the library."""
    if context.invoked_subcommand is not None:
        return
    with command_output(as_json) as output:
        report = _run(_measure)
        text = (
            f"{report['pages']} pages with {report['textBytes']} bytes of text, in "
            f"{report['place']} ({report['fileBytes']} of {report['maxBytes']} bytes)."
        )
        if "oldest" in report:
            text += f" Read between {report['oldest']} and {report['newest']}."
        output.show_line(report, text)


@app.command()
def add(
    places: Annotated[list[str], typer.Argument(help="Addresses of pages, or files.")],
    as_json: AsJson = None,
) -> None:
    """Read pages or files into the library."""
    with command_output(as_json) as output:

        async def add_all(kit: Toolkit, library: Library) -> dict[str, list[str]]:
            report: dict[str, list[str]] = {"added": [], "notKept": []}
            failed: list[str] = []
            for place in places:
                try:
                    url = await _add(kit, place)
                except WebquarryError as error:
                    if len(places) == 1:
                        raise
                    failed.append(f"{place}: {error.sentence}")
                    continue
                outcome = "added" if await library.holds(url) else "notKept"
                report[outcome].append(url)
            if failed:
                report["failed"] = failed
            return report

        with output.show_progress("reading"):
            report = _run(add_all)
        lines = [f"Added: {url}" for url in report["added"]]
        lines += [f"Not kept, as its site wants: {url}" for url in report["notKept"]]
        lines += [f"Not read: {line}" for line in report.get("failed", ())]
        text = "\n".join(map(one_line, lines))
        output.show(report, lambda console: output.write(text))
        if report.get("failed"):
            raise typer.Exit(1)


@app.command()
def forget(
    url: Annotated[str | None, typer.Argument(help="The address of a page.")] = None,
    older: Annotated[
        float | None, typer.Option(help="Pages read more than this many days ago.", min=0)
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every page.")] = False,
    as_json: AsJson = None,
) -> None:
    """Remove a page, old pages, or all."""
    if [url is not None, older is not None, everything].count(True) != 1:
        raise typer.BadParameter("Give one of: an address, --older DAYS, --all.")
    with command_output(as_json) as output:
        before = None
        if older is not None:
            before = time.time() - older * _DAY

        async def forget_pages(_: Toolkit, library: Library) -> int:
            return await library.forget(_find_address(url), before)

        count = _run(forget_pages)
        line = f"{count_noun(count, 'page was', 'pages were')} forgotten."
        output.show_line({"forgotten": count}, line)


@app.command()
def export(
    out: Annotated[Path | None, typer.Option(help="The file to write. Default: stdout.")] = None,
) -> None:
    """Write every page, one JSON object per line, the newest first."""
    with command_output(False):

        async def list_pages(_: Toolkit, library: Library) -> list[KeptPage]:
            return await library.list_pages()

        lines = [_write_line(page) for page in _run(list_pages)]
        text = "".join(f"{line}\n" for line in lines)
        if out is None:
            sys.stdout.write(text)
        else:
            try:
                out.write_text(text, "utf-8")
            except OSError as error:
                raise BadInput(
                    f"{out} cannot be written: {error.strerror or error}.",
                    suggested_action="Name a file in a folder that you may write to.",
                ) from None


def _run(work: Callable[[Toolkit, Library], Awaitable[T]]) -> T:
    """Open the library of this machine and do the work."""
    from webquarry.bridge import bridge

    async def run() -> T:
        async with _open_library() as (kit, library):
            return await work(kit, library)

    return bridge.run(run())


@asynccontextmanager
async def _open_library() -> AsyncIterator[tuple[Toolkit, Library]]:
    from webquarry.toolkit import Toolkit

    async with Toolkit.open(runner="fork") as kit:
        if kit.library is None:
            raise BadInput(
                "There is no library: it is off, or there is no home folder for it.",
                suggested_action="Unset WEBQUARRY_LIBRARY, WEBQUARRY_RECORD and WEBQUARRY_REPLAY, "
                "or set WEBQUARRY_STATE_FOLDER.",
            )
        yield kit, kit.library


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
        report |= {"oldest": _show_moment(found.oldest), "newest": _show_moment(found.newest)}
    return report


async def _add(kit: Toolkit, place: str) -> str:
    """Read a page or a file; return its address."""
    from webquarry.cli.read import complete_url

    if _is_file(place):
        snapshot = await kit.pages.read_file(Path(place))
    elif _names_file(place):
        raise BadInput(
            f"There is no file {place}.",
            suggested_action="Check the path; an address of the web begins with https://.",
        )
    else:
        snapshot = await kit.pages.get(complete_url(place), fresh=True)
    return str(snapshot.fields["url"])


def _is_file(place: str) -> bool:
    return "://" not in place and Path(place).is_file()


def _names_file(place: str) -> bool:
    """Whether it is the path of a file that does not exist."""
    if "://" in place:
        return False
    if "/" in place:  # else an address without its https://
        return place.startswith((".", "/", "~"))
    return place.lower().endswith(_FILE_ENDINGS)


def _find_address(url: str | None) -> str | None:
    """The address of a page, or of a file that was added."""
    if url is None:
        return None
    if _is_file(url):
        return Path(url).absolute().as_uri()
    from webquarry.cli.read import complete_url

    return complete_url(url)


def _write_line(page: KeptPage) -> str:
    fields = {
        "url": page.url,
        "title": page.title,
        "fetchedAt": _show_moment(page.fetched_at),
        "text": page.text.decode("utf-8", "replace"),
    }
    return json.dumps(fields, ensure_ascii=False)


def _show_moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
