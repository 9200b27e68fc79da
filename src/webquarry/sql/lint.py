"""Warnings about rows that a statement would pay for and discard, from its plan.

DuckDB pushes a plain LIMIT below our functions, but not ORDER BY ... LIMIT; HAVING is evaluated for
every input row, and a join may drop rows after they were asked about. `EXPLAIN (FORMAT json)` shows
this and pays nothing. A plan names an expression by its alias, so the text is parsed, too, to find
the aliases of paid functions. Estimates may be wrong; the session decides what to reject.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.sql.asking import paid_names
from webquarry.sql.types import load_library

# An EXPLAIN that fails aborts the user's transaction, so only explainable statements are tried.
_EXPLAINED = {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "COPY"}
_LIMITS = {"TOP_N", "LIMIT", "STREAMING_LIMIT", "LIMIT_PERCENT"}
_KEEPING_JOINS = ("LEFT", "OUTER", "FULL", "MARK", "SINGLE")  # which drop no row
_SELECT = re.compile(r"(?is)\b(?:with|select|from)\b.*")
_WORD = re.compile(r"\w+")
_VIEWS = "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"


@dataclass(frozen=True)
class PlanWarning:
    """Rows that would be paid for in vain, and what to write instead."""

    message: str
    instead: str
    discarded: int = 0  # estimated rows that are asked about and discarded

    def __str__(self) -> str:
        return f"{self.message} {self.instead}"


def find_warnings(
    connection: Any, text: str, parameters: Sequence[Any] | None = None
) -> list[PlanWarning]:
    """Return the warnings about one or more statements; none about several with parameters, and
    none about statements that cannot be explained.
    """
    try:
        paid_views = _list_paid_views(connection)
        if not _split_words(text) & (paid_names() | paid_views.keys()):
            return []
        statements = connection.extract_statements(text)
    except load_library("duckdb").Error:
        # It is invalid, or the transaction is aborted: DuckDB reports it, and a ROLLBACK must run.
        return []
    if parameters and len(statements) > 1:
        return []
    warnings: dict[PlanWarning, None] = {}
    for statement in statements:
        # One by one: EXPLAIN explains only the first, and the others would run.
        if statement.type.name in _EXPLAINED:
            found = _check_statement(connection, statement.query, parameters, paid_views)
            warnings |= dict.fromkeys(found)
    return list(warnings)


def _check_statement(
    connection: Any, statement: str, parameters: Sequence[Any] | None, views: dict[str, str]
) -> list[PlanWarning]:
    """Return the warnings about one statement, by its plan and its text."""
    duckdb = load_library("duckdb")
    try:
        explained = connection.execute(f"EXPLAIN (FORMAT json) {statement}", parameters)
        plan = json.loads(explained.fetchall()[0][1])
    except (duckdb.Error, ValueError, TypeError):
        return []
    aliases: set[str] = set()  # of expressions with a paid function
    warnings: list[PlanWarning] = []
    texts = [statement, *views.values()]
    for node in (node for text in texts for node in _parse_nodes(connection, text)):
        if node.get("alias") and "class" in node and _calls_paid(node):
            aliases.add(node["alias"].lower())
        if node.get("having") and _calls_paid(node["having"]):
            warning = PlanWarning(
                "HAVING asks about every input row, not about every group.",
                "Group in a CTE AS MATERIALIZED, and filter outside it with WHERE.",
            )
            warnings.append(warning)
    for root in plan:
        for operator, parents in _walk_operators(root, ()):
            if _evaluates_paid(operator, aliases):
                found = _check_parents(operator, parents)
                warnings += [found] if found else []
    return warnings


def _list_paid_views(connection: Any) -> dict[str, str]:
    """Return the texts of views that use a paid function, by name."""
    found = connection.execute(_VIEWS).fetchall()
    paid = paid_names()
    return {name.lower(): text for name, text in found if _split_words(text) & paid}


def _split_words(text: str) -> set[str]:
    """Return the words of a text in lower case."""
    return {word.lower() for word in _WORD.findall(text)}


def _parse_nodes(connection: Any, text: str) -> Iterator[dict[str, Any]]:
    """Yield the nodes of the query in a statement; none if DuckDB cannot serialize it."""
    select = _SELECT.search(text)
    if select is None:
        return
    try:
        query = "SELECT json_serialize_sql($1::VARCHAR)"
        rows = connection.execute(query, [_cut_at_outer_bracket(select[0])]).fetchall()
    except load_library("duckdb").Error:
        return
    yield from _walk_nodes(json.loads(rows[0][0]))


def _cut_at_outer_bracket(text: str) -> str:
    """Return the text up to the bracket opened before it: COPY (SELECT ...) TO 'file'."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return text[:place]
    return text.rstrip("; \n")


def _walk_operators(operator: Any, parents: tuple[Any, ...]) -> Iterator[tuple[Any, Any]]:
    """Yield the operators of a plan with their parents, the nearest first."""
    yield operator, parents
    for child in operator.get("children", []):
        yield from _walk_operators(child, (operator, *parents))


def _evaluates_paid(operator: Any, aliases: set[str]) -> bool:
    """Whether this operator evaluates a paid function, instead of passing on its column."""
    info = operator.get("extra_info", {})
    expressions = _to_texts(info.get("Projections")) + _to_texts(info.get("Expression"))
    below = {
        column.lower() for child in operator.get("children", []) for column in _list_columns(child)
    }
    for expression in expressions:
        if any(f"{name}(" in expression for name in paid_names()):
            return True
        if expression.lower() in aliases - below:
            return True
    return False


def _list_columns(operator: Any) -> list[str]:
    """Return the columns of an operator, from the nearest one that names them."""
    info = operator.get("extra_info", {})
    if "Projections" in info:
        return _to_texts(info["Projections"])
    return [name for child in operator.get("children", []) for name in _list_columns(child)]


def _check_parents(operator: Any, parents: tuple[Any, ...]) -> PlanWarning | None:
    """Return a warning about the nearest parent that discards rows after they were asked about."""
    asked = _estimate_rows(operator)
    children = operator.get("children", [])
    count = max(asked, _estimate_rows(children[0])) if children else asked
    rows = f"about {count:,} rows" if count >= 0 else "an unknown number of rows"
    for parent in parents:
        name = parent.get("name", "")
        discarded = max(0, count - max(0, _estimate_rows(parent)))
        if name in _LIMITS and operator.get("name") == "FILTER":
            return PlanWarning(
                "A filter on an answer below LIMIT asks about many more rows than the limit has "
                f"({rows}).",
                "Limit the rows in a subquery first, or SET threads = 1 to stop sooner.",
                discarded,
            )
        if name in _LIMITS:
            limit = "ORDER BY ... LIMIT" if name == "TOP_N" else "This LIMIT"
            return PlanWarning(
                f"{limit} discards rows only after they were asked about ({rows}).",
                "Limit in a subquery: SELECT ask(x, ...) FROM (SELECT x FROM t ORDER BY x LIMIT "
                "5).",
                discarded,
            )
        join_type = str(parent.get("extra_info", {}).get("Join Type", ""))
        if "JOIN" not in name or join_type in _KEEPING_JOINS:
            continue
        # A join drops rows if it has fewer than were asked about, or fewer on its other side.
        sides = (parent, *parent.get("children", []))
        if any(0 <= _estimate_rows(side) < asked for side in sides):
            return PlanWarning(
                f"A join may discard rows after they were asked about ({rows}).",
                "Join in a subquery, and ask about its rows.",
            )
    return None


def _calls_paid(tree: Any) -> bool:
    """Whether an expression calls a paid function."""
    names = (str(node.get("function_name", "")).lower() for node in _walk_nodes(tree))
    return not paid_names().isdisjoint(names)


def _walk_nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Yield every object in a tree of objects and lists."""
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for part in tree:
            yield from _walk_nodes(part)


def _to_texts(value: Any) -> list[str]:
    """Return the texts of a field of a plan: one text or a list."""
    parts = [value] if isinstance(value, str) else value or []
    return [part for part in parts if isinstance(part, str)]


def _estimate_rows(operator: Any) -> int:
    """Return DuckDB's estimate; -1 without one."""
    estimate = str(operator.get("extra_info", {}).get("Estimated Cardinality", ""))
    return int(estimate) if estimate.isdigit() else -1
