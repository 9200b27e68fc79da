"""A package's source -> which module imports which, and the circles in that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def imported_names(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every dotted name that a module imports, wherever in it, with its line; but for imports that
    only the type checker sees.
    """
    unseen = set()
    for block in ast.walk(tree):
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test):
            unseen |= {id(node) for statement in block.body for node in ast.walk(statement)}
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            for alias in node.names:
                yield f"{prefix}.{alias.name}", node.lineno


def import_graph(root: Path) -> dict[str, set[str]]:
    """The modules of a package, each with those that it imports when it is loaded or later. An
    import also loads the `__init__` of every folder above the target, except of those that hold the
    importing module, which are loaded already.
    """
    modules = {_module_name(path, root): path for path in root.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        targets = set()
        for imported, _ in imported_names(ast.parse(path.read_text("utf-8"))):
            target = imported
            if target not in modules:
                target = imported.rpartition(".")[0]  # a name in a module, not a module
            if target in modules:
                targets.add(target)
            while (target := target.rpartition(".")[0]) in modules:
                if not name.startswith(f"{target}."):
                    targets.add(target)
        graph[name] = targets - {name}
    return graph


def find_cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, directly or not."""
    reached = {name: _reachable(name, graph) for name in graph}
    cycles = []
    seen: set[str] = set()
    for name in sorted(graph):
        if name in seen or name not in reached[name]:
            continue
        group = sorted(other for other in reached[name] if name in reached[other])
        seen |= set(group)
        cycles.append(group)
    return cycles


def _reachable(start: str, graph: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += graph[name]
    return reached


def _module_name(path: Path, root: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)
