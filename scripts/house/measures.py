"""A package's source -> what can be counted of how it reads.

Function line: from `def` to its last line. Nodes per line: nodes of the function's syntax tree over
its lines. Participle: a function, properties aside, whose name begins with one. Shared class name:
one that two or more modules define. Single-use helper: a module-private function whose name occurs
once in its module besides its definition. Folder of members: one file for each member of a kind;
its size is not counted.
"""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef
COMPREHENSIONS = ast.ListComp | ast.DictComp | ast.SetComp | ast.GeneratorExp
BRANCHES = ast.If | ast.IfExp | ast.For | ast.AsyncFor | ast.While | ast.ExceptHandler | ast.Assert

MOST_COLUMNS = 100
MEMBER_FOLDERS = frozenset(
    {
        "cli",
        "duckduckgo",
        "executables",
        "formats",
        "lenses",
        "models",
        "providers",
        "research",
        "sites",
        "styles",
    }
)

_PARTICIPLE = re.compile(
    r"_?(?:[a-z]+ed|told|made|said|shown|kept|found|known|given|held|taken|written|spoken|begun"
    r"|built|seen|put)(?:_[a-z_]+)?"
)
_NO_PARTICIPLE = re.compile(r"_?(?:feed|need|seed|embed|speed|exceed|proceed|shed|put)(?:_.*)?")
_PROPERTIES = {"property", "cached_property", "found_once", "setter"}


@dataclass
class Measures:
    """The counts of one package; paths are relative to it."""

    root: Path
    lines: int = 0
    wide_lines: int = 0
    conditionals: int = 0
    comprehensions: int = 0
    sizes: list[int] = field(default_factory=list)
    densities: list[float] = field(default_factory=list)
    participles: list[str] = field(default_factory=list)
    complex_functions: list[str] = field(default_factory=list)
    private_helpers: int = 0
    single_use_helpers: int = 0
    folder_sizes: Counter[str] = field(default_factory=Counter)
    class_homes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def shared_class_names(self) -> list[str]:
        return sorted(name for name, homes in self.class_homes.items() if len(homes) > 1)

    @property
    def median_density(self) -> float:
        return statistics.median(self.densities)

    @property
    def participle_share(self) -> float:
        return len(self.participles) / len(self.sizes)

    def report(self) -> dict[str, str]:
        """Each measure by its name, as text."""
        median = statistics.median(self.sizes)
        long = _percentile(self.sizes, 0.95)
        largest = ", ".join(f"{name} {size}" for name, size in self.folder_sizes.most_common(8))
        shared = self.shared_class_names
        return {
            "nodes per function line, median": f"{self.median_density:.1f}",
            "conditional expressions per 1,000 lines": f"{self._per_thousand(self.conditionals)}",
            "comprehensions per 1,000 lines": f"{self._per_thousand(self.comprehensions)}",
            "functions named by a participle": (
                f"{100 * self.participle_share:.1f} % ({len(self.participles)})"
            ),
            "class names of several modules": f"{len(shared)}: {', '.join(shared)}",
            f"lines over {MOST_COLUMNS} columns": f"{100 * self.wide_lines / self.lines:.1f} %",
            "module-private functions used once": (
                f"{self.single_use_helpers} of {self.private_helpers}"
            ),
            "function lines, median / p95 / max": f"{median:g} / {long} / {max(self.sizes)}",
            "largest folders": largest,
            "functions of complexity above 20": (
                f"{len(self.complex_functions)}: {', '.join(self.complex_functions)}"
            ),
        }

    def _per_thousand(self, count: int) -> int:
        return round(1000 * count / self.lines)


def measure_package(root: Path) -> Measures:
    """Count every module below a folder."""
    measures = Measures(root)
    for path in sorted(root.rglob("*.py")):
        _measure_module(path, measures)
    return measures


def find_participles(tree: ast.Module) -> Iterator[str]:
    """The functions of a module, properties aside, whose names begin with a participle."""
    for node in ast.walk(tree):
        if not isinstance(node, Function) or _is_property(node):
            continue
        if _PARTICIPLE.fullmatch(node.name) and not _NO_PARTICIPLE.fullmatch(node.name):
            yield node.name


def count_complexity(function: Function) -> int:
    """The number of ways through a function: one, and one more for each place that branches."""
    ways = 1
    for node in ast.walk(function):
        if isinstance(node, ast.BoolOp):
            ways += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            ways += 1 + len(node.ifs)
        elif isinstance(node, BRANCHES):
            ways += 1
    return ways


def _measure_module(path: Path, measures: Measures) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    place = str(path.relative_to(measures.root))
    if path.parent.name not in MEMBER_FOLDERS and path.name != "__init__.py":
        measures.folder_sizes[str(path.parent.relative_to(measures.root))] += 1
    for line in text.splitlines():
        is_code = bool(line.strip()) and not line.strip().startswith("#")
        measures.lines += is_code
        measures.wide_lines += is_code and len(line) > MOST_COLUMNS
    measures.participles += [f"{place}: {name}" for name in find_participles(tree)]
    for node in ast.walk(tree):
        measures.conditionals += isinstance(node, ast.IfExp)
        measures.comprehensions += isinstance(node, COMPREHENSIONS)
        if isinstance(node, ast.ClassDef):
            measures.class_homes[node.name].add(place)
        elif isinstance(node, Function):
            _measure_function(node, place, measures)
    for node in tree.body:
        if isinstance(node, Function) and node.name.startswith("_"):
            uses = len(re.findall(rf"\b{node.name}\b", text))
            measures.private_helpers += 1
            measures.single_use_helpers += uses == 2


def _measure_function(node: Function, place: str, measures: Measures) -> None:
    size = (node.end_lineno or node.lineno) - node.lineno + 1
    nodes = sum(1 for _ in ast.walk(node))
    measures.sizes.append(size)
    measures.densities.append(nodes / size)
    if count_complexity(node) > 20:
        measures.complex_functions.append(f"{place} {node.name}")


def _is_property(node: Function) -> bool:
    names = {ast.unparse(decorator).split(".")[-1] for decorator in node.decorator_list}
    return bool(_PROPERTIES & names)


def _percentile(values: list[int], share: float) -> int:
    ordered = sorted(values)
    return ordered[round(share * (len(ordered) - 1))]
