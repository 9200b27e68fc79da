"""`webquarry pack`: write the sources of a session as an evidence pack, a WACZ file."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.cli.options import AsJson
from webquarry.cli.output import command_output
from webquarry.cli.session import Id, find_session_id
from webquarry.errors import BadInput
from webquarry.terminal import one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.toolkit import Toolkit

_SCOPES = "read: pages that were read; quoted: only quoted pages; hashes: no page text."


def pack(
    id: Id,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, FILE.wacz.")],
    scope: Annotated[Literal["read", "quoted", "hashes"], typer.Option(help=_SCOPES)] = "read",
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    as_json: AsJson = None,
) -> None:
    """Write a session with its sources' bytes, quotes, spans and hashes to one file.

    The pages are read again for it.
    """
    with command_output(as_json) as output:
        from webquarry.bridge import bridge

        _check_place(out, force=force)
        full_id = find_session_id(id)
        with output.show_progress("reading the sources"):
            data, problems = bridge.run(_make_pack(full_id, scope))
        _write_file(out, data)
        answer = {
            "file": str(out),
            "bytes": len(data),
            "sessionId": full_id,
            "scope": scope,
            "problems": problems,
        }
        output.show(answer, lambda console: _show_pack(console, answer))


async def _make_pack(
    id: str, scope: Literal["read", "quoted", "hashes"]
) -> tuple[bytes, list[dict[str, Any]]]:
    """Return the bytes of the pack, and the sources that could not be read."""
    from webquarry import __version__
    from webquarry.toolkit import Toolkit
    from webquarry.verify.pack.archive import read_exchanges
    from webquarry.verify.pack.build import build_pack, read_sources

    async with Toolkit.open() as kit:
        session = await kit.sessions.read(id)
        async with _open_recording_kit(kit) as (recording, file):

            async def read(url: str) -> Any:
                return await recording.pages.get_words(url, fresh=True)

            sources = await read_sources(session, scope, read)
            exchanges = read_exchanges(file)
    data = build_pack(session, sources, exchanges, scope, f"webquarry {__version__}")
    problems = [
        {"number": source.recorded.number, "url": source.recorded.source.url, "error": error}
        for source in sources
        if source.problem is not None
        for error in [source.problem.as_dict()]
    ]
    return data, problems


@asynccontextmanager
async def _open_recording_kit(kit: Toolkit) -> AsyncIterator[tuple[Toolkit, Path]]:
    """A toolkit with the same settings that records to a file, and that file."""
    import tempfile

    from webquarry.toolkit import Toolkit

    with tempfile.TemporaryDirectory(prefix="webquarry-pack-") as folder:
        file = Path(folder) / "exchanges.warc"
        settings = kit.settings.replace(record=file, cache=False, call_log=False)
        async with Toolkit.open(settings, kit.environ, runner="fork") as recording:
            yield recording, file


def _check_place(out: Path, *, force: bool) -> None:
    """Check the path before the pages are read."""
    if out.exists() and not force:
        raise BadInput(
            f"{out} exists.",
            suggested_action="Name another file, or overwrite it with --force.",
        )
    if not out.absolute().parent.is_dir():
        raise BadInput(
            f"The folder {out.parent} does not exist.",
            suggested_action="Create the folder, or name a file in another one.",
        )


def _write_file(out: Path, data: bytes) -> None:
    """Write the file atomically."""
    draft = out.with_name(f"{out.name}.{os.getpid()}.new")
    try:
        try:
            draft.write_bytes(data)
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(
            f"{out} cannot be written: {(error.strerror or '').lower()}.",
            suggested_action="Name a file in a writable folder.",
        ) from None


def _show_pack(console: Console, answer: dict[str, Any]) -> None:
    from rich.text import Text

    from webquarry.cli.layout import print_hanging

    words = f"{answer['file']} was written: {answer['bytes']:,} bytes."
    print_hanging(console, "", Text(one_line(words)))
    for problem in answer["problems"]:
        message = one_line(f"[{problem['number']}] {problem['error']['message']}")
        print_hanging(console, "    ", Text(f"not in it: {message}", "red"))
