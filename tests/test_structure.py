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
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    "sql", "surfaces", "testing", "tools", "tool", "toolkit", "host", "ask", "sessions", "pages", "evidence", "read", "search", "net",
    "records", "quota", "cache", "store", "registry", "credentials", "settings", "setting_groups", "logs", "progress", "meter", "caller", "clock", "secret", "errors",
)  # fmt: skip
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


def imported_rooms(path: Path) -> Iterator[tuple[str, int]]:
    """The rooms of ours that a file imports, wherever in it, but for imports that only the type
    checker sees.
    """
    tree = ast.parse(path.read_text("utf-8"))
    unseen = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for statement in block.body
        for node in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if id(node) in unseen:
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names = [node.module or ""]
            if node.module == "webquarry":
                names = [f"webquarry.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("webquarry.") and name != "webquarry.__version__":
                yield name.split(".")[1], getattr(node, "lineno", 0)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_imports_point_downwards(path: Path) -> None:
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room in ("__init__", "__main__"):
        return
    assert room in ORDER, f"{room} has no place in the order of the rooms"
    upwards = [
        f"line {line} imports {other}"
        for other, line in imported_rooms(path)
        if other not in ORDER or ORDER.index(other) < ORDER.index(room)
    ]
    assert upwards == []


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_every_module_says_what_it_is_and_stays_readable(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, FUNCTION)]
    long = [node.name for node in functions if (node.end_lineno or 0) - node.lineno >= 70]

    assert ast.get_docstring(tree), "a module starts with what comes in and what goes out"
    assert len(path.read_text("utf-8").splitlines()) <= 500
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
    assert loaded_by("import webquarry.settings") == {"pydantic"}


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
        _ = webquarry.quarrel


@pytest.mark.parametrize("field", Settings.model_fields)
def test_every_setting_is_documented(field: str) -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")

    assert Settings.model_fields[field].description
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
