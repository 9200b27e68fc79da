"""Arguments of a SQL function: Arrow columns come in by place, and go out by name, cast to what the
parameter takes.

Two ways in. A macro hands over every parameter in order, after two columns that name the connection
and the statement. On a cursor, where macros are not seen, DuckDB calls the function with whatever
was written and has dropped all names: there the options come as a struct, `ask(context, prompt,
{model: '...'})`, and anything that cannot be placed is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.errors import BadInput
from webquarry.surfaces.sql.libraries import library

Mark = tuple[int, int]  # connection and statement


@dataclass(frozen=True)
class Parameter:
    """One parameter: its SQL type is VARCHAR, BIGINT, DOUBLE, BOOLEAN or a list of VARCHAR."""

    name: str
    type: str = "VARCHAR"
    required: bool = False


@dataclass(frozen=True)
class Given:
    """What one call brought: a column for each parameter that was given, all of the same length."""

    columns: dict[str, Any]
    rows: int
    mark: Mark | None = None

    def lists(self, *names: str) -> list[list[Any]]:
        """Columns as Python values; a parameter that was not given is all None."""
        return [
            self.columns[name].to_pylist() if name in self.columns else [None] * self.rows
            for name in names
        ]


def from_macro(function: str, parameters: Sequence[Parameter], columns: Sequence[Any]) -> Given:
    """The arguments as a macro passes them: connection, statement, then every parameter. A struct
    of options is understood here too, so that one text works on connections and cursors.
    """
    connection, statement, *rest = (_whole(column) for column in columns)
    rows = len(connection)
    mark = None
    if rows:
        mark = (connection[0].as_py(), statement[0].as_py())
    by_name = {one.name: column for one, column in zip(parameters, rest, strict=True)}
    is_struct = library("pyarrow").types.is_struct
    packed = [
        one.name for one in parameters if not one.required and is_struct(by_name[one.name].type)
    ]
    if packed:
        by_name |= _fields(function, parameters, by_name.pop(packed[0]))
    known = {one.name: one for one in parameters}
    return Given({name: _cast(column, known[name]) for name, column in by_name.items()}, rows, mark)


def from_call(
    function: str, parameters: Sequence[Parameter], places: int, columns: Sequence[Any]
) -> Given:
    """The arguments of a call on a cursor: up to `places` of them by place, further ones in a
    struct.
    """
    arrow = library("pyarrow")
    given = [_whole(column) for column in columns]
    named: dict[str, Any] = {}
    if len(given) > 1 and places < len(parameters) and arrow.types.is_struct(given[-1].type):
        options = given.pop()
        named = _fields(function, parameters, options)
    required = [one.name for one in parameters if one.required]
    if len(given) > places:
        raise BadInput(
            _too_many(function, parameters, places),
            suggested_action=_how(function, parameters, places),
        )
    by_place = {one.name: column for one, column in zip(parameters, given, strict=False)}
    twice = by_place.keys() & named.keys()
    missing = [name for name in required if name not in by_place and name not in named]
    if missing or twice:
        if missing:
            problem = f"needs {', '.join(missing)}"
        else:
            problem = f"was given {', '.join(sorted(twice))} twice"
        raise BadInput(
            f"{function} {problem}.", suggested_action=_how(function, parameters, places)
        )
    known = {one.name: one for one in parameters}
    for name, column in by_place.items():
        if known[name].type == "VARCHAR" and not known[name].required and not _is_text(column):
            raise BadInput(  # a number here was meant for another parameter, whose name is lost
                f"The argument {name!r} of {function} is a text, and {column.type} was given.",
                suggested_action=_how(function, parameters, places),
            )
    columns_by_name = {
        name: _cast(column, known[name]) for name, column in (by_place | named).items()
    }
    return Given(columns_by_name, len(given[0]))


def _is_text(column: Any) -> bool:
    kinds, kind = library("pyarrow").types, column.type
    tests = (kinds.is_null, kinds.is_string, kinds.is_large_string, kinds.is_dictionary)
    return any(test(kind) for test in tests)


def _fields(function: str, parameters: Sequence[Parameter], options: Any) -> dict[str, Any]:
    compute = library("pyarrow.compute")
    known = [one.name for one in parameters]
    names = [options.type.field(place).name for place in range(options.type.num_fields)]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(
            f"{function} has no option {unknown[0]!r}.",
            suggested_action=f"Use: {', '.join(one.name for one in parameters if not one.required)}.",
        )
    return {name: compute.struct_field(options, name) for name in names}


def _too_many(function: str, parameters: Sequence[Parameter], places: int) -> str:
    if places < len(parameters):
        return f"On this cursor {function} takes {places} arguments by place, and its options in a struct."
    return f"{function} takes at most {places} arguments."


def _how(function: str, parameters: Sequence[Parameter], places: int) -> str:
    if places == len(parameters):
        return f"Write {function}({', '.join(one.name for one in parameters)}), without names: DuckDB drops them on a cursor."
    call = ", ".join(one.name for one in parameters if one.required)
    return (
        f"Write {function}({call}, {{name: value}}): DuckDB drops the names of name := value on "
        "a cursor. On a connection "
        "that webquarry.sql.install was called with, names work."
    )


def _whole(column: Any) -> Any:
    """One plain array: DuckDB hands over chunks, and its own types in a wrapper."""
    arrow = library("pyarrow")
    if isinstance(column, arrow.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, arrow.ChunkedArray):
            if column.num_chunks:
                column = column.chunk(0)
            else:
                column = arrow.array([], column.type)
    if isinstance(column, arrow.ExtensionArray):
        return column.storage
    return column


def _cast(column: Any, parameter: Parameter) -> Any:
    """The column as the parameter takes it. Texts are made of what has one obvious text, and of
    nothing else.
    """
    arrow = library("pyarrow")
    kinds, kind = arrow.types, column.type
    if kinds.is_null(kind):
        return arrow.nulls(len(column), _arrow_type(parameter.type))
    if kinds.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if parameter.type == "VARCHAR":
        if kinds.is_string(kind):
            return column
        if kinds.is_floating(kind):  # 1.0 and not 1, as DuckDB writes it
            return arrow.array(
                [None if value is None else repr(value) for value in column.to_pylist()],
                arrow.string(),
            )
        if _has_text(kind):
            return column.cast(arrow.string())
    elif parameter.type == "VARCHAR[]" and (kinds.is_list(kind) or kinds.is_large_list(kind)):
        return column.cast(arrow.list_(arrow.string()))
    elif (parameter.type in ("BIGINT", "DOUBLE") and kinds.is_integer(kind)) or (
        parameter.type == "DOUBLE" and (kinds.is_floating(kind) or kinds.is_decimal(kind))
    ):
        return column.cast(_arrow_type(parameter.type))
    elif parameter.type == "BOOLEAN" and kinds.is_boolean(kind):
        return column
    raise BadInput(
        f"The argument {parameter.name!r} is {parameter.type}, and {kind} was given.",
        suggested_action=f"Cast it: CAST(... AS {parameter.type}).",
    )


def _has_text(kind: Any) -> bool:
    kinds = library("pyarrow").types
    tests = (
        kinds.is_large_string,
        kinds.is_string_view,
        kinds.is_integer,
        kinds.is_boolean,
        kinds.is_decimal,
    )
    return kinds.is_date(kind) or any(test(kind) for test in tests)


def _arrow_type(name: str) -> Any:
    arrow = library("pyarrow")
    types = {
        "VARCHAR": arrow.string(),
        "BIGINT": arrow.int64(),
        "DOUBLE": arrow.float64(),
        "BOOLEAN": arrow.bool_(),
        "VARCHAR[]": arrow.list_(arrow.string()),
    }
    return types[name]
