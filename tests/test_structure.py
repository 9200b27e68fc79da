"""Rules about the whole project: import directions, light start-up, documentation in step with code."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from scripts.house.imports import find_cycles, import_graph, imported_names
from scripts.house.measures import Measures, measure_package
from scripts.house.trace import Trace, trace_tool

import webquarry

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "webquarry"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SCRIPTS = sorted(PROJECT["project"]["scripts"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# A package imports only packages that follow it in this list.
ORDER = (
    "notebook", "cli", "batch", "sql", "executable", "api", "draft_check", "draft_sources", "ui", "mcp", "doctor", "tools", "answer_text", "tool", "tool_arguments", "tool_schema", "views", "toolkit", "host", "ask", "verify", "sessions", "pages",
    "library",
    "evidence", "_read", "_native", "_search", "net", "store", "registry",
    "credentials", "settings", "logs", "progress", "meter", "caller", "clock",
    "secret", "bridge", "displayable", "terminal", "errors",
)  # fmt: skip
# The same within a package.
ORDER_WITHIN = {
    "_read": (
        "reader", "reply", "browser", "linked_styles", "detect", "formats",
        "sites", "outcome", "documents", "feeds", "main_content", "format", "plain", "markdown", "encoding", "page_form",
        "json_data", "models", "style", "html", "slices", "text", "workers",
    ),
    "_search": (
        "instant", "patents", "scholarly", "providers", "router", "ask", "answers", "paging", "plan",
        "lenses", "filters", "identity", "provider", "services", "guard", "service", "domains",
        "replies", "codes", "text", "addresses", "models",
    ),
    "net": (
        "archive", "client", "robots", "sender", "transport", "body", "redirects", "connect",
        "proxies", "failures", "pacing", "guard", "strict_url", "models", "domains",
    ),
    "evidence": (
        "evidence", "hints", "scores", "citation", "doi", "trust", "styles", "page", "language",
        "models",
    ),
    "ask": (
        "batch", "engine", "exchange", "redis_store", "store", "templates", "searching", "client",
        "limiter", "keys", "options", "schema", "ledger", "statement", "vendors", "prices",
        "models",
    ),
}  # fmt: skip
# Display hooks of notebooks import their views by name, on first use.
UPWARD_BY_NAME = {"displayable.py"}
MOST_FRAMES = 15  # from `Tool.call` to the transport
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
HEAVY = {
    "httpx2",
    "httpcore2",
    "msgspec",
    "pydantic",
    "lxml",
    "numpy",
    "chardet",
    "warcio",
    "rich",
    "click",
    "mcp",
    "duckdb",
    "anthropic",
}


@pytest.fixture(scope="module")
def modules() -> dict[str, ast.Module]:
    """The syntax trees of all modules, by their path below the package."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {
        path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths
    }


def imported_parts(tree: ast.Module) -> list[tuple[list[str], int]]:
    """The modules that a module imports from our package, as parts of their path, with the line."""
    imports = []
    for name, line in imported_names(tree):
        package, *parts = name.split(".")
        if package == "webquarry" and parts and parts != ["__version__"]:
            imports.append((parts, line))
    return imports


def named_parts(tree: ast.Module) -> list[tuple[list[str], int]]:
    """The modules of our package that strings of a module name, in the same form."""
    named = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        match = re.fullmatch(r"webquarry\.([\w.]+)(?::\w+)?", node.value)
        if match is None:
            continue
        parts = match[1].rstrip(".").split(".")
        if (PACKAGE / parts[0]).is_dir() or (PACKAGE / f"{parts[0]}.py").exists():
            named.append((parts, node.lineno))
    return named


def is_upward(order: tuple[str, ...], importer: str, imported: str) -> bool:
    assert importer in order, f"{importer} is missing in the order of packages"
    assert imported in order, f"{imported} is missing in the order of packages"
    return order.index(imported) < order.index(importer)


def test_packages_import_only_packages_below_them(modules: dict[str, ast.Module]) -> None:
    offenders = []
    for path, tree in modules.items():
        package = path.partition("/")[0].removesuffix(".py")
        if package in ("__init__", "__main__"):
            continue
        for parts, line in imported_parts(tree):
            if is_upward(ORDER, package, parts[0]):
                offenders.append(f"{path}:{line} imports {parts[0]}")

    assert offenders == []


def test_packages_name_only_modules_below_them(modules: dict[str, ast.Module]) -> None:
    """A module that is imported by its name in a string is an import too."""
    offenders = []
    for path, tree in modules.items():
        package = path.partition("/")[0].removesuffix(".py")
        if package in ("__init__", "__main__") or path in UPWARD_BY_NAME:
            continue
        for parts, line in named_parts(tree):
            if is_upward(ORDER, package, parts[0]):
                offenders.append(f"{path}:{line} names {'.'.join(parts)}")

    assert offenders == []


def test_imports_within_a_package_point_downwards(modules: dict[str, ast.Module]) -> None:
    offenders = []
    for path, tree in modules.items():
        package, *rest = path.removesuffix(".py").split("/")
        if package not in ORDER_WITHIN or rest[0] == "__init__":
            continue
        for parts, line in imported_parts(tree):
            is_inside = parts[0] == package and len(parts) > 1
            if is_inside and is_upward(ORDER_WITHIN[package], rest[0], parts[1]):
                offenders.append(f"{path}:{line} imports {'.'.join(parts)}")

    assert offenders == []


def test_no_module_imports_relatively(modules: dict[str, ast.Module]) -> None:
    offenders = []
    for path, tree in modules.items():
        for name, line in imported_names(tree):
            if name.startswith("."):
                offenders.append(f"{path}:{line} imports {name}")

    assert offenders == []


def test_there_are_no_import_cycles() -> None:
    assert find_cycles(import_graph(PACKAGE)) == []


def test_only_the_store_imports_sqlite_and_redis(modules: dict[str, ast.Module]) -> None:
    offenders = []
    for path, tree in modules.items():
        packages = {name.partition(".")[0] for name, _ in imported_names(tree)}
        if not path.startswith("store/") and packages & {"sqlite3", "redis"}:
            offenders.append(path)

    assert offenders == []


def test_every_module_has_a_docstring(modules: dict[str, ast.Module]) -> None:
    assert [path for path, tree in modules.items() if not ast.get_docstring(tree)] == []


@pytest.fixture(scope="module")
def measures() -> Measures:
    return measure_package(PACKAGE)


def test_no_function_is_too_complex(measures: Measures) -> None:
    assert measures.complex_functions == []


def loaded_by(code: str) -> set[str]:
    """Return the heavy packages that are loaded after running code in a new interpreter."""
    ask = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return HEAVY & set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_webquarry_loads_nothing_heavy() -> None:
    assert loaded_by("import webquarry") == set()


def test_version_loads_nothing_heavy() -> None:
    assert (
        loaded_by(
            "import sys; sys.argv = ['webquarry', '--version']\nfrom webquarry.__main__ import "
            "main; main()"
        )
        == set()
    )


@pytest.mark.parametrize("script", [name for name in SCRIPTS if name.endswith("-tool")])
def test_schema_loads_nothing_heavy(script: str) -> None:
    module, _, function = PROJECT["project"]["scripts"][script].partition(":")
    code = f"import sys; sys.argv = [{script!r}, '--schema']\nfrom {module} import {function}\n"
    code += f"try:\n    {function}()\nexcept SystemExit:\n    pass"

    assert loaded_by(code) == set()


@pytest.mark.parametrize("name", webquarry.__all__)
def test_public_name_is_available(name: str) -> None:
    assert getattr(webquarry, name) is not None
    assert name in dir(webquarry)


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_documented(script: str) -> None:
    assert any(
        re.search(rf"(?<![\w-]){script}(?![\w-])", page.read_text("utf-8")) for page in PAGES
    )


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"], ids=lambda page: page.name
)
def test_links_between_documents_are_valid(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def known_names() -> dict[str, set[str]]:
    """Return all classes and functions by their bare name, with the methods of classes."""
    names: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                members = {member.name for member in node.body if isinstance(member, FUNCTION)}
                names[node.name] = names.get(node.name, set()) | members
    return names


def test_functions_in_the_architecture_document_exist() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    methods = set(re.findall(r"\b([A-Z]\w+)\.([a-z_]\w*)\b", page)) - {
        ("README", "md"),
        ("CONTRIBUTING", "md"),
    }
    functions = set(re.findall(r"(?<![\w.])([a-z_]\w*)\(\)", page))
    known = known_names()

    assert len(methods) >= 6
    assert [
        f"{owner}.{name}" for owner, name in sorted(methods) if name not in known.get(owner, set())
    ] == []
    assert [name for name in sorted(functions) if name not in known] == []


CALL_PATHS: list[tuple[str, str, dict[str, str]]] = [
    ("A query becomes results", "web_search", {"query": "tidal energy storage"}),
    (
        "A URL becomes Markdown",
        "scrape_page",
        {"url": "https://tidelines.example/2026/09/storing-the-tide"},
    ),
]


def call_path(title: str) -> list[str]:
    """Return the functions of a call path in the architecture document, in order."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    drawing = re.split(r"\n\n(?! )", page.partition(f"{title}:")[2])[0]
    return re.findall(r"[A-Z]\w+\.[a-z_]\w*|\b[a-z_]\w*\(\)", drawing)


@pytest.mark.parametrize(("title", "tool", "arguments"), CALL_PATHS)
def test_call_path_matches_the_architecture_document(
    title: str, tool: str, arguments: dict[str, str]
) -> None:
    trace = trace_tool("research", tool, arguments)
    path = call_path(title)
    places = {name: trace.place_of(name) for name in path}

    assert len(path) >= 10
    assert [name for name, place in places.items() if place is None] == []
    assert sorted(path, key=lambda name: places[name] or 0) == path


def test_search_has_few_frames_and_enters_the_router_once() -> None:
    trace: Trace = trace_tool("research", "web_search", {"query": "tidal energy storage"})
    owners = [frame.partition(".")[0] for frame in trace.frames]

    assert trace.frames[0] == "Tool.call"
    assert trace.frames[-1].endswith(".handle_async_request")
    assert len(trace.frames) <= MOST_FRAMES
    assert owners.count("Router") == 1


def project_files() -> list[Path]:
    unowned = {".git", ".venv", ".hypothesis", "__pycache__", "dist", "build"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and path.suffix not in (".so", ".pyd")  # built here
        and not unowned & set(path.relative_to(ROOT).parts)
        and not any(part.endswith(("_cache", ".egg-info")) for part in path.relative_to(ROOT).parts)
    ]


def test_no_file_contains_a_path_of_a_developer_machine() -> None:
    places = re.compile(
        rb"(?<![\w.~/-])/(?:"
        + b"|".join([b"root", b"work", rb"home/\w+", rb"Users/\w+"])
        + rb")/[\w.]"
    )

    assert [str(path) for path in project_files() if places.search(path.read_bytes())] == []
