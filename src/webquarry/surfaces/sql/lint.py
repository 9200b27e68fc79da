"""Before a statement runs: its plan comes in, warnings about rows that would be paid for and thrown
away go out.

DuckDB pushes a plain LIMIT below our functions, but not ORDER BY ... LIMIT; HAVING is evaluated for
every input row, and a join may drop rows that were asked about below it. `EXPLAIN (FORMAT json)`
shows this and pays nothing. A plan names an expression by its alias, so the text is parsed too, to
learn which aliases hide a paid function. Estimates may be wrong: this warns, and never refuses.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from webquarry.surfaces.sql.functions.catalogue import paid_names
from webquarry.surfaces.sql.libraries import library

# An EXPLAIN that fails aborts the user's transaction, so only what DuckDB explains is tried.
_EXPLAINED = {"SELECT", "INSERT", "UPDATE", "DELETE", "MERGE_INTO", "CREATE", "COPY"}
_LIMITS = {"TOP_N", "LIMIT", "STREAMING_LIMIT", "LIMIT_PERCENT"}
_SELECT = re.compile(r"(?is)\b(?:with|select|from)\b.*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Warning:
    """What would be paid for in vain, and what to write instead."""

    message: str
    instead: str

    def __str__(self) -> str:
        return f"{self.message} {self.instead}"


def look_at(connection: Any, text: str) -> list[Warning]:
    """The warnings about a statement, or several; none about what cannot be explained."""
    try:  # one by one: behind EXPLAIN only the first would be explained, and the others run
        if not _mentions(connection, text, paid_names()):
            return []
        statements = [
            one.query for one in connection.extract_statements(text) if one.type.name in _EXPLAINED
        ]
    except library("duckdb").Error:
        # it is wrong, or the transaction is aborted: DuckDB will say so itself, and a ROLLBACK must
        # get through
        return []
    return list(dict.fromkeys(warning for one in statements for warning in _look(connection, one)))


def _look(connection: Any, statement: str) -> list[Warning]:
    paid, error = paid_names(), library("duckdb").Error
    try:
        plan = json.loads(connection.execute(f"EXPLAIN (FORMAT json) {statement}").fetchall()[0][1])
    except (error, ValueError, TypeError):
        return []
    trees = _trees(connection, statement)
    aliases = {alias for tree in trees for alias in _aliases(tree, paid)}
    return [
        *_having(trees, paid),
        *(one for root in plan for one in _walk(root, (), paid, aliases)),
    ]


def _mentions(connection: Any, statement: str, paid: frozenset[str]) -> bool:
    words = {word.lower() for word in _WORD.findall(statement)}
    return bool(words & paid) or any(words & {name.lower()} for name, _ in _views(connection, paid))


def _views(connection: Any, paid: frozenset[str]) -> list[tuple[str, str]]:
    """Views that use a paid function: name and text."""
    views = connection.execute(
        "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    return [
        (name, text)
        for name, text in views
        if {word.lower() for word in _WORD.findall(text)} & paid
    ]


def _trees(connection: Any, statement: str) -> list[Any]:
    """The statement and the views that it may use, parsed. What stands before its SELECT (CREATE
    TABLE AS) is left out.
    """
    texts = [statement, *(text for _, text in _views(connection, paid_names()))]
    trees = []
    for text in texts:
        select = _SELECT.search(text)
        if select is None:
            continue
        try:
            row = connection.execute(
                "SELECT json_serialize_sql(?::VARCHAR)", [_closed(select[0])]
            ).fetchall()[0]
        except library("duckdb").Error:
            continue
        trees.append(json.loads(row[0]))
    return trees


def _closed(text: str) -> str:
    """Up to the bracket that was opened before the SELECT: COPY (SELECT ...) TO 'file'."""
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return text[:place]
    return text.rstrip("; \n")


def _aliases(node: Any, paid: frozenset[str]) -> Iterator[str]:
    for one in _nodes(node):
        if one.get("alias") and "class" in one and _pays(one, paid):
            yield one["alias"].lower()


def _having(trees: list[Any], paid: frozenset[str]) -> Iterator[Warning]:
    for tree in trees:
        for one in _nodes(tree):
            if one.get("having") and _pays(one["having"], paid):
                yield Warning(
                    "HAVING asks about every input row, not about every group.",
                    "Group in a CTE AS MATERIALIZED, and filter outside it with WHERE.",
                )


def _walk(
    node: Any, above: tuple[Any, ...], paid: frozenset[str], aliases: set[str]
) -> Iterator[Warning]:
    if _is_paid(node, paid, aliases):
        yield from _judge(node, above)
    for child in node.get("children", []):
        yield from _walk(child, (node, *above), paid, aliases)


def _is_paid(node: Any, paid: frozenset[str], aliases: set[str]) -> bool:
    """Whether this operator evaluates a paid function, and not only hands on a column of that name."""
    info = node.get("extra_info", {})
    written = [part for name in ("Projections", "Expression") for part in _listed(info.get(name))]
    below = {part.lower() for child in node.get("children", []) for part in _columns(child)}
    return any(
        any(f"{name}(" in part for name in paid)
        or (part.lower() in aliases and part.lower() not in below)
        for part in written
    )


def _columns(node: Any) -> list[str]:
    """The columns that come out of an operator, found at the nearest one that names them."""
    info = node.get("extra_info", {})
    if "Projections" in info:
        return _listed(info["Projections"])
    return [part for child in node.get("children", []) for part in _columns(child)]


def _judge(node: Any, above: tuple[Any, ...]) -> Iterator[Warning]:
    rows = _rows(node)
    for one in above:
        name = one.get("name", "")
        if name in _LIMITS and node.get("name") == "FILTER":
            yield Warning(
                "A filter on an answer below LIMIT asks about many more rows than the limit has "
                f"({rows}).",
                "Limit the rows in a subquery first, or SET threads = 1 to stop sooner.",
            )
            return
        if name in _LIMITS:
            order = "This LIMIT"
            if name == "TOP_N":
                order = "ORDER BY ... LIMIT"
            yield Warning(
                f"{order} throws rows away only after they were asked about ({rows}).",
                "Limit in a subquery: SELECT ask(x, ...) FROM (SELECT x FROM t ORDER BY x LIMIT "
                "5).",
            )
            return
        if _may_drop(one, node):
            yield Warning(
                f"A join may throw away rows after they were asked about ({rows}).",
                "Join in a subquery, and ask about its rows.",
            )
            return


def _may_drop(join: Any, node: Any) -> bool:
    """A join that keeps fewer rows than were asked about, or has fewer on its other side, where not
    all are kept.
    """
    kind = str(join.get("extra_info", {}).get("Join Type", ""))
    if "JOIN" not in join.get("name", "") or kind in ("LEFT", "OUTER", "FULL", "MARK", "SINGLE"):
        return False
    return any(0 <= _estimate(one) < _estimate(node) for one in (join, *join.get("children", [])))


def _pays(node: Any, paid: frozenset[str]) -> bool:
    return any(str(one.get("function_name", "")).lower() in paid for one in _nodes(node))


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
        for part in value.values():
            yield from _nodes(part)
    elif isinstance(value, list):
        for part in value:
            yield from _nodes(part)


def _listed(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [part for part in value or [] if isinstance(part, str)]


def _estimate(node: Any) -> int:
    found = str(node.get("extra_info", {}).get("Estimated Cardinality", ""))
    if found.isdigit():
        return int(found)
    return -1


def _rows(node: Any) -> str:
    below = next((child for child in node.get("children", [])), node)
    count = max(_estimate(node), _estimate(below))
    if count >= 0:
        return f"about {count:,} rows"
    return "of unknown number"
