"""Arguments of a SQL function: Arrow columns by position in, columns by name out, cast to the types
of the parameters.

A macro passes all parameters in order, after three columns with the connection, the statement and
the beginning of its text. On a cursor, which does not see macros, DuckDB passes the arguments
without their names: there options are a struct, `ask(context, prompt, {model: '...'})`, and
arguments that cannot be assigned are an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.errors import BadInput
from webquarry.sql.statements import Mark
from webquarry.sql.types import build_arrow_type, load_library


@dataclass(frozen=True)
class Parameter:
    """One parameter: its SQL type is VARCHAR, BIGINT, DOUBLE, BOOLEAN or VARCHAR[]."""

    name: str
    type: str = "VARCHAR"
    required: bool = False

    def cast(self, column: Any) -> Any:
        """Return the column in the type of the parameter. Raises BadInput."""
        arrow = load_library("pyarrow")
        kinds = arrow.types
        if kinds.is_dictionary(column.type):
            column = column.dictionary_decode()
        kind = column.type
        if self.type == "VARCHAR" and kinds.is_floating(kind):  # 1.0 and not 1, as in DuckDB
            texts = [None if value is None else repr(value) for value in column.to_pylist()]
            return arrow.array(texts, arrow.string())
        numbers = (kinds.is_integer, kinds.is_floating, kinds.is_decimal)
        texts_of = (kinds.is_string, kinds.is_large_string, kinds.is_string_view)
        accepted = {
            "VARCHAR": (*texts_of, kinds.is_boolean, kinds.is_date, *numbers),
            "VARCHAR[]": (kinds.is_list, kinds.is_large_list),
            "BIGINT": (kinds.is_integer,),
            "DOUBLE": numbers,
            "BOOLEAN": (kinds.is_boolean,),
        }
        if kinds.is_null(kind) or any(test(kind) for test in accepted[self.type]):
            return column.cast(build_arrow_type(self.type))
        raise BadInput(
            f"The argument {self.name!r} is {self.type}, and {kind} was given.",
            suggested_action=f"Cast it: CAST(... AS {self.type}).",
        )


@dataclass(frozen=True)
class Arguments:
    """The columns of one call by parameter, all of the same length."""

    columns: dict[str, Any]
    rows: int
    mark: Mark | None = None
    words: str = ""  # beginning of the text of the statement

    def to_lists(self, *names: str) -> list[list[Any]]:
        """Return columns as Python values; all None for a parameter that was not given."""
        columns = [self.columns.get(name) for name in names]
        return [[None] * self.rows if one is None else one.to_pylist() for one in columns]


def read_macro_call(
    function: str, parameters: Sequence[Parameter], columns: Sequence[Any]
) -> Arguments:
    """Return the arguments of a macro. Options in a struct are accepted here, too, so that one text
    works on connections and cursors.
    """
    connection, statement, texts, *rest = (_to_plain_array(column) for column in columns)
    rows = len(connection)
    mark = None
    words = ""
    if rows:
        mark = (connection[0].as_py(), statement[0].as_py())
        words = texts[0].as_py() or ""
    is_struct = load_library("pyarrow").types.is_struct
    by_name: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for parameter, column in zip(parameters, rest, strict=True):
        if not options and not parameter.required and is_struct(column.type):
            options = _read_options(function, parameters, column)
        else:
            by_name[parameter.name] = column
    return Arguments(_cast_all(by_name | options, parameters), rows, mark, words)


def read_cursor_call(
    function: str, parameters: Sequence[Parameter], places: int, columns: Sequence[Any]
) -> Arguments:
    """Return the arguments of a call on a cursor: up to `places` of them by position, further ones
    in a struct.
    """
    kinds = load_library("pyarrow").types
    arrays = [_to_plain_array(column) for column in columns]
    options: dict[str, Any] = {}
    has_options = len(arrays) > 1 and places < len(parameters)
    if has_options and kinds.is_struct(arrays[-1].type):
        options = _read_options(function, parameters, arrays.pop())
    given = dict(zip(parameters, arrays, strict=False))
    by_name = {parameter.name: array for parameter, array in given.items()}
    problem = f"{function} takes at most {places} arguments by position."
    if len(arrays) <= places:
        problem = _find_problem(function, parameters, given, options)
    if problem:
        required = ", ".join(one.name for one in parameters if one.required)
        options_form = ", {name: value}" if places < len(parameters) else ""
        raise BadInput(
            problem,
            suggested_action=f"Write {function}({required}{options_form}): on a cursor DuckDB "
            "drops the names of name := value. They work on a connection that "
            "webquarry.sql.install was called with.",
        )
    return Arguments(_cast_all(by_name | options, parameters), len(arrays[0]))


def _find_problem(
    function: str,
    parameters: Sequence[Parameter],
    given: dict[Parameter, Any],
    options: dict[str, Any],
) -> str:
    """Return why arguments cannot be assigned; empty if they can."""
    names = {parameter.name for parameter in given}
    required = [one.name for one in parameters if one.required]
    missing = [name for name in required if name not in names | options.keys()]
    if missing:
        return f"{function} needs {', '.join(missing)}."
    if twice := names & options.keys():
        return f"{function} was given {', '.join(sorted(twice))} twice."
    # A number for an optional text was meant for another parameter, whose name is lost.
    kinds = load_library("pyarrow").types
    is_text = (kinds.is_null, kinds.is_string, kinds.is_large_string, kinds.is_dictionary)
    for parameter, array in given.items():
        is_optional_text = parameter.type == "VARCHAR" and not parameter.required
        if is_optional_text and not any(test(array.type) for test in is_text):
            return f"The argument {parameter.name!r} of {function} must be a text."
    return ""


def _read_options(function: str, parameters: Sequence[Parameter], options: Any) -> dict[str, Any]:
    """Return the fields of a struct of options, by name."""
    compute = load_library("pyarrow.compute")
    known = [one.name for one in parameters]
    columns: dict[str, Any] = {}
    for field in options.type:
        if field.name not in known:
            optional = ", ".join(one.name for one in parameters if not one.required)
            raise BadInput(
                f"{function} has no option {field.name!r}.", suggested_action=f"Use: {optional}."
            )
        columns[field.name] = compute.struct_field(options, field.name)
    return columns


def _to_plain_array(column: Any) -> Any:
    """Return one plain array: DuckDB passes chunks, and its own types in a wrapper."""
    arrow = load_library("pyarrow")
    if isinstance(column, arrow.ChunkedArray):
        column = arrow.concat_arrays(column.chunks or [arrow.array([], column.type)])
    return column.storage if isinstance(column, arrow.ExtensionArray) else column


def _cast_all(columns: dict[str, Any], parameters: Sequence[Parameter]) -> dict[str, Any]:
    by_name = {one.name: one for one in parameters}
    return {name: by_name[name].cast(column) for name, column in columns.items()}
