"""`webquarry pack`: write the sources of a session as an evidence pack, a WACZ file."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from webquarry.cli.session.ids import Id, find_session_id
from webquarry.surfaces.terminal import AsJson, command_output, one_line

if TYPE_CHECKING:
    from rich.console import Console

    from webquarry.toolkit import Toolkit

_SCOPES = (
    "read: pages that were read; quoted: only those that were quoted; hashes: no page, hashes and "
    "spans alone."
)


def pack(
    id: Id,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, FILE.wacz.")],
    scope: Annotated[Literal["read", "quoted", "hashes"], typer.Option(help=_SCOPES)] = "read",
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.")
    ] = False,
    as_json: AsJson = None,
) -> None:
    """Write a session with its sources' bytes, quotes, spans and hashes to one file that anybody
    can check. The pages are read once more for it.
    """
    with command_output(as_json) as output:
        from webquarry.surfaces.bridge import bridge

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
    """The bytes of the pack, and which sources could not be read for it."""
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
    """A toolkit with the same settings that keeps nothing and records what it receives, and the
    file it records to.
    """
    from webquarry.toolkit import Toolkit

    with tempfile.TemporaryDirectory(prefix="webquarry-pack-") as folder:
        file = Path(folder) / "exchanges.warc"
        settings = kit.settings.replace(record=file, cache=False, call_log=False)
        async with Toolkit.open(settings, kit.environ, runner="fork") as recording:
            yield recording, file


def _check_place(out: Path, *, force: bool) -> None:
    """See that a file can be written there, before anything is read."""
    from webquarry.errors import BadInput

    if out.exists() and not force:
        raise BadInput(
            f"{out} is there already.",
            suggested_action="Name another file, or write over it with --force.",
        )
    if not out.absolute().parent.is_dir():
        raise BadInput(
            f"The folder {out.parent} does not exist.",
            suggested_action="Make the folder, or name a file in one that exists.",
        )


def _write_file(out: Path, data: bytes) -> None:
    """Write it beside its place and move it there, so that nobody finds half of it."""
    from webquarry.errors import BadInput

    draft = out.with_name(f"{out.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        try:
            draft.write_bytes(data)
            draft.replace(out)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise BadInput(
            f"{out} cannot be written: {(error.strerror or '').lower()}.",
            suggested_action="Name a file in a folder that you may write to.",
        ) from None


def _show_pack(console: Console, answer: dict[str, Any]) -> None:
    from rich.text import Text

    from webquarry.surfaces.display.layout import print_hanging

    words = f"{answer['file']} was written: {answer['bytes']:,} bytes."
    print_hanging(console, "", Text(one_line(words)))
    for problem in answer["problems"]:
        message = one_line(f"[{problem['number']}] {problem['error']['message']}")
        print_hanging(console, "    ", Text(f"not in it: {message}", "red"))
