"""A SQL function: its parameters, its type and its body; and how its calls reach the body.

The same body has two names. `_webquarry_<name>` is called by our macro, which casts the required
arguments and adds the connection and the statement; cursors see `<name>`. Both are volatile and see
NULLs, so a row is evaluated once per appearance and EXPLAIN, PREPARE and DESCRIBE evaluate none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import redact
from webquarry.sql.arguments import Arguments, Parameter, read_cursor_call, read_macro_call
from webquarry.sql.instance import Instance
from webquarry.sql.statements import Scope
from webquarry.sql.types import ValueType, build_arrow_type, load_library, quote_identifier

log = logging.getLogger(__name__)
INNER = "_webquarry_"
# In a macro: the mark of the statement, and the beginning of its text.
HERE = "current_connection_id(), current_query_id(), left(current_query(), 200)"


@dataclass(frozen=True)
class FunctionCall:
    """One chunk of rows."""

    instance: Instance
    scope: Scope
    arguments: Arguments


Body = Callable[[FunctionCall], list[Any]]


@dataclass(frozen=True)
class Function:
    """A scalar function; with `table`, also a table function of the same name."""

    name: str
    parameters: tuple[Parameter, ...]
    type: ValueType
    body: Body  # returns Python values, or an Arrow array, one for each row
    places: int | None = None  # arguments that a cursor may give by position; None for all
    defaults: dict[str, str] = field(default_factory=dict)  # SQL of defaults other than NULL
    scalar: str | None = "{call}"  # the expression of the scalar macro; None for no macro
    table: str | None = None  # the query of the table macro
    macro: str | None = None  # the name of the macro, if it differs
    public: bool = True  # whether cursors see it
    # A function of DuckDB that requires constants, as which a macro's parameters do not count yet.
    shadowed: str | None = None

    @property
    def inner(self) -> str:
        """The name that our macro calls."""
        return INNER + self.name

    def macros(self) -> list[str]:
        """Return the statements that create the macros on one connection."""
        signature: list[str] = []
        arguments: list[str] = [HERE]
        for parameter in self.parameters:
            name = quote_identifier(parameter.name)
            if parameter.required:
                signature.append(name)
                arguments.append(f"CAST({name} AS {parameter.type})")
            else:
                signature.append(f"{name} := {self.defaults.get(parameter.name, 'NULL')}")
                arguments.append(name)
        call = f"{self.inner}({', '.join(arguments)})"
        macro = self.macro or self.name
        head = f"CREATE OR REPLACE TEMP MACRO {macro}({', '.join(signature)}) AS "
        statements: list[str] = []
        if self.scalar is not None:
            statements.append(head + self.scalar.replace("{call}", call))
        if self.table is not None:
            statements.append(head + "TABLE " + self.table.replace("{call}", call))
        return shadow(self.shadowed, statements) if self.shadowed else statements

    def make_udf(self, instance: Instance, *, inner: bool) -> Callable[..., Any]:
        """Return the function for DuckDB: Arrow columns in, an Arrow array out."""
        places = len(self.parameters) if self.places is None else self.places

        def call(*columns: Any) -> Any:
            with translate_errors(None):
                if inner:
                    name = self.macro or self.name
                    arguments = read_macro_call(name, self.parameters, columns)
                else:
                    arguments = read_cursor_call(self.name, self.parameters, places, columns)
            entered = instance.statements.enter(arguments.mark, arguments.words)
            with entered as scope, translate_errors(scope):
                try:
                    values = self.body(FunctionCall(instance, scope, arguments))
                finally:
                    if scope.running <= 1:
                        instance.progress_line.clear()
                arrow = load_library("pyarrow")
                if isinstance(values, arrow.Array):
                    return values
                return arrow.array(values, build_arrow_type(self.type))

        return call


class SqlError(Exception):
    """An error of ours as DuckDB shows it: a sentence, and what to do about it."""


@contextmanager
def translate_errors(scope: Scope | None) -> Iterator[None]:
    """Raise errors as one text without secrets; the scope keeps the error itself, of which DuckDB
    keeps the text only.
    """
    try:
        yield
    except SqlError:
        raise
    except KeyboardInterrupt:
        if scope is not None:
            scope.cancelled = scope.interrupted = True
        raise
    except WebquarryError as error:
        if scope is not None:
            scope.error = error
            scope.cancelled |= isinstance(error, Cancelled)
        raise SqlError(redact(error.sentences)) from None
    except Exception as error:
        log.debug("unexpected error", exc_info=error)
        raise SqlError(redact(f"{type(error).__name__}: {error}")) from None


def shadow(function: str, statements: list[str]) -> list[str]:
    """Return statements that create macros while a function of DuckDB accepts any arguments."""
    return [
        f"CREATE OR REPLACE TEMP MACRO {function}(first, second) AS first",
        *statements,
        f"DROP MACRO temp.main.{function}",
    ]


def parse_parameters(*texts: str) -> tuple[Parameter, ...]:
    """Parse parameters: `context!` is required, `max_tokens BIGINT` has a type."""
    parameters: list[Parameter] = []
    for text in texts:
        name, _, kind = text.partition(" ")
        parameters.append(Parameter(name.rstrip("!"), kind or "VARCHAR", name.endswith("!")))
    return tuple(parameters)
