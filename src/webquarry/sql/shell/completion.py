"""What Tab offers in the SQL shell: the text before the cursor comes in, words that may stand there
go out.

Names are asked of the database each time, since a statement may have made new ones. Nothing is
evaluated by that.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from webquarry.sql.session import SqlSession
from webquarry.sql.shell.rendering import FORMATS
from webquarry.sql.shell.splitting import is_blank

_DELIMITERS = " \t\n,;()[]{}=<>+-*/|:'"  # and not the dot: `table.col` is one word
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# Behind these a table, a view or a table function stands.
_BEFORE_TABLE = re.compile(r"(?i)\b(?:from|join|into|update|table|describe|summarize)\s+$")
_TABLE_USE = re.compile(
    r'(?i)\b(?:from|join|into|update|,)\s+("[^"]+"|\w+)(?:\s+(?:as\s+)?("[^"]+"|\w+))?'
)
_STRING = re.compile(r"'[^']*'")
_OPEN_CALL = re.compile(r"(\w+)\s*\($")
_TABLES = """
SELECT table_name FROM duckdb_tables() WHERE NOT internal
UNION SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL
"""
_COLUMNS = "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal ORDER BY ALL"
_FUNCTIONS = "SELECT DISTINCT function_name, function_type FROM duckdb_functions() ORDER BY ALL"
_OURS = "SELECT function_name, parameters FROM duckdb_functions() WHERE database_name = 'temp'"
_KEYWORDS = "SELECT keyword_name FROM duckdb_keywords() ORDER BY ALL"
_TABLE_KINDS = ("table", "table_macro")


class Completer:
    """Finds the words that may stand at a place of a statement or of a command."""

    def __init__(self, session: SqlSession, commands: Sequence[str]) -> None:
        self._session = session
        self._commands = commands

    def find(self, pending: str, line: str, word: str) -> list[str]:
        """The words that begin with `word`, behind the lines that were typed before and the line
        up to the word.
        """
        if is_blank(pending) and (line + word).lstrip().startswith("."):
            return self._find_for_command(line.lstrip(), word)
        before = pending + line
        if before.count("'") % 2:  # a string is open, and a string may be a file
            return _list_files(before.rpartition("'")[2], word)
        before = _STRING.sub("''", before)
        if "." in word:
            return self._find_columns_of(before, word)
        if _BEFORE_TABLE.search(before):
            tables = [_quote(name) for name in self._list_tables()]
            return _begin_with(word, [*tables, *self._list_functions(_TABLE_KINDS)])
        if not word:
            return self._list_parameters(before)
        return _begin_with(
            word,
            [
                *self._list_parameters(before),
                *self._list_columns_in_reach(before),
                *map(_quote, self._list_tables()),
                *self._list_functions(),
                *self._list_keywords(word),
            ],
        )

    def _find_for_command(self, line: str, word: str) -> list[str]:
        """What stands behind a command of the shell, or the command itself."""
        if not line:
            return [name for name in self._commands if name.startswith(word)]
        command = line.split()[0]
        if command == ".format":
            return _begin_with(word, FORMATS)
        if command == ".schema":
            return _begin_with(word, self._list_tables())
        if command == ".read":
            return _list_files(line.partition(" ")[2].lstrip(), word)
        return []

    def _find_columns_of(self, before: str, word: str) -> list[str]:
        """The columns of the table, or of the alias, that stands before the dot."""
        owner, _, begin = word.rpartition(".")
        tables = _find_aliases(before)
        table = tables.get(owner.lower(), owner).strip('"').lower()
        columns = []
        for name, column in self._ask(_COLUMNS):
            if name.lower() == table:
                columns.append(_quote(column))
        return [f"{owner}.{column}" for column in _begin_with(begin, columns)]

    def _list_columns_in_reach(self, before: str) -> list[str]:
        """The columns of the tables that the statement names; of all of them, where it names
        none yet.
        """
        named = {table.strip('"').lower() for table in _find_aliases(before).values()}
        columns = self._ask(_COLUMNS)
        in_reach = [column for table, column in columns if table.lower() in named]
        if not in_reach:
            in_reach = [column for _, column in columns]
        return [_quote(column) for column in dict.fromkeys(in_reach)]

    def _list_parameters(self, before: str) -> list[str]:
        """The named arguments of our function whose brackets the place is in."""
        function = _find_open_call(before)
        if function is None:
            return []
        parameters: dict[str, None] = {}
        for name, names in self._ask(_OURS):
            if name == function.lower():
                parameters.update(dict.fromkeys(names))
        return [f"{name} := " for name in parameters]

    def _list_tables(self) -> list[str]:
        return [name for (name,) in self._ask(_TABLES)]

    def _list_functions(self, kinds: Sequence[str] = ()) -> list[str]:
        """The functions of these kinds, or all; each with the bracket that follows."""
        names = []
        for name, kind in self._ask(_FUNCTIONS):
            is_wanted = not kinds or kind in kinds
            if is_wanted and _BARE.fullmatch(name) and not name.startswith("_"):
                names.append(f"{name}(")
        return list(dict.fromkeys(names))

    def _list_keywords(self, word: str) -> list[str]:
        """The words of SQL, in capitals for whoever begins with one."""
        names = [name for (name,) in self._ask(_KEYWORDS)]
        if word[:1].isupper():
            return [name.upper() for name in names]
        return names

    def _ask(self, query: str) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._session.connection.execute(query).fetchall()
        return rows


def _begin_with(word: str, names: Iterable[str]) -> list[str]:
    """The names that begin with a word, whatever its case."""
    begin = word.lower()
    fitting = [name for name in names if name.strip('"').lower().startswith(begin)]
    return list(dict.fromkeys(fitting))


def _find_aliases(text: str) -> dict[str, str]:
    """The tables that a statement names, by their alias or else their own name."""
    tables = {}
    for found in _TABLE_USE.finditer(text):
        table, alias = found.groups()
        tables[table.lower()] = table
        if alias:
            tables[alias.lower()] = table
    return tables


def _find_open_call(text: str) -> str | None:
    """The function whose bracket is the last one that is still open."""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        if text[place] == ")":
            depth += 1
        elif text[place] == "(" and depth:
            depth -= 1
        elif text[place] == "(":
            found = _OPEN_CALL.search(text[: place + 1])
            return found[1] if found else None
    return None


def _list_files(typed: str, word: str) -> list[str]:
    """Files and folders whose path begins with what is typed and the word, of which only the word
    is replaced.
    """
    path = typed + word
    head, slash, begin = path.rpartition("/")
    folder = Path(head + slash or ".").expanduser()
    found = []
    with contextlib.suppress(OSError):
        for entry in sorted(folder.iterdir()):
            if entry.name.startswith(begin) and (begin or not entry.name.startswith(".")):
                end = "/" if entry.is_dir() else ""
                found.append(f"{head}{slash}{entry.name}{end}"[len(typed) :])
    return found


def _quote(name: str) -> str:
    """A name as it is written in SQL."""
    if _BARE.fullmatch(name):
        return name
    return '"' + name.replace('"', '""') + '"'


@contextlib.contextmanager
def complete_lines(find: Callable[[str, str], list[str]]) -> Iterator[None]:
    """Let Tab complete what is typed, where the system has readline. `find` gets the word and the
    line before it.
    """
    try:
        import readline
    except ImportError:
        yield
        return
    found: list[str] = []

    def complete(word: str, number: int) -> str | None:
        if number == 0:
            line = readline.get_line_buffer()[: readline.get_begidx()]
            found.clear()
            with contextlib.suppress(Exception):  # a transaction that failed answers nothing
                found.extend(find(word, line))
        return found[number] if number < len(found) else None

    key = "tab: complete"
    if "libedit" in (readline.__doc__ or ""):
        key = "bind ^I rl_complete"
    earlier = readline.get_completer(), readline.get_completer_delims()
    readline.set_completer(complete)
    readline.set_completer_delims(_DELIMITERS)
    readline.parse_and_bind(key)
    try:
        yield
    finally:
        readline.set_completer(earlier[0])
        readline.set_completer_delims(earlier[1])
