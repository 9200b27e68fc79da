"""What a SQL function is: its parameters, its type and its body; and how its calls reach the body.

The same body stands behind two names. `_webquarry_<name>` is called by our macro, which casts what
is required and adds the connection and the statement; `<name>` is what cursors see. Both are
volatile and see NULLs, so a row is evaluated once per appearance and EXPLAIN, PREPARE and DESCRIBE
evaluate none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import redact
from webquarry.sql.functions.arguments import (
    Arguments,
    Parameter,
    read_cursor_call,
    read_macro_call,
)
from webquarry.sql.functions.types import ValueType, build_arrow_type, quote_identifier
from webquarry.sql.instance import Instance
from webquarry.sql.libraries import load_library
from webquarry.sql.statements import Scope

log = logging.getLogger(__name__)
INNER = "_webquarry_"
# In a macro: the mark of the statement, and how its text begins.
HERE = "current_connection_id(), current_query_id(), left(current_query(), 200)"


@dataclass(frozen=True)
class FunctionCall:
    """One chunk of rows on its way to a body."""

    instance: Instance
    scope: Scope
    arguments: Arguments


Body = Callable[[FunctionCall], list[Any]]


@dataclass(frozen=True)
class Function:
    """A scalar function; with `table`, a table function of the same name beside it."""

    name: str
    parameters: tuple[Parameter, ...]
    type: ValueType
    body: Body  # Python values, or an Arrow array, one for each row
    places: int | None = None  # arguments that a cursor may give by place; None: all
    defaults: dict[str, str] | None = None  # SQL of defaults other than NULL
    scalar: str | None = "{call}"  # what the scalar macro is made of; None: there is none
    table: str | None = None  # what the table macro is made of
    macro: str | None = None  # the name of the macro, where it is another
    public: bool = True  # whether cursors see it
    # A function of DuckDB's that wants constants, which a macro's parameters are only later.
    shadowed: str | None = None

    @property
    def inner(self) -> str:
        """The name that our macro calls."""
        return INNER + self.name

    def macros(self) -> list[str]:
        """The statements that make the macros on one connection."""
        defaults = self.defaults or {}
        signature: list[str] = []
        arguments: list[str] = [HERE]
        for parameter in self.parameters:
            name = quote_identifier(parameter.name)
            if parameter.required:
                signature.append(name)
                arguments.append(f"CAST({name} AS {parameter.type})")
            else:
                default = defaults.get(parameter.name, "NULL")
                signature.append(f"{name} := {default}")
                arguments.append(name)
        call = f"{self.inner}({', '.join(arguments)})"
        macro = self.macro or self.name
        head = f"CREATE OR REPLACE TEMP MACRO {macro}({', '.join(signature)}) AS "
        statements: list[str] = []
        if self.scalar is not None:
            statements.append(head + self.scalar.replace("{call}", call))
        if self.table is not None:
            statements.append(head + "TABLE " + self.table.replace("{call}", call))
        if self.shadowed:
            statements = shadow(self.shadowed, statements)
        return statements

    def make_udf(self, instance: Instance, *, inner: bool) -> Callable[..., Any]:
        """What DuckDB calls: Arrow columns in, an Arrow array out."""
        places = self.places
        if places is None:
            places = len(self.parameters)

        def call(*columns: Any) -> Any:
            with translate_errors(None):
                if inner:
                    name = self.macro or self.name
                    arguments = read_macro_call(name, self.parameters, columns)
                else:
                    arguments = read_cursor_call(self.name, self.parameters, places, columns)
            return self._run_body(instance, arguments)

        return call

    def _run_body(self, instance: Instance, arguments: Arguments) -> Any:
        """The values of one chunk, as part of the statement that it belongs to."""
        arrow = load_library("pyarrow")
        entered = instance.statements.enter(arguments.mark, arguments.words)
        with entered as scope, translate_errors(scope):
            call = FunctionCall(instance, scope, arguments)
            try:
                values = self.body(call)
            finally:
                if scope.running <= 1:
                    instance.progress_line.clear()
            if isinstance(values, arrow.Array):
                return values
            arrow_type = build_arrow_type(self.type)
            return arrow.array(values, arrow_type)


class SqlError(Exception):
    """What DuckDB shows of an error of ours: a sentence, and what to do about it."""


@contextmanager
def translate_errors(scope: Scope | None) -> Iterator[None]:
    """Errors of ours leave as one text without secrets; the scope remembers the error itself, which
    DuckDB forgets.
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
            if isinstance(error, Cancelled):
                scope.cancelled = True
        raise SqlError(redact(error.sentences)) from None
    except Exception as error:
        log.debug("unforeseen", exc_info=error)
        raise SqlError(redact(f"{type(error).__name__}: {error}")) from None


def shadow(function: str, statements: list[str]) -> list[str]:
    """Statements that make macros, for whose time a function of DuckDB's is one that takes
    anything.
    """
    return [
        f"CREATE OR REPLACE TEMP MACRO {function}(first, second) AS first",
        *statements,
        f"DROP MACRO temp.main.{function}",
    ]


def parse_parameters(*texts: str) -> tuple[Parameter, ...]:
    """Parameters in short: `context!` is required, `max_tokens BIGINT` has a type."""
    parameters: list[Parameter] = []
    for text in texts:
        name, _, kind = text.partition(" ")
        is_required = name.endswith("!")
        parameters.append(Parameter(name.rstrip("!"), kind or "VARCHAR", is_required))
    return tuple(parameters)
