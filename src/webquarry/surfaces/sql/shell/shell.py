"""The SQL shell: lines come in, results go out on stdout, and what they cost on stderr.

Statements end with a semicolon and may run over several lines; what begins with a dot is a command
of the shell. An error is told and the shell goes on; Ctrl-C stops the statement that runs, or
empties the line.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import Secret, redact
from webquarry.surfaces.cli.terminal import one_line, printable
from webquarry.surfaces.sql.libraries import library
from webquarry.surfaces.sql.session import SqlResult, SqlSession
from webquarry.surfaces.sql.shell.progress_line import summary
from webquarry.surfaces.sql.shell.rendering import FORMATS, render
from webquarry.surfaces.sql.shell.splitting import is_blank, pieces, split

_HELP = """\
End a statement with ; and it runs. SELECT ask('Bitcoin', 'What is it?').answer; FROM web_search('duckdb', n := 3);
  .help           this list
  .tables         tables and views
  .schema [NAME]  how a table was made, or all of them
  .read FILE      run the statements of a file
  .format NAME    table, csv, json or markdown
  .functions      the functions of webquarry
  .usage          what was spent today
  .quit           leave (Ctrl-D does, too)
"""
_KEY_SETTER = re.compile(r"(?is)(stps_set_\w*key\s*\(\s*'(?P<key>(?:[^']|'')+)')")
_ASKS = re.compile(
    r"(?is)\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*|\()*(?:select|from|with|values|table|insert|update|delete|copy)\b"
)
_TABLES = (
    "SELECT table_name AS name, table_type AS type FROM information_schema.tables ORDER BY ALL"
)
_SCHEMA = """
SELECT sql FROM (SELECT table_name AS name, sql FROM duckdb_tables() WHERE NOT internal
                 UNION ALL SELECT view_name, sql FROM duckdb_views() WHERE NOT internal)
WHERE $1 = '' OR name = $1 ORDER BY name
"""
_FUNCTIONS = """
SELECT DISTINCT function_name AS name, function_type AS type, array_to_string(parameters, ', ') AS parameters
FROM duckdb_functions()
WHERE database_name = 'temp' AND function_name NOT LIKE '\\_webquarry%' ESCAPE '\\' ORDER BY ALL
"""
_USAGE = "FROM webquarry_usage(days := 1)"


class Shell:
    """One session with a person, a file or a pipe."""

    def __init__(self, session: SqlSession, style: str, *, spend: bool = True) -> None:
        self._session = session
        self._style = style
        self._spend = spend
        self._depth = 0
        self.failed = False
        self.interrupted = False
        self._commands: dict[str, Callable[[str], None]] = {
            ".help": lambda _: self._say(_HELP),
            ".tables": lambda _: self._show(self._session.sql(_TABLES, lint=False)),
            ".schema": self._schema,
            ".read": self._read,
            ".format": self._format,
            ".functions": lambda _: self._show(self._session.sql(_FUNCTIONS, lint=False)),
            ".usage": lambda _: self._show(self._session.sql(_USAGE, lint=False)),
        }

    def talk(self) -> None:
        """With a person at a terminal, until they leave."""
        with history():
            self._say("webquarry sql: statements end with ; and .help lists the commands.\n")
            pending = ""
            while True:
                try:
                    line = input("webquarry> " if is_blank(pending) else "      ...> ")
                except EOFError:
                    self._say("\n")
                    return
                except KeyboardInterrupt:
                    self._say("\n")
                    pending = ""
                    continue
                forget_keys(line)
                if is_blank(pending) and line.strip() in (".quit", ".exit"):
                    return
                pending = self._take(pending, line + "\n")

    def run_text(self, text: str, *, go_on: bool = False) -> None:
        """Statements and commands one after the other; without `go_on` up to the first that fails."""
        for is_command, piece in pieces(text):
            if is_command and piece in (".quit", ".exit"):
                return
            if is_command:
                self._command(piece)
            else:
                self._run(piece)
            if self.failed and not go_on:
                return

    def _take(self, pending: str, line: str) -> str:
        if is_blank(pending) and line.lstrip().startswith("."):
            self._command(line.strip())
            return ""
        if ";" not in line:
            return pending + line
        statements, rest = split(pending + line)
        for statement in statements:
            self._run(statement)
        return rest

    def _run(self, statement: str) -> None:
        with self._telling():
            result = self._session.sql(statement)
            if not _is_only_done(statement, result):
                self._show(result)
            if self._spend and (result.progress.rows or result.progress.planned):
                self._say(f"{summary(result.progress)}\n")

    def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        command = self._commands.get(name)
        with self._telling():
            if command is None:
                self._fail(f"There is no command {name}. .help lists them.")
            else:
                command(rest.strip())

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """An error is told, and nothing ends."""
        try:
            yield
        except (KeyboardInterrupt, Cancelled):
            self.interrupted = True
            self._fail(
                "The statement was stopped. What was paid for is kept: running it again pays "
                "only for the rest."
            )
        except WebquarryError as error:
            self._fail(f"Error: {error.message}\nTry: {error.suggested_action}")
        except library("duckdb").Error as error:
            self._fail(without_keys(str(error)))
        except OSError as error:
            self._fail(f"Error: {error}")

    def _show(self, result: SqlResult) -> None:
        sys.stdout.write(render(result, self._style))
        sys.stdout.flush()

    def _schema(self, name: str) -> None:
        for (text,) in self._session.sql(_SCHEMA, [name], lint=False).rows:
            sys.stdout.write(f"{printable(text)}\n")

    def _read(self, name: str) -> None:
        if self._depth > 10:
            self._fail("The files read each other.")
            return
        self._depth += 1
        try:
            self.run_text(Path(name).expanduser().read_text("utf-8"), go_on=True)
        finally:
            self._depth -= 1

    def _format(self, name: str) -> None:
        if name in FORMATS:
            self._style = name
        else:
            self._fail(f"There is no format {one_line(name)!r}. Use one of: {', '.join(FORMATS)}.")

    def _fail(self, message: str) -> None:
        self.failed = True
        self._say(f"{printable(redact(message))}\n")

    def _say(self, text: str) -> None:
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def _is_only_done(statement: str, result: SqlResult) -> bool:
    """DuckDB answers a CREATE or SET with a table that says nothing."""
    return result.columns in (("Count",), ("Success",)) and not _ASKS.match(statement)


def without_keys(text: str) -> str:
    """DuckDB repeats the line that is wrong; a key in it is not repeated."""
    for found in _KEY_SETTER.finditer(text):
        Secret(found["key"])
        text = text.replace(found["key"], "***")
    return redact(text)


def forget_keys(line: str) -> None:
    """A line with a key is not remembered."""
    if _KEY_SETTER.search(line):
        with contextlib.suppress(ImportError):
            import readline

            if readline.get_current_history_length():
                readline.remove_history_item(readline.get_current_history_length() - 1)


@contextlib.contextmanager
def history() -> Iterator[None]:
    """Lines typed before, where the system has readline; kept in the user's state folder."""
    try:
        import readline
    except ImportError:
        yield
        return
    import os

    from webquarry.records.open import records_folder
    from webquarry.settings import Settings

    folder = records_folder(Settings.from_environment(), os.environ)
    place = folder / "sql-history" if folder else None
    if place is not None:
        with contextlib.suppress(OSError):
            readline.read_history_file(place)
    try:
        yield
    finally:
        if place is not None:
            with contextlib.suppress(OSError):
                place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                readline.set_history_length(1000)
                readline.write_history_file(place)
                place.chmod(0o600)
