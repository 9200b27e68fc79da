"""What a SQL function is: its parameters, its type and its body; and how its calls reach the body.

The same body stands behind two names. `_webquarry_<name>` is called by our macro, which casts what
is required and adds the connection and the statement; `<name>` is what cursors see. Both are
volatile and see NULLs, so a row is evaluated once per appearance and EXPLAIN, PREPARE and DESCRIBE
evaluate none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from webquarry.errors import Cancelled, WebquarryError
from webquarry.secret import redact
from webquarry.surfaces.sql.functions.arguments import Given, Parameter, from_call, from_macro
from webquarry.surfaces.sql.functions.types import Shape, arrow_type, quoted
from webquarry.surfaces.sql.instance import Instance
from webquarry.surfaces.sql.libraries import library
from webquarry.surfaces.sql.statements import Scope

log = logging.getLogger(__name__)
INNER = "_webquarry_"


@dataclass(frozen=True)
class FunctionCall:
    """One chunk of rows on its way to a body."""

    instance: Instance
    scope: Scope
    given: Given


Body = Callable[[FunctionCall], list[Any]]


@dataclass(frozen=True)
class Function:
    """A scalar function; with `table`, a table function of the same name beside it."""

    name: str
    parameters: tuple[Parameter, ...]
    shape: Shape
    body: Body  # Python values, or an Arrow array, one for each row
    places: int | None = None  # arguments that a cursor may give by place; None: all
    defaults: dict[str, str] | None = None  # SQL of defaults other than NULL
    scalar: str | None = "{call}"  # what the scalar macro is made of; None: there is none
    table: str | None = None  # what the table macro is made of
    macro: str | None = None  # the name of the macro, where it is another
    public: bool = True  # whether cursors see it
    shadowed: str | None = (
        # a function of DuckDB's that wants constants, which a macro's parameters are only later
        None
    )

    @property
    def inner(self) -> str:
        return INNER + self.name

    def macros(self) -> list[str]:
        """The statements that make the macros on one connection."""
        defaults = self.defaults or {}
        written = [
            quoted(one.name)
            if one.required
            else f"{quoted(one.name)} := {defaults.get(one.name, 'NULL')}"
            for one in self.parameters
        ]
        casts = [
            f"CAST({quoted(one.name)} AS {one.type})" if one.required else quoted(one.name)
            for one in self.parameters
        ]
        call = (
            f"{self.inner}({', '.join(['current_connection_id()', 'current_query_id()', *casts])})"
        )
        head = f"CREATE OR REPLACE TEMP MACRO {self.macro or self.name}({', '.join(written)}) AS "
        made = []
        if self.scalar is not None:
            made.append(head + self.scalar.replace("{call}", call))
        if self.table is not None:
            made.append(head + "TABLE " + self.table.replace("{call}", call))
        if self.shadowed:
            shadow = f"CREATE OR REPLACE TEMP MACRO {self.shadowed}(first, second) AS first"
            made = [shadow, *made, f"DROP MACRO temp.main.{self.shadowed}"]
        return made

    def door(self, instance: Instance, *, inner: bool) -> Callable[..., Any]:
        """What DuckDB calls: Arrow columns in, an Arrow array out."""
        if self.places is None:
            places = len(self.parameters)
        else:
            places = self.places

        def enter(*columns: Any) -> Any:
            with speaking(None):
                if inner:
                    given = from_macro(self.macro or self.name, self.parameters, columns)
                else:
                    given = from_call(self.name, self.parameters, places, columns)
            return self._answer(instance, given)

        return enter

    def _answer(self, instance: Instance, given: Given) -> Any:
        arrow = library("pyarrow")
        with instance.statements.entered(given.mark) as scope, speaking(scope):
            try:
                values = self.body(FunctionCall(instance, scope, given))
            finally:
                if scope.running <= 1:
                    instance.line.clear()
            if isinstance(values, arrow.Array):
                return values
            return arrow.array(values, arrow_type(self.shape))


class SqlError(Exception):
    """What DuckDB shows of an error of ours: a sentence, and what to do about it."""


class speaking:
    """Errors of ours leave as one text without secrets; the scope remembers the error itself, which
    DuckDB forgets.
    """

    def __init__(self, scope: Scope | None) -> None:
        self._scope = scope

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if error is None or isinstance(error, SqlError):
            return
        if self._scope is not None and isinstance(error, KeyboardInterrupt):
            self._scope.cancelled = self._scope.interrupted = True
        if self._scope is not None and isinstance(error, WebquarryError):
            self._scope.error = error
        if isinstance(error, WebquarryError):
            if isinstance(error, Cancelled) and self._scope is not None:
                self._scope.cancelled = True
            raise SqlError(redact(f"{error.message} {error.suggested_action}".strip())) from None
        if isinstance(error, Exception):
            log.debug("unforeseen", exc_info=error)
            raise SqlError(redact(f"{type(error).__name__}: {error}")) from None


def parameters(*written: str | Parameter) -> tuple[Parameter, ...]:
    """Parameters in short: `context!` is required, `max_tokens BIGINT` has a type."""
    made: list[Parameter] = []
    for one in written:
        if isinstance(one, Parameter):
            made.append(one)
            continue
        name, _, kind = one.partition(" ")
        made.append(Parameter(name.rstrip("!"), kind or "VARCHAR", name.endswith("!")))
    return tuple(made)
