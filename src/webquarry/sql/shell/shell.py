"""The SQL shell: lines come in, results go out on stdout, and what they cost on stderr.

Statements end with a semicolon and may run over several lines; what begins with a dot is a command
of the shell. An error is told and the shell goes on; Ctrl-C stops the statement that runs, or
empties the line.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import Secret, redact
from webquarry.sql.libraries import load_library
from webquarry.sql.lint import PlanWarning
from webquarry.sql.session import Confirm, SqlResult, SqlSession
from webquarry.sql.shell.completion import Completer, complete_lines
from webquarry.sql.shell.progress_line import summarize
from webquarry.sql.shell.rendering import FORMATS, render
from webquarry.sql.shell.splitting import is_blank, split_commands, split_statements
from webquarry.surfaces.terminal import one_line, printable

_HELP = """\
End a statement with ; and it runs. Tab completes names.
  SELECT ask('Bitcoin', 'What is it?').answer;
  FROM web_search('duckdb', n := 3);
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
# Statements whose rows mean something, behind comments and brackets.
_HAS_ROWS = re.compile(
    r"(?is)\s*(?:--[^\n]*\n\s*|/\*.*?\*/\s*|\()*"
    r"(?:select|from|with|values|table|insert|update|delete|copy)\b"
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
SELECT DISTINCT function_name AS name, function_type AS type,
  array_to_string(parameters, ', ') AS parameters
FROM duckdb_functions()
WHERE database_name = 'temp' AND function_name NOT LIKE '\\_webquarry%' ESCAPE '\\' ORDER BY ALL
"""
_USAGE = "FROM webquarry_usage(days := 1)"
_TOTAL = "FROM webquarry_usage_total(days := 1)"
_QUIT = (".quit", ".exit")
_MOST_DEPTH = 10  # of files that read files
_HISTORY_LINES = 1000


class Shell:
    """One session with a person, a file or a pipe."""

    def __init__(self, session: SqlSession, style: str, *, spend: bool = True) -> None:
        self._session = session
        self._style = style
        self._spend = spend
        self._depth = 0
        self.failed = False
        self.interrupted = False
        self._confirm: Confirm | None = None
        self._commands: dict[str, Callable[[str], None]] = {
            ".help": lambda _: self._write_note(_HELP),
            ".tables": lambda _: self._show_query(_TABLES),
            ".schema": self._show_schema,
            ".read": self._read_file,
            ".format": self._set_format,
            ".functions": lambda _: self._show_query(_FUNCTIONS),
            ".usage": lambda _: self._show_usage(),
        }

    def run_interactive(self) -> None:
        """With a person at a terminal, until they leave."""
        self._confirm = self._ask_person
        pending = ""
        completer = Completer(self._session, (*self._commands, *_QUIT))
        with keep_history(), complete_lines(lambda word, line: completer.find(pending, line, word)):
            self._write_note("webquarry sql: statements end with ; and .help lists commands.\n")
            while True:
                try:
                    prompt = "webquarry> " if is_blank(pending) else "      ...> "
                    line = input(prompt)
                except EOFError:
                    self._write_note("\n")
                    return
                except KeyboardInterrupt:
                    self._write_note("\n")
                    pending = ""
                    continue
                forget_keys(line)
                if is_blank(pending) and line.strip() in _QUIT:
                    return
                pending = self._add_line(pending, line + "\n")

    def run_text(self, text: str, *, go_on: bool = False) -> None:
        """Statements and commands one after the other; without `go_on` up to the first that
        fails.
        """
        for is_command, piece in split_commands(text):
            if is_command and piece in _QUIT:
                return
            if is_command:
                self._run_command(piece)
            else:
                self._run_statement(piece)
            if self.failed and not go_on:
                return

    def _add_line(self, pending: str, line: str) -> str:
        """Run what is complete with this line; what is left over comes back."""
        if is_blank(pending) and line.lstrip().startswith("."):
            self._run_command(line.strip())
            return ""
        if ";" not in line:
            return pending + line
        statements, rest = split_statements(pending + line)
        for statement in statements:
            self._run_statement(statement)
        return rest

    def _run_statement(self, statement: str) -> None:
        """Show the rows of a statement, and what it cost."""
        with self._report_errors():
            result = self._session.sql(statement, confirm=self._confirm)
            # DuckDB answers a CREATE or SET with a table that says nothing.
            is_empty_table = result.columns in (("Count",), ("Success",))
            if not is_empty_table or _HAS_ROWS.match(statement):
                self._show(result)
            if self._spend and (result.progress.rows or result.progress.planned):
                self._write_note(f"{summarize(result.progress)}\n")

    def _ask_person(self, warning: PlanWarning) -> bool:
        """Whether a statement is to be run although it pays for rows that are thrown away."""
        question = (
            f"This pays for about {warning.discarded:,} rows that nobody sees. Run it? [y/N] "
        )
        self._write_note(question)
        try:
            answer = input()
        except EOFError:
            return False
        return answer.strip().lower() in ("y", "yes")

    def _run_command(self, line: str) -> None:
        """Run a command of the shell by its name."""
        name, _, rest = line.partition(" ")
        command = self._commands.get(name)
        with self._report_errors():
            if command is None:
                self._fail(f"There is no command {name}. .help lists them.")
            else:
                command(rest.strip())

    @contextlib.contextmanager
    def _report_errors(self) -> Iterator[None]:
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
            self._fail(f"Error: {error.sentence}\nTry: {error.suggested_action}")
        except load_library("duckdb").Error as error:
            self._fail(redact_keys(str(error)))
        except OSError as error:
            self._fail(f"Error: {error}")

    def _show(self, result: SqlResult) -> None:
        """Write the rows to stdout, in the format of the shell."""
        width = None
        if sys.stdout.isatty():
            width = shutil.get_terminal_size().columns
        text = render(result, self._style, width)
        sys.stdout.write(text)
        sys.stdout.flush()

    def _show_query(self, query: str) -> None:
        """Run a query of ours and show its rows."""
        result = self._session.sql(query, lint=False)
        self._show(result)

    def _show_usage(self) -> None:
        """What was spent today, statement by statement and in all."""
        self._show_query(_USAGE)
        self._show_query(_TOTAL)

    def _show_schema(self, name: str) -> None:
        """The statements that made the tables; of one, if a name is given."""
        result = self._session.sql(_SCHEMA, [name], lint=False)
        for (text,) in result.rows:
            sys.stdout.write(f"{printable(text)}\n")

    def _read_file(self, name: str) -> None:
        """Run the statements of a file."""
        if self._depth > _MOST_DEPTH:
            self._fail("The files read each other.")
            return
        self._depth += 1
        try:
            text = Path(name).expanduser().read_text("utf-8")
            self.run_text(text, go_on=True)
        finally:
            self._depth -= 1

    def _set_format(self, name: str) -> None:
        """Write rows in another format from now on."""
        if name in FORMATS:
            self._style = name
        else:
            self._fail(f"There is no format {one_line(name)!r}. Use one of: {', '.join(FORMATS)}.")

    def _fail(self, message: str) -> None:
        """Say what went wrong, without secrets."""
        self.failed = True
        text = printable(redact(message))
        self._write_note(f"{text}\n")

    def _write_note(self, text: str) -> None:
        """On stderr, behind the rows that were written before."""
        sys.stdout.flush()
        sys.stderr.write(text)
        sys.stderr.flush()


def redact_keys(text: str) -> str:
    """DuckDB repeats the line that is wrong; a key in it is not repeated."""
    for found in _KEY_SETTER.finditer(text):
        key = found["key"]
        Secret(key)  # known from now on, so that no text repeats it
        text = text.replace(key, "***")
    return redact(text)


def forget_keys(line: str) -> None:
    """A line with a key is not remembered."""
    if not _KEY_SETTER.search(line):
        return
    with contextlib.suppress(ImportError):
        import readline

        length = readline.get_current_history_length()
        if length:
            readline.remove_history_item(length - 1)


@contextlib.contextmanager
def keep_history() -> Iterator[None]:
    """Lines typed before, where the system has readline; kept in the user's state folder."""
    try:
        import readline
    except ImportError:
        yield
        return
    import os

    from webquarry.settings import Settings
    from webquarry.store.folder import find_records_folder

    folder = find_records_folder(Settings.from_environment(), os.environ)
    if not folder:
        yield
        return
    file = folder / "sql-history"
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            readline.set_history_length(_HISTORY_LINES)
            readline.write_history_file(file)
            file.chmod(0o600)
