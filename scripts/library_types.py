"""The signatures of all tools -> `api_types.pyi`, which is what a type checker sees of the
library: `call` has an overload for each tool, `Quarry` a method, and `search` and `read` have the
options of the tools behind them.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from webquarry.api import _DEFAULT_SETS, AT_ONCE, find_tool, tool_names
from webquarry.registry import module_names
from webquarry.tool import Tool
from webquarry.tools import load

_HEAD = '''\
"""What a type checker sees of the library. Written by scripts/generate.py from the signatures of
the tools: change those, then run `make generate`.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, overload

'''
_IMPORTS = (  # what the text names besides the answers of the tools
    ("webquarry.errors", "WebquarryError"),
    ("webquarry.settings", "Settings"),
    ("webquarry.api", "CiteOutput"),
    ("webquarry.draft_check", "CheckOutput"),
    ("webquarry.api", "OnProgress"),
    ("webquarry.tool", "Answer"),
)
_PROGRESS = "on_progress: OnProgress | None = None"
_AT_ONCE = f"at_once: int = {AT_ONCE}"


def library_types() -> str:
    """The whole file."""
    tools = [(name, tool) for name in module_names("webquarry.tools") for tool in _tools_of(name)]
    imports = {(tool.answer.__module__, tool.answer.__name__) for _, tool in tools}
    imports |= set(_IMPORTS)
    lines = _render_imports(imports)
    parts = [_HEAD + "\n".join(lines) + "\n"]
    parts += [_render_overload(name, tool) for name, tool in tools]
    parts.append(_CALL_WITH)
    parts += _render_functions(is_method=False, is_async=False)
    parts += _render_functions(is_method=False, is_async=True)
    parts.append(_render_class("Quarry", [find_tool(name) for name in tool_names()], whole=True))
    for name in module_names("webquarry.tools"):
        parts.append(_render_class(_class_name(name), list(_tools_of(name)), whole=False))
    parts.append(_render_open(None, "Quarry"))
    for name in module_names("webquarry.tools"):
        parts.append(_render_open(name, _class_name(name)))
    return "\n".join(parts)


_CALL_WITH = """\
def call_with(
    name: str,
    arguments: Mapping[str, Any],
    toolset: str | None = None,
    *,
    on_progress: OnProgress | None = None,
) -> Answer: ...
"""


def _tools_of(toolset: str) -> Iterator[Tool]:
    for name in module_names(f"webquarry.tools.{toolset}"):
        yield load(toolset, name)


def _class_name(toolset: str) -> str:
    return f"{toolset.capitalize()}Tools"


def _render_imports(imports: set[tuple[str, str]]) -> list[str]:
    """A line for each module, its names in order."""
    by_module: dict[str, list[str]] = {}
    for module, name in sorted(imports):
        by_module.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]


def _render_overload(toolset: str, tool: Tool) -> str:
    """`call` for one tool of one set; the set need not be named where it is found without."""
    choice = f'toolset: Literal["{toolset}"]'
    is_default = toolset in _DEFAULT_SETS and find_tool(tool.name) is load(toolset, tool.name)
    if is_default:
        choice += " | None = None"
    parameters = [
        f'name: Literal["{tool.name}"]',
        "/",
        "*",
        choice,
        *render_parameters(tool),
        _PROGRESS,
    ]
    return f"@overload\n{_render_def('def call', parameters, tool.answer.__name__)}"


def _render_functions(*, is_method: bool, is_async: bool) -> list[str]:
    """`search`, `read` and the others, for one input; two of them also for many."""
    searching, reading = find_tool("web_search"), find_tool("scrape_page")
    search_options = [*render_parameters(searching, without="query"), _PROGRESS]
    read_options = [*render_parameters(reading, without="url"), _PROGRESS]
    style = next(one for one in read_options if one.startswith("citation_style:"))
    style = style.removeprefix("citation_")
    papers = find_tool("academic_search")
    paper_options = [*render_parameters(papers, without="query"), _PROGRESS]
    check_options = [
        "sources: Sequence[str] = ()",
        "session: str | None = None",
        "fail_on: str | None = None",
        "references: bool = True",
        _PROGRESS,
    ]
    found, page = searching.answer.__name__, reading.answer.__name__
    rows = [
        ("search", "query: str", search_options, found),
        ("read", "url: str", read_options, page),
        ("cite", "url: str", [style, _PROGRESS], "CiteOutput"),
        ("papers", "query: str", paper_options, papers.answer.__name__),
        ("check", "draft: str | Path", check_options, "CheckOutput"),
        (
            "search_all",
            "queries: Iterable[str]",
            [_AT_ONCE, *search_options],
            f"list[{found} | WebquarryError]",
        ),
        (
            "read_all",
            "urls: Iterable[str]",
            [_AT_ONCE, *read_options],
            f"list[{page} | WebquarryError]",
        ),
    ]
    functions = []
    for name, first, options, answer in rows:
        parameters = [first, "/", "*", *options]
        if is_method:
            parameters.insert(0, "self")
        head = f"def {name}"
        if is_async:
            suffix = "" if is_method else "_async"
            head = f"async def {name}{suffix}"
        functions.append(_render_def(head, parameters, answer))
    return functions


def _render_class(name: str, tools: list[Tool], *, whole: bool) -> str:
    """Tools as async methods; `whole` adds what the library has besides."""
    methods = []
    for tool in sorted(tools, key=lambda one: one.name):
        parameters = ["self", "*", *render_parameters(tool), _PROGRESS]
        methods.append(_render_def(f"async def {tool.name}", parameters, tool.answer.__name__))
    if whole:
        methods += _render_functions(is_method=True, is_async=True)
    lines = "".join(methods).splitlines()
    body = "".join(f"    {line}\n" for line in lines)
    return f"class {name}:\n{body}"


def _render_open(toolset: str | None, answer: str) -> str:
    """`open` for one set of tools."""
    choice = "toolset: None = None"
    if toolset is not None:
        choice = f'toolset: Literal["{toolset}"]'
    parameters = [
        "settings: Settings | None = None",
        "*",
        choice,
        "environ: Mapping[str, str] | None = None",
    ]
    return "@overload\n" + _render_def(
        "def open", parameters, f"AbstractAsyncContextManager[{answer}]"
    )


def _render_def(head: str, parameters: list[str], answer: str) -> str:
    """A definition with a line for each parameter."""
    lines = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{head}(\n{lines}) -> {answer}: ...\n"


def render_parameters(tool: Tool, without: str = "") -> list[str]:
    """The parameters of a tool as they are written in a signature, but for the toolkit."""
    hints = get_type_hints(tool.function)
    rendered = []
    _toolkit, *parameters = inspect.signature(tool.function).parameters.values()
    for parameter in parameters:
        if parameter.name == without:
            continue
        text = f"{parameter.name}: {render_type(hints[parameter.name])}"
        if parameter.default is not parameter.empty:
            text += f" = {_render_value(parameter.default)}"
        rendered.append(text)
    return rendered


def render_type(hint: Any) -> str:
    """A type as it is written; one that cannot be written here is an error, so that none is lost."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return "None"
    if hint is Any:
        return "Any"
    if origin is Literal:
        return f"Literal[{', '.join(map(_render_value, arguments))}]"
    if origin in (Union, types.UnionType):
        return " | ".join(map(render_type, arguments))
    if origin in (list, dict, tuple):
        return f"{origin.__name__}[{', '.join(map(render_type, arguments))}]"
    if isinstance(hint, type) and hint.__module__ == "builtins" and origin is None:
        return hint.__name__
    raise TypeError(f"the type {hint!r} of a tool's parameter cannot be written to the stub yet")


def _render_value(value: Any) -> str:
    """A default as Python writes it, with double quotes."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)
