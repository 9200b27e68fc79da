"""Arguments of a SQL function: Arrow columns come in by place, and go out by name, cast to what the
parameter takes.

Two ways in. A macro hands over every parameter in order, after three columns that name the
connection and the statement and tell how its text begins. On a cursor, where macros are not seen,
DuckDB calls the function with whatever was written and has dropped all names: there the options
come as a struct, `ask(context, prompt, {model: '...'})`, and anything that cannot be placed is
refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.errors import BadInput
from webquarry.sql.libraries import load_library
from webquarry.sql.statements import Mark


@dataclass(frozen=True)
class Parameter:
    """One parameter: its SQL type is VARCHAR, BIGINT, DOUBLE, BOOLEAN or a list of VARCHAR."""

    name: str
    type: str = "VARCHAR"
    required: bool = False

    def cast(self, column: Any) -> Any:
        """The column as the parameter takes it. Texts are made of what has one obvious text, and
        of nothing else.
        """
        arrow = load_library("pyarrow")
        kinds = arrow.types
        kind = column.type
        if kinds.is_null(kind):
            return arrow.nulls(len(column), _get_arrow_type(self.type))
        if kinds.is_dictionary(kind):
            column = column.dictionary_decode()
            kind = kind.value_type
        if self.type == "VARCHAR":
            text = _to_text(column, kind)
            if text is not None:
                return text
        elif self.type == "VARCHAR[]" and (kinds.is_list(kind) or kinds.is_large_list(kind)):
            return column.cast(arrow.list_(arrow.string()))
        elif self.type in ("BIGINT", "DOUBLE") and kinds.is_integer(kind):
            return column.cast(_get_arrow_type(self.type))
        elif self.type == "DOUBLE" and (kinds.is_floating(kind) or kinds.is_decimal(kind)):
            return column.cast(arrow.float64())
        elif self.type == "BOOLEAN" and kinds.is_boolean(kind):
            return column
        raise BadInput(
            f"The argument {self.name!r} is {self.type}, and {kind} was given.",
            suggested_action=f"Cast it: CAST(... AS {self.type}).",
        )


@dataclass(frozen=True)
class Arguments:
    """What one call brought: a column for each parameter that was given, all of the same length."""

    columns: dict[str, Any]
    rows: int
    mark: Mark | None = None
    words: str = ""  # how the text of the statement begins

    def to_lists(self, *names: str) -> list[list[Any]]:
        """Columns as Python values; a parameter that was not given is all None."""
        lists = []
        for name in names:
            column = self.columns.get(name)
            if column is not None:
                lists.append(column.to_pylist())
            else:
                lists.append([None] * self.rows)
        return lists


def read_macro_call(
    function: str, parameters: Sequence[Parameter], columns: Sequence[Any]
) -> Arguments:
    """The arguments as a macro passes them: connection, statement, the first words of its text,
    then every parameter. A struct of options is understood here too, so that one text works on
    connections and cursors.
    """
    connection, statement, texts, *rest = (_to_plain_array(column) for column in columns)
    rows = len(connection)
    mark = None
    words = ""
    if rows:
        mark = (connection[0].as_py(), statement[0].as_py())
        words = texts[0].as_py() or ""
    # A struct in the place of an optional argument holds options.
    is_struct = load_library("pyarrow").types.is_struct
    by_name: dict[str, Any] = {}
    options = None
    for parameter, column in zip(parameters, rest, strict=True):
        if options is None and not parameter.required and is_struct(column.type):
            options = column
        else:
            by_name[parameter.name] = column
    if options is not None:
        by_name |= _read_options(function, parameters, options)
    return Arguments(_cast_all(by_name, parameters), rows, mark, words)


def read_cursor_call(
    function: str, parameters: Sequence[Parameter], places: int, columns: Sequence[Any]
) -> Arguments:
    """The arguments of a call on a cursor: up to `places` of them by place, further ones in a
    struct.
    """
    arrow = load_library("pyarrow")
    arrays = [_to_plain_array(column) for column in columns]
    options: dict[str, Any] = {}
    has_options = len(arrays) > 1 and places < len(parameters)
    if has_options and arrow.types.is_struct(arrays[-1].type):
        options = _read_options(function, parameters, arrays.pop())
    by_place: dict[str, Any] = {}
    for parameter, array in zip(parameters, arrays, strict=False):
        by_place[parameter.name] = array
    problem = _find_problem(function, parameters, places, len(arrays), by_place, options)
    if problem is not None:
        raise BadInput(problem, suggested_action=_describe_call(function, parameters, places))
    return Arguments(_cast_all(by_place | options, parameters), len(arrays[0]))


def _find_problem(
    function: str,
    parameters: Sequence[Parameter],
    places: int,
    count: int,
    by_place: dict[str, Any],
    options: dict[str, Any],
) -> str | None:
    """Arguments that are too many, missing, there twice or in another's place; None when all is
    well.
    """
    if count > places and places < len(parameters):
        return (
            f"On this cursor {function} takes {places} arguments by place, and its options in a "
            "struct."
        )
    if count > places:
        return f"{function} takes at most {places} arguments."
    names = by_place.keys() | options.keys()
    missing = [one.name for one in parameters if one.required and one.name not in names]
    if missing:
        return f"{function} needs {', '.join(missing)}."
    twice = by_place.keys() & options.keys()
    if twice:
        return f"{function} was given {', '.join(sorted(twice))} twice."
    # A number where an optional text goes was meant for another parameter, whose name is lost.
    kinds = load_library("pyarrow").types
    is_text = (kinds.is_null, kinds.is_string, kinds.is_large_string, kinds.is_dictionary)
    for parameter in parameters:
        column = by_place.get(parameter.name)
        if column is None or parameter.required or parameter.type != "VARCHAR":
            continue
        if not any(test(column.type) for test in is_text):
            return (
                f"The argument {parameter.name!r} of {function} is a text, and {column.type} was "
                "given."
            )
    return None


def _describe_call(function: str, parameters: Sequence[Parameter], places: int) -> str:
    """How the call is written on a cursor."""
    if places == len(parameters):
        names = ", ".join(one.name for one in parameters)
        return f"Write {function}({names}), without names: DuckDB drops them on a cursor."
    names = ", ".join(one.name for one in parameters if one.required)
    return (
        f"Write {function}({names}, {{name: value}}): DuckDB drops the names of name := value on "
        "a cursor. On a connection that webquarry.sql.install was called with, names work."
    )


def _read_options(function: str, parameters: Sequence[Parameter], options: Any) -> dict[str, Any]:
    """The fields of a struct of options, by name."""
    compute = load_library("pyarrow.compute")
    known = [one.name for one in parameters]
    columns: dict[str, Any] = {}
    for place in range(options.type.num_fields):
        name = options.type.field(place).name
        if name not in known:
            optional = ", ".join(one.name for one in parameters if not one.required)
            raise BadInput(
                f"{function} has no option {name!r}.", suggested_action=f"Use: {optional}."
            )
        columns[name] = compute.struct_field(options, name)
    return columns


def _to_plain_array(column: Any) -> Any:
    """One plain array: DuckDB hands over chunks, and its own types in a wrapper."""
    arrow = load_library("pyarrow")
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


def _cast_all(columns: dict[str, Any], parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The columns as their parameters take them."""
    by_name = {one.name: one for one in parameters}
    cast = {}
    for name, column in columns.items():
        cast[name] = by_name[name].cast(column)
    return cast


def _to_text(column: Any, kind: Any) -> Any:
    """A column of texts; None when the values have no obvious one."""
    arrow = load_library("pyarrow")
    kinds = arrow.types
    if kinds.is_string(kind):
        return column
    if kinds.is_floating(kind):  # 1.0 and not 1, as DuckDB writes it
        texts: list[str | None] = []
        for value in column.to_pylist():
            texts.append(None if value is None else repr(value))
        return arrow.array(texts, arrow.string())
    has_text = (
        kinds.is_large_string,
        kinds.is_string_view,
        kinds.is_integer,
        kinds.is_boolean,
        kinds.is_decimal,
        kinds.is_date,
    )
    if any(test(kind) for test in has_text):
        return column.cast(arrow.string())
    return None


def _get_arrow_type(name: str) -> Any:
    """The Arrow type of a parameter's SQL type."""
    arrow = load_library("pyarrow")
    types = {
        "VARCHAR": arrow.string(),
        "BIGINT": arrow.int64(),
        "DOUBLE": arrow.float64(),
        "BOOLEAN": arrow.bool_(),
        "VARCHAR[]": arrow.list_(arrow.string()),
    }
    return types[name]
