"""What a type checker says to users of the library: right examples pass, misspelt ones do not."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import webquarry
from webquarry import api as library
from webquarry.api import tool_names

ROOT = Path(__file__).parent.parent.parent
STUB = ROOT / "src" / "webquarry" / "api_types.pyi"
PAGE = """\
# A page

Every line that ends in `# wrong` is one that a type checker has to refuse.

```python
import webquarry

found = webquarry.call("web_search", query="tides", num_results=3)
first: str = found.results[0].title
page = webquarry.call("web_fetch", url=found.urls[0], limit=40)
lines: int = page.lines_read
webquarry.call("web_serch", query="tides")  # wrong
webquarry.call("web_search", qury="tides")  # wrong
webquarry.call("web_search", query=3)  # wrong
webquarry.call("web_search", query="tides", time_range="decade")  # wrong
webquarry.call("web_search")  # wrong
found.resuls  # wrong
webquarry.call("web_search", query="tides", toolset="duckduckgo").text
webquarry.call("web_search", query="tides", toolset="duckduckgo").results  # wrong
webquarry.serch("tides")  # wrong
```

```python
title: str = webquarry.read("https://example.org/").title
webquarry.read("https://example.org/", sektion="2")  # wrong
webquarry.search("tides", site="example.org").results[0].published_at
webquarry.search("tides", time_range="decade")  # wrong
text: str = webquarry.cite("https://example.org/", style="bibtex").text
webquarry.cite("https://example.org/", style="vancouver")  # wrong
for one in webquarry.read_all(["https://example.org/"], max_tokens=500, at_once=2):
    one.content  # wrong
    if isinstance(one, webquarry.WebquarryError):
        print(one.suggested_action)
    else:
        print(one.content)
def show(progress: webquarry.CallProgress) -> None:
    print(progress.done, progress.message)
def wrong(progress: int) -> None:
    print(progress)
webquarry.search_all(["tides"], on_progress=show)
webquarry.search_all(["tides"], on_progress=wrong)  # wrong
```

```python
async with webquarry.open() as quarry:
    page = await quarry.web_fetch(url="https://example.org/")
    await quarry.web_fecth(url="https://example.org/")  # wrong
    await quarry.web_fetch(ulr="https://example.org/")  # wrong
    (await quarry.read("https://example.org/")).citation.formatted.apa
    (await quarry.read("https://example.org/")).resuls  # wrong
async with webquarry.open(toolset="executables") as few:
    await few.web_search_brave(query="tides")
    await few.academic_search(query="tides")  # wrong
papers = (await webquarry.search_async("tides")).results
with webquarry.sql.open() as session:
    session.sql("SELECT 1").df()
    session.slq("SELECT 1")  # wrong
```
"""


def test_the_types_are_those_of_the_tools() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/generate.py", "--check", "types"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_type_checker_accepts_valid_calls_and_refuses_misspelt_ones(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    done = subprocess.run(
        [sys.executable, "scripts/check_examples.py", str(page)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    refused = set()
    for line in done.stdout.splitlines():
        place, _, kind = line.removeprefix(f"{page}:").partition(": ")
        if kind.startswith("error"):
            refused.add(int(place))
    lines = enumerate(PAGE.splitlines(), 1)

    assert done.stderr == ""
    assert refused == {number for number, line in lines if line.endswith("# wrong")}, done.stdout


def test_the_examples_of_the_documents_are_checked_by_lint() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    rule = makefile.partition("\nlint:")[2].partition("\n\n")[0]

    assert "scripts/check_examples.py" in rule


def stub_functions() -> dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions that the stub promises, by name."""
    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for node in ast.parse(STUB.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            functions.setdefault(node.name, []).append(node)
    return functions


@pytest.mark.parametrize("name", sorted(stub_functions()))
def test_every_function_that_the_types_promise_is_there_and_as_async_as_they_say(
    name: str,
) -> None:
    function = getattr(library, name)
    is_async = {isinstance(node, ast.AsyncFunctionDef) for node in stub_functions()[name]}

    assert callable(getattr(webquarry, name))
    assert inspect.signature(getattr(webquarry, name)) == inspect.signature(function)
    assert is_async == {inspect.iscoroutinefunction(function)}


def test_every_method_that_the_types_promise_is_there() -> None:
    classes = {
        node.name: {member.name for member in node.body if isinstance(member, ast.AsyncFunctionDef)}
        for node in ast.parse(STUB.read_text("utf-8")).body
        if isinstance(node, ast.ClassDef)
    }
    own = {name for name in vars(webquarry.Quarry) if not name.startswith("_")}

    assert classes["Quarry"] == own | set(tool_names())
    assert classes["DuckduckgoTools"] == set(tool_names("duckduckgo"))
