"""The project keeps its shape: imports point one way, start-up is light, what can drift is checked."""

from __future__ import annotations

import ast
import importlib
import inspect
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
from webquarry.registry import module_names
from webquarry.search.provider import Provider
from webquarry.settings import Settings

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "webquarry"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SCRIPTS = sorted(PROJECT["project"]["scripts"])
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]

# Imports point down this list and never up.
ORDER = (
    "batch", "sql", "surfaces", "testing", "tools", "tool", "views", "toolkit", "host", "ask", "verify", "sessions", "pages",
    "library",
    "evidence", "read", "search", "net", "calls", "records", "quota", "cache", "store", "registry",
    "credentials", "settings", "logs", "progress", "meter", "caller", "clock",
    "memory", "secret", "masking", "reprs", "errors",
)  # fmt: skip
# The same for the rooms within a room; members are named by their folder.
ORDER_WITHIN = {
    "read": (
        "page_jobs", "reader", "reply", "render", "linked_styles", "slices", "special", "page_feed", "detect", "formats",
        "special_reader", "walls", "documents", "feeds", "wiki", "main_content", "format", "plain", "markdown", "encoding", "page_form",
        "json_text", "models", "visibility", "html", "css", "text", "workers",
    ),
    "surfaces": (
        "notebook", "cli", "executable", "schema", "server", "batch", "sql", "library", "lookups", "cite_output",
        "arguments", "mcp", "ui", "reply_errors", "terminal", "display", "jsonc", "bridge", "event_loop", "doctor",
    ),
    "search": (
        "instant", "patents", "scholarly", "providers", "router", "ask_in_order", "ask_at_once",
        "ask_provider", "paging", "plan",
        "stored", "merge", "query", "identity", "provider", "replies", "services", "models",
    ),
    "net": (
        "archive", "client", "robots", "sender", "transport", "budget", "pooled_http", "plain_http",
        "dial", "connecting", "sockets", "http", "pacing", "proxies", "guard", "models", "domains",
    ),
    "evidence": (
        "evidence", "hints", "scores", "citation", "doi", "trust", "styles", "page", "language",
        "models",
    ),
    "ask": (
        "batch", "engine", "asker", "exchange", "sharing", "answers", "in_flight", "keys", "options",
        "vendors", "model_api", "billing", "models",
    ),
}  # fmt: skip
MOST_MODULES = 15  # in a folder; folders of members aside
MOST_FRAMES = 15  # from `Tool.call` to the transport
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
HEAVY = {
    "httpx2",
    "httpcore2",
    "pydantic",
    "lxml",
    "numpy",
    "chardet",
    "warcio",
    "rich",
    "typer",
    "mcp",
    "duckdb",
    "anthropic",
}


EVERY_MODULE = sorted(PACKAGE.rglob("*.py"))
each_module = pytest.mark.parametrize(
    "path", EVERY_MODULE, ids=lambda path: str(path.relative_to(PACKAGE))
)


def imports_of(path: Path) -> list[tuple[list[str], int]]:
    """What a module of ours imports of ours: the parts of each name below the package, with the
    line.
    """
    imports = []
    for name, line in imported_names(ast.parse(path.read_text("utf-8"))):
        assert not name.startswith("."), f"{path}:{line} imports relatively"
        package, *parts = name.split(".")
        if package == "webquarry" and parts and parts != ["__version__"]:
            imports.append((parts, line))
    return imports


def find_upward(order: tuple[str, ...], room: str, others: list[tuple[str, int]]) -> list[str]:
    """The imports that do not point down an order of rooms."""
    assert room in order, f"{room} has no place in the order of the rooms"
    upward = []
    for other, line in others:
        assert other in order, f"{other} has no place in the order of the rooms"
        if order.index(other) < order.index(room):
            upward.append(f"line {line} imports {other}")
    return upward


@each_module
def test_imports_point_downwards(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    others = [(parts[0], line) for parts, line in imports_of(path)]

    assert find_upward(ORDER, room, others) == []


@each_module
def test_imports_between_the_rooms_of_a_room_point_downwards(path: Path) -> None:
    room, *rest = path.relative_to(PACKAGE).with_suffix("").parts
    if room not in ORDER_WITHIN or rest[0] == "__init__":
        return
    others = []
    for parts, line in imports_of(path):
        if parts[0] == room and len(parts) > 1:
            others.append((parts[1], line))

    assert find_upward(ORDER_WITHIN[room], rest[0], others) == []


def test_no_modules_import_each_other() -> None:
    assert find_cycles(import_graph(PACKAGE)) == []


@each_module
def test_nobody_but_the_store_knows_sqlite_or_redis(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] == "store":
        return
    names = imported_names(ast.parse(path.read_text("utf-8")))

    assert {name.partition(".")[0] for name, _ in names} & {"sqlite3", "redis"} == set()


@pytest.fixture(scope="module")
def measures() -> Measures:
    return measure_package(PACKAGE)


def test_no_folder_is_too_large_to_be_looked_over(measures: Measures) -> None:
    sizes = measures.folder_sizes.items()

    assert {folder: size for folder, size in sizes if size > MOST_MODULES} == {}


def test_functions_are_named_by_verbs(measures: Measures) -> None:
    """`applied` is what plug-ins override, so that it keeps its name."""
    named = [name for name in measures.participles if not name.endswith(": applied")]

    assert named == []


def test_a_class_name_has_one_meaning(measures: Measures) -> None:
    assert measures.shared_class_names == []


def test_no_function_has_too_many_ways_through_it(measures: Measures) -> None:
    assert measures.complex_functions == []


def test_lines_end_within_100_columns(measures: Measures) -> None:
    assert measures.wide_lines == 0


@each_module
def test_every_module_says_what_it_is_and_stays_readable(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTION)]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 70]

    assert ast.get_docstring(tree), "a module starts with what comes in and what goes out"
    assert long == []


def loaded_by(code: str) -> set[str]:
    """The heavy packages that are loaded after this code has run in a fresh interpreter."""
    ask = f"{code}\nimport json, sys\nprint(json.dumps(sorted({{name.partition('.')[0] for name in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    return HEAVY & set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_webquarry_loads_nothing_heavy() -> None:
    assert loaded_by("import webquarry") == set()


def test_version_is_answered_without_loading_anything_heavy() -> None:
    assert (
        loaded_by(
            "import sys; sys.argv = ['webquarry', '--version']\nfrom webquarry.__main__ import "
            "main; main()"
        )
        == set()
    )


@pytest.mark.parametrize("script", [name for name in SCRIPTS if name.endswith("-tool")])
def test_a_schema_is_answered_without_loading_anything_heavy(script: str) -> None:
    module, _, function = PROJECT["project"]["scripts"][script].partition(":")
    code = f"import sys; sys.argv = [{script!r}, '--schema']\nfrom {module} import {function}\n"
    code += f"try:\n    {function}()\nexcept SystemExit:\n    pass"

    assert loaded_by(code) == set()


def test_heavy_packages_are_recognised_when_they_are_loaded() -> None:
    assert loaded_by("import webquarry.evidence.models") == {"pydantic"}


@pytest.mark.parametrize("name", webquarry.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(webquarry, name) is not None
    assert name in dir(webquarry)


def test_every_error_class_is_public() -> None:
    errors = importlib.import_module("webquarry.errors")
    classes = {name for name, _ in inspect.getmembers(errors, inspect.isclass) if name != "Any"}

    assert classes <= set(webquarry.__all__)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'quarrel'"):
        getattr(webquarry, "quarrel")  # noqa: B009 - a type checker refuses the name


@pytest.mark.parametrize("field", Settings.fields())
def test_every_setting_is_documented(field: str) -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")

    assert Settings.fields()[field].description
    for variable in Settings.variables_of(field) or ["WEBQUARRY_<PROVIDER>_URL"]:
        assert f"`{variable}`" in page


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_documented(script: str) -> None:
    assert any(
        re.search(rf"(?<![\w-]){script}(?![\w-])", page.read_text("utf-8")) for page in PAGES
    )


@pytest.mark.parametrize("name", module_names("webquarry.search.providers"))
def test_every_provider_and_its_credentials_are_documented(name: str) -> None:
    page = (ROOT / "docs" / "providers.md").read_text("utf-8")
    module = importlib.import_module(f"webquarry.search.providers.{name}")
    members = [
        kind
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__
    ]

    for kind in [kind for kind in members if issubclass(kind, Provider)]:
        assert f"`{kind.name}`" in page
        for credential in kind.credentials:
            assert f"`{credential.variable}`" in page
            assert f"`{credential.file}`" in page


def test_every_make_target_that_a_page_names_is_there_and_described() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    pages = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"]
    named = {
        target
        for page in pages
        for code in re.findall(r"```.*?```|`[^`\n]+`", page.read_text("utf-8"), re.DOTALL)
        for target in re.findall(r"(?m)(?:^|`|\n)make ([a-z]+)", code)
    }

    assert {"demo", "test"} <= named
    assert [target for target in named if not re.search(rf"(?m)^{target}:.*## ", makefile)] == []


def test_the_readme_fits_its_promise() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    first_screen = "\n".join(lines[:30])

    assert len(lines) < 100
    assert "make demo" in first_screen
    assert "make test" in first_screen


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"], ids=lambda page: page.name
)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text("utf-8"))

    assert [target for target in targets if not (page.parent / target).exists()] == []


def known_names() -> dict[str, set[str]]:
    """Every class and function that our modules define, by its bare name, with the names that a
    class defines.
    """
    names: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                members = {member.name for member in node.body if isinstance(member, FUNCTION)}
                names[node.name] = names.get(node.name, set()) | members
    return names


def test_every_function_that_the_architecture_names_is_in_the_code() -> None:
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


RIVERS: list[tuple[str, str, dict[str, str]]] = [
    ("A query becomes results", "web_search", {"query": "tidal energy storage"}),
    (
        "A URL becomes Markdown",
        "scrape_page",
        {"url": "https://tidelines.example/2026/09/storing-the-tide"},
    ),
]


def river_of(title: str) -> list[str]:
    """The functions that the architecture names for a river, in order."""
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    drawing = re.split(r"\n\n(?! )", page.partition(f"{title}:")[2])[0]
    return re.findall(r"[A-Z]\w+\.[a-z_]\w*|\b[a-z_]\w*\(\)", drawing)


@pytest.mark.parametrize(("title", "tool", "arguments"), RIVERS)
def test_a_real_call_goes_the_way_that_the_architecture_draws(
    title: str, tool: str, arguments: dict[str, str]
) -> None:
    trace = trace_tool("research", tool, arguments)
    river = river_of(title)
    places = {name: trace.place_of(name) for name in river}

    assert len(river) >= 10
    assert [name for name, place in places.items() if place is None] == []
    assert sorted(river, key=lambda name: places[name] or 0) == river


def test_a_search_is_a_short_way_and_enters_the_router_once() -> None:
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


def test_no_file_holds_a_path_of_a_developers_machine() -> None:
    places = re.compile(
        rb"(?<![\w.~/-])/(?:"
        + b"|".join([b"root", b"work", rb"home/\w+", rb"Users/\w+"])
        + rb")/[\w.]"
    )

    assert [str(path) for path in project_files() if places.search(path.read_bytes())] == []
