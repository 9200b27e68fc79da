"""Before a statement runs: its plan comes in, warnings about rows that would be paid for and thrown
away go out.

DuckDB pushes a plain LIMIT below our functions, but not ORDER BY ... LIMIT; HAVING is evaluated for
every input row, and a join may drop rows that were asked about below it. `EXPLAIN (FORMAT json)`
shows this and pays nothing. A plan names an expression by its alias, so the text is parsed too, to
learn which aliases hide a paid function. Estimates may be wrong: this warns; whether a statement is
refused is for the session to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry.sql.functions.catalogue import paid_names
from webquarry.sql.libraries import load_library

# An EXPLAIN that fails aborts the user's transaction, so only what DuckDB explains is tried.
_EXPLAINED = {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "COPY"}
_LIMITS = {"TOP_N", "LIMIT", "STREAMING_LIMIT", "LIMIT_PERCENT"}
_KEEPING_JOINS = ("LEFT", "OUTER", "FULL", "MARK", "SINGLE")  # which drop no row
_SELECT = re.compile(r"(?is)\b(?:with|select|from)\b.*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class PlanWarning:
    """What would be paid for in vain, and what to write instead."""

    message: str
    instead: str
    discarded: int = 0  # rows that would be asked about and thrown away, as far as that is known

    def __str__(self) -> str:
        return f"{self.message} {self.instead}"


def find_warnings(
    connection: Any, text: str, parameters: Sequence[Any] | None = None
) -> list[PlanWarning]:
    """The warnings about a statement, or several; none about what cannot be explained. Of several
    with parameters nothing is known.
    """
    words = _split_words(text)
    try:
        if not words & paid_names():
            # Most statements have nothing to do with us, unless a view of theirs has.
            views = _list_paid_views(connection)
            if not any(name.lower() in words for name, _ in views):
                return []
        statements = connection.extract_statements(text)
    except load_library("duckdb").Error:
        # It is wrong, or the transaction is aborted: DuckDB will say so itself, and a ROLLBACK must
        # get through.
        return []
    warnings: dict[PlanWarning, None] = {}
    if parameters and len(statements) > 1:
        return []
    for statement in statements:
        # One by one: behind EXPLAIN only the first would be explained, and the others run.
        if statement.type.name in _EXPLAINED:
            found = _check_statement(connection, statement.query, parameters)
            warnings |= dict.fromkeys(found)
    return list(warnings)


def _check_statement(
    connection: Any, statement: str, parameters: Sequence[Any] | None
) -> list[PlanWarning]:
    """The warnings about one statement, by its plan and its text."""
    duckdb = load_library("duckdb")
    try:
        explained = connection.execute(f"EXPLAIN (FORMAT json) {statement}", parameters)
        rows = explained.fetchall()
        plan = json.loads(rows[0][1])
    except (duckdb.Error, ValueError, TypeError):
        return []
    paid = paid_names()
    aliases: set[str] = set()  # of expressions with a paid function in them
    warnings: list[PlanWarning] = []
    for tree in _parse_trees(connection, statement):
        for node in _walk_nodes(tree):
            if node.get("alias") and "class" in node and _calls_paid(node, paid):
                aliases.add(node["alias"].lower())
            if node.get("having") and _calls_paid(node["having"], paid):
                warning = PlanWarning(
                    "HAVING asks about every input row, not about every group.",
                    "Group in a CTE AS MATERIALIZED, and filter outside it with WHERE.",
                )
                warnings.append(warning)
    # The plan shows what is evaluated below a limit or a join.
    for root in plan:
        warnings += _check_plan(root, (), paid, aliases)
    return warnings


def _list_paid_views(connection: Any) -> list[tuple[str, str]]:
    """Views that use a paid function: name and text."""
    paid = paid_names()
    query = "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
    views = []
    for name, text in connection.execute(query).fetchall():
        if _split_words(text) & paid:
            views.append((name, text))
    return views


def _split_words(text: str) -> set[str]:
    """The words of a text, in small letters."""
    words = _WORD.findall(text)
    return {word.lower() for word in words}


def _parse_trees(connection: Any, statement: str) -> list[Any]:
    """The statement and the views that it may use, parsed. What stands before its SELECT (CREATE
    TABLE AS) is left out.
    """
    views = _list_paid_views(connection)
    trees = []
    for text in (statement, *(text for _, text in views)):
        select = _SELECT.search(text)
        if select is None:
            continue
        query = _cut_at_outer_bracket(select[0])
        try:
            rows = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
        except load_library("duckdb").Error:
            continue
        trees.append(json.loads(rows[0][0]))
    return trees


def _cut_at_outer_bracket(text: str) -> str:
    """Up to the bracket that was opened before the SELECT: COPY (SELECT ...) TO 'file'."""
    depth = 0
    for place, letter in enumerate(text):
        if letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        if depth < 0:
            return text[:place]
    return text.rstrip("; \n")


def _check_plan(
    operator: Any, above: tuple[Any, ...], paid: frozenset[str], aliases: set[str]
) -> list[PlanWarning]:
    """The warnings about an operator, and those below it; `above` are its parents, the nearest
    first.
    """
    warnings = []
    if _evaluates_paid(operator, paid, aliases):
        warning = _judge_parents(operator, above)
        if warning is not None:
            warnings.append(warning)
    for child in operator.get("children", []):
        warnings += _check_plan(child, (operator, *above), paid, aliases)
    return warnings


def _evaluates_paid(operator: Any, paid: frozenset[str], aliases: set[str]) -> bool:
    """Whether this operator evaluates a paid function, and not only hands on a column of that
    name.
    """
    info = operator.get("extra_info", {})
    expressions = _to_texts(info.get("Projections"))
    expressions += _to_texts(info.get("Expression"))
    # A name that comes from below was evaluated there.
    below: set[str] = set()
    for child in operator.get("children", []):
        below |= {column.lower() for column in _list_columns(child)}
    own_aliases = aliases - below
    for expression in expressions:
        if any(f"{name}(" in expression for name in paid):
            return True
        if expression.lower() in own_aliases:
            return True
    return False


def _list_columns(operator: Any) -> list[str]:
    """The columns that come out of an operator, found at the nearest one that names them."""
    info = operator.get("extra_info", {})
    if "Projections" in info:
        return _to_texts(info["Projections"])
    columns: list[str] = []
    for child in operator.get("children", []):
        columns += _list_columns(child)
    return columns


def _judge_parents(operator: Any, above: tuple[Any, ...]) -> PlanWarning | None:
    """The nearest parent that throws rows away after they were asked about."""
    children = operator.get("children", [])
    asked = _estimate_rows(operator)
    count = asked
    if children:
        count = max(asked, _estimate_rows(children[0]))
    rows = "of unknown number"
    if count >= 0:
        rows = f"about {count:,} rows"
    for parent in above:
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
                f"{limit} throws rows away only after they were asked about ({rows}).",
                "Limit in a subquery: SELECT ask(x, ...) FROM (SELECT x FROM t ORDER BY x LIMIT "
                "5).",
                discarded,
            )
        join_type = str(parent.get("extra_info", {}).get("Join Type", ""))
        if "JOIN" not in name or join_type in _KEEPING_JOINS:
            continue
        # A join drops rows if it keeps fewer than were asked about, or has fewer on its other side.
        sides = (parent, *parent.get("children", []))
        if any(0 <= _estimate_rows(side) < asked for side in sides):
            return PlanWarning(
                f"A join may throw away rows after they were asked about ({rows}).",
                "Join in a subquery, and ask about its rows.",
            )
    return None


def _calls_paid(tree: Any, paid: frozenset[str]) -> bool:
    """Whether a paid function is called anywhere in an expression."""
    for node in _walk_nodes(tree):
        name = str(node.get("function_name", ""))
        if name.lower() in paid:
            return True
    return False


def _walk_nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object in a tree of objects and lists, itself included."""
    if isinstance(tree, dict):
        yield tree
        for part in tree.values():
            yield from _walk_nodes(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _walk_nodes(part)


def _to_texts(value: Any) -> list[str]:
    """What a plan says in one text or in a list of them."""
    if isinstance(value, str):
        return [value]
    parts = value or []
    return [part for part in parts if isinstance(part, str)]


def _estimate_rows(operator: Any) -> int:
    """DuckDB's estimate; -1 when there is none."""
    info = operator.get("extra_info", {})
    estimate = str(info.get("Estimated Cardinality", ""))
    return int(estimate) if estimate.isdigit() else -1
