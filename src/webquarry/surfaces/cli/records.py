"""`webquarry records`: research sessions, paid answers and the ledger on this machine: how they
are, what can be rescued of damaged ones, and how to begin anew.

`rescue` writes one JSON object a line and changes nothing. `reset` deletes nothing: it moves the
files away, and says where to.
"""

from __future__ import annotations

import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from webquarry.surfaces.terminal import AsJson, command_output, one_line

app = typer.Typer(
    help="What must not be lost on this machine: see whether it is sound, rescue what can be read, "
    "begin anew."
)


@app.command()
def check(as_json: AsJson = None) -> None:
    """Say whether the records are sound. Nothing is changed."""
    with command_output(as_json) as output:
        from webquarry.records.examine import examine_records

        folder = _find_folder()
        failure = examine_records(folder)
        if failure is not None:
            raise failure
        line = one_line(f"The records in {folder} are sound.")
        answer = {"status": "ok", "place": str(folder)}
        output.show(answer, lambda console: console.print(line, soft_wrap=True))


@app.command()
def rescue(
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where to write what can be read, one JSON object a line. Not given: stdout."
        ),
    ] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", help="Another folder with state.sqlite3 and state.key."),
    ] = None,
) -> None:
    """Write down what can still be read of the records: sessions, paid answers, what was spent."""
    with command_output(False), ExitStack() as stack:
        from webquarry.errors import NotFound
        from webquarry.records.rescue import rescue_records
        from webquarry.records.shape import NAME

        folder = from_ or _find_folder()
        if not (folder / NAME).is_file():
            raise NotFound(
                f"There is no record file in {folder}.",
                suggested_action="Name its folder with --from, or set WEBQUARRY_STATE_FOLDER.",
            )
        file = sys.stdout
        if out is not None:
            file = stack.enter_context(_create(out))

        def write(row: dict[str, Any]) -> None:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")

        report = rescue_records(folder, write)
        typer.echo(one_line(report.describe()), err=True)


@app.command()
def reset(as_json: AsJson = None) -> None:
    """Move the records away, so that the next use begins new ones. Nothing is deleted."""
    with command_output(as_json) as output:
        from webquarry.records.reset import set_records_aside

        folder = _find_folder()
        moved = set_records_aside(folder)
        line = "There was nothing to move away."
        if moved is not None:
            line = one_line(f"The records were moved to {moved}; the next use begins new ones.")
        answer = {"moved": str(moved) if moved else None}
        output.show(answer, lambda console: console.print(line, soft_wrap=True))


def _find_folder() -> Path:
    """The folder of the records."""
    import os

    from webquarry.errors import NotFound
    from webquarry.settings import Settings
    from webquarry.store.folder import find_records_folder

    folder = find_records_folder(Settings.from_environment(), os.environ)
    if folder is None:
        raise NotFound(
            "There is no folder for records: this user has no home.",
            suggested_action="Set WEBQUARRY_STATE_FOLDER to the folder that you mean.",
        )
    return folder


def _create(path: Path) -> Any:
    """A new file of ours alone; one that is there is left alone."""
    import os

    from webquarry.errors import BadInput

    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise BadInput(
            f"{path} cannot be written: {(error.strerror or '').lower()}.",
            suggested_action="Name a file that is not there yet, in a folder that is.",
        ) from None
    return os.fdopen(handle, "w", encoding="utf-8")
