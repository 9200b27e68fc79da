"""`webquarry sql`: a SQL shell on a DuckDB database with the functions of webquarry.

SQL comes from -c, stdin, or a prompt. Rows go to stdout, everything else to stderr. Exit codes:
0 done, 1 a statement failed, 130 interrupted.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.output import command_output
from webquarry.errors import BadInput, Cancelled, WebquarryError
from webquarry.sql.types import load_library
from webquarry.terminal import one_line, printable

if TYPE_CHECKING:
    from webquarry.sql.lint import PlanWarning
    from webquarry.sql.session import Confirm, SqlResult, SqlSession

# Databases that are no files: in memory, or of a service (md:name, s3://...).
_NO_FILE = re.compile(r":memory:|[a-z][a-z0-9+.-]+:", re.IGNORECASE)
_END = re.compile(r";\s*(?:--.*)?$")  # of a line that ends a statement
_KEY_SETTER = re.compile(r"(?is)(stps_set_\w*key\s*\(\s*'(?P<key>(?:[^']|'')+)')")
_HELP = """\
End a statement with ; and it runs.
  SELECT ask('Bitcoin', 'What is it?').answer;
  FROM web_search('duckdb', n := 3);
  .help           this list
  .tables         tables and views
  .schema [NAME]  the definition of a table, or of all
  .read FILE      run the statements of a file
  .format NAME    table, csv, json or markdown
  .functions      the functions of webquarry
  .usage          the bill of today
  .quit           leave (or Ctrl-D)
"""
_QUERIES = {
    ".tables": [
        "SELECT table_name AS name, table_type AS type FROM information_schema.tables ORDER BY ALL"
    ],
    ".functions": [
        "SELECT DISTINCT function_name AS name, function_type AS type, "
        "array_to_string(parameters, ', ') AS parameters FROM duckdb_functions() WHERE "
        "database_name = 'temp' AND function_name NOT LIKE '\\_webquarry%' ESCAPE '\\' ORDER BY ALL"
    ],
    ".usage": ["FROM webquarry_usage(days := 1)", "FROM webquarry_usage_total(days := 1)"],
}
_SCHEMA = """
SELECT sql FROM (SELECT table_name AS name, sql FROM duckdb_tables() WHERE NOT internal
                 UNION ALL SELECT view_name, sql FROM duckdb_views() WHERE NOT internal)
WHERE $1 = '' OR name = $1 ORDER BY name
"""
_QUIT = (".quit", ".exit")
_HISTORY_LINES = 1000


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("-c", "--command", help="Run this SQL and exit.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json", "markdown"]),
    default="table",
    help="Format of the rows.",
)
@click.option("--create", is_flag=True, help="Create the database if it does not exist.")
@click.option("--read-only", is_flag=True, help="Open the file without changing it.")
def sql(file: Path | None, command: str | None, style: str, create: bool, read_only: bool) -> None:
    """Run SQL with webquarry's functions: ask, web_search, scrape_page and the stps_* family.

    FILE is a DuckDB database. Default: in memory.
    """
    with command_output(False):
        from webquarry.sql.session import SqlSession

        if file is not None and not create:
            _check_exists(file, may_ask=command is None and not read_only)
        with SqlSession.open(file or ":memory:", read_only=read_only) as session:
            shell = Shell(session, style)
            if command is None and sys.stdin.isatty():
                shell.run_interactive()
                return
            shell.run_text(sys.stdin.read() if command is None else command)
            if shell.failed:
                raise click.exceptions.Exit(130 if shell.interrupted else 1)


def _check_exists(file: Path, *, may_ask: bool) -> None:
    """Do not create a database because its name is mistyped."""
    if _NO_FILE.match(str(file)) or file.exists():
        return
    if may_ask and sys.stdin.isatty() and sys.stderr.isatty():
        question = f"There is no database {file}. Create it?"
        if click.confirm(question, default=False, err=True):
            return
    raise BadInput(
        f"There is no database {file}.",
        suggested_action="Check the path, or add --create to create it.",
    )


class Shell:
    """Runs the statements and dot commands of a prompt, a file or a pipe."""

    def __init__(self, session: SqlSession, style: str) -> None:
        self._session = session
        self._style = style
        self.failed = False
        self.interrupted = False
        self._confirm: Confirm | None = None

    def run_interactive(self) -> None:
        """Read lines from a prompt until the user leaves."""
        self._confirm = self._ask_user
        pending: list[str] = []
        with keep_history():
            self._write_note("webquarry sql: statements end with ; and .help lists commands.\n")
            while True:
                try:
                    line = input("      ...> " if pending else "webquarry> ")
                except EOFError:
                    self._write_note("\n")
                    return
                except KeyboardInterrupt:
                    self._write_note("\n")
                    pending.clear()
                    continue
                forget_keys(line)
                for piece in split_line(pending, line):
                    if piece in _QUIT:
                        return
                    self._run(piece)

    def run_text(self, text: str) -> None:
        """Run statements and commands up to the first that fails."""
        self.failed = False
        pending: list[str] = []
        lines = text.splitlines()
        for number, line in enumerate(lines, 1):
            for piece in split_line(pending, line, is_last=number == len(lines)):
                if piece in _QUIT:
                    return
                self._run(piece)
                if self.failed:
                    return

    def _run(self, piece: str) -> None:
        """Run a statement or a command and print an error."""
        try:
            if piece.startswith("."):
                self._run_command(piece)
            else:
                self._run_statement(piece)
        except (KeyboardInterrupt, Cancelled):
            self.interrupted = True
            self._fail(
                "The statement was stopped. Answers that were paid for are stored: running it "
                "again pays only for the rest."
            )
        except WebquarryError as error:
            self._fail(f"Error: {error.sentence}\nTry: {error.suggested_action}")
        except load_library("duckdb").Error as error:
            self._fail(redact_keys(str(error)))
        except OSError as error:
            self._fail(f"Error: {error}")

    def _run_statement(self, statement: str) -> None:
        from webquarry.sql.progress import summarize

        result = self._session.sql(statement, confirm=self._confirm)
        if result.rows or result.columns != ("Success",):
            self._show(result)
        if result.progress.rows or result.progress.planned:
            self._write_note(f"{summarize(result.progress)}\n")

    def _ask_user(self, warning: PlanWarning) -> bool:
        """Confirm a statement that pays for rows that it discards."""
        self._write_note(
            f"This pays for about {warning.discarded:,} rows that are discarded. Run it? [y/N] "
        )
        try:
            return input().strip().lower() in ("y", "yes")
        except EOFError:
            return False

    def _run_command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            ".help": lambda _: self._write_note(_HELP),
            ".schema": self._show_schema,
            ".read": self._read_file,
            ".format": self._set_format,
        }
        if name in commands:
            commands[name](rest.strip())
            return
        if name not in _QUERIES:
            self._fail(f"There is no command {name}. .help lists them.")
            return
        for query in _QUERIES[name]:
            self._show(self._session.sql(query, lint=False))

    def _show(self, result: SqlResult) -> None:
        from webquarry.sql.rendering import render

        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        sys.stdout.write(render(result, self._style, width))
        sys.stdout.flush()

    def _show_schema(self, name: str) -> None:
        for (text,) in self._session.sql(_SCHEMA, [name], lint=False).rows:
            sys.stdout.write(f"{printable(text)}\n")

    def _read_file(self, name: str) -> None:
        self.run_text(Path(name).expanduser().read_text("utf-8"))

    def _set_format(self, name: str) -> None:
        from webquarry.sql.rendering import FORMATS

        if name in FORMATS:
            self._style = name
        else:
            self._fail(f"There is no format {one_line(name)!r}. Use one of: {', '.join(FORMATS)}.")

    def _fail(self, message: str) -> None:
        from webquarry.secret import redact

        self.failed = True
        self._write_note(f"{printable(redact(message))}\n")

    def _write_note(self, text: str) -> None:
        """Write to stderr, after the rows on stdout."""
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def split_line(pending: list[str], line: str, *, is_last: bool = False) -> list[str]:
    """Return the dot command or the statements that a line completes; `pending` are the lines
    before it.
    """
    if not pending and (line.startswith(".") or not line.strip()):
        return [line.strip()] if line.strip() else []
    pending.append(line)
    if not is_last and not _END.search(line):
        return []
    text = "\n".join(pending)
    duckdb: Any = load_library("duckdb")
    try:
        statements = [found.query for found in duckdb.extract_statements(text)]
    except duckdb.Error as error:
        if "unterminated" in str(error) and not is_last:  # a string or a comment
            return []
        statements = [text]
    pending.clear()
    return statements


def redact_keys(text: str) -> str:
    """Remove the keys of `stps_set_*key('...')` from an error, which repeats the statement."""
    from webquarry.secret import Secret, redact

    for found in _KEY_SETTER.finditer(text):
        Secret(found["key"])  # registers it for `redact`
        text = text.replace(found["key"], "***")
    return redact(text)


def forget_keys(line: str) -> None:
    """Remove a line with a key from the history."""
    if _KEY_SETTER.search(line):
        with suppress(ImportError, ValueError):  # no readline, or no line in it
            import readline

            readline.remove_history_item(readline.get_current_history_length() - 1)


@contextmanager
def keep_history() -> Iterator[None]:
    """Load the history of the prompt from the state folder, and save it at the end."""
    from webquarry.settings import Settings
    from webquarry.store.open import find_records_folder

    folder = find_records_folder(Settings.from_environment(), os.environ)
    try:
        import readline
    except ImportError:
        folder = None
    if folder is None:
        yield
        return
    file = folder / "sql-history"
    with suppress(OSError):
        readline.read_history_file(file)
    try:
        yield
    finally:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            readline.set_history_length(_HISTORY_LINES)
            readline.write_history_file(file)
            file.chmod(0o600)
