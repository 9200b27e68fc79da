"""How `tools/list` shows a tool set: its tools in the set's own order, each as its schema is
written.

The lists of the sets that ship are generated (data/mcp), because importing the tools and making
their models would cost more than the rest of the start; a tool itself is imported when it is first
called. A list that does not name the tools there are is left aside.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from webquarry.errors import BadInput
from webquarry.registry import module_names
from webquarry.settings import Settings
from webquarry.surfaces.mcp.linking import schema_with_link
from webquarry.surfaces.mcp.output_schemas import slim_schema
from webquarry.tool import TextAnswer, Tool, load

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

APP_META = "ui"  # what names the app of a tool
GENERATED = ("research",)  # the sets whose lists ship with the package
_TOOLS = "webquarry.tools"
_TOOL_KEYS = ("name", "title", "description", "inputSchema", "outputSchema")
_SCHEMA_KEYS = ("type", "properties", "required")


class ServedTools(Mapping[str, Tool]):
    """The tools of a set, or of a named part of one, by name; each is imported when it is first
    asked for. They stand in the order that their set gives: the first is the one most often wanted.
    """

    def __init__(self, set_name: str) -> None:
        package, names = _find_toolset(set_name)
        self.package = package
        self._names = _sort_names(package, names)
        self._loaded: dict[str, Tool] = {}

    def __getitem__(self, name: str) -> Tool:
        if name not in self._names:
            raise KeyError(name)
        return load(self.package, name)

    async def load(self, name: str) -> Tool:
        """A tool by its name; others go on while it is imported, which takes a while at first."""
        tool = self.get_loaded(name)
        if tool is None:
            tool = self._loaded[name] = await asyncio.to_thread(self._import, name)
        return tool

    def _import(self, name: str) -> Tool:
        """A tool by its name, with everything imported and built that its first call needs."""
        tool = self[name]
        tool.build_models()
        return tool

    def get_loaded(self, name: str) -> Tool | None:
        """A tool by its name, if it was loaded before."""
        return self._loaded.get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def describe_all(self) -> list[types.Tool]:
        """The tools as `tools/list` shows them."""
        import mcp_types as types

        generated = _read_generated_list(self.package)
        present = module_names(f"{_TOOLS}.{self.package}")
        if set(generated) != set(present):
            return [describe(tool) for tool in self.values()]
        return [types.Tool.model_validate(generated[name]) for name in self]


def read_settings(set_name: str) -> Settings:
    """The settings from the environment, as a tool set that has some of its own (`own_settings`)
    wants them.
    """
    settings = Settings.from_environment()
    package = ServedTools(set_name).package
    adapt = getattr(import_module(f"webquarry.tools.{package}"), "own_settings", None)
    if adapt is None:
        return settings
    adapted: Settings = adapt(settings)
    return adapted


def toolset_names() -> list[str]:
    """The names under which tools are served: the sets, and the named parts of them."""
    packages = module_names(_TOOLS)
    names = list(packages)
    for package in packages:
        names.extend(_parts(package))
    return sorted(names)


def describe(tool: Tool) -> types.Tool:
    """A tool as it is listed; one that answers with text has no output schema."""
    import mcp_types as types

    if issubclass(tool.answer, TextAnswer):
        return types.Tool(
            name=tool.name, description=tool.description, input_schema=tool.parameters
        )
    output_schema = slim_schema(tool.output_schema)
    if tool.answer.may_be_large:
        output_schema = schema_with_link(output_schema)
    nature: dict[str, Any] = {
        "annotations": types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=False,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.open_world,
        )
    }
    if tool.app is not None:
        # VS Code shows no app of a tool that has annotations, and Claude reads the older key.
        app = {APP_META: {"resourceUri": tool.app}, "ui/resourceUri": tool.app}
        nature = {"_meta": app}
    return types.Tool(
        name=tool.name,
        title=tool.name.replace("_", " ").capitalize(),
        description=tool.description,
        input_schema=_input_schema(tool),
        output_schema=output_schema,
        **nature,
    )


def _input_schema(tool: Tool) -> dict[str, Any]:
    """What a tool takes. Unknown fields are always refused; the schemas that others wrote do not
    say so, those of our own sets (`CLOSED`) do.
    """
    module = import_module(tool.function.__module__.rpartition(".")[0])
    if not getattr(module, "CLOSED", False):
        return tool.parameters
    properties = {}
    for name, field in tool.parameters["properties"].items():
        properties[name] = dict(field)
        if field.get("default") is False:
            del properties[name]["default"]  # what anybody expects of a field that is left out
    schema = {**tool.parameters, "properties": properties, "additionalProperties": False}
    if not schema["required"]:
        del schema["required"]
    return schema


def render_list(package: str) -> str:
    """The text of the generated file that holds the list of a set."""
    tools = []
    for name in _sort_names(package, module_names(f"{_TOOLS}.{package}")):
        tool = describe(load(package, name))
        fields = tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        tools.append(_order_tool_keys(fields))
    return json.dumps(tools, ensure_ascii=False, indent=1) + "\n"


async def restore_key_order(
    ctx: ServerRequestContext[Any, Any], call_next: CallNext
) -> HandlerResult:
    """Middleware: the SDK writes the keys of its models by the alphabet; a list of tools gets back
    its own order.
    """
    result = await call_next(ctx)
    if ctx.method == "tools/list" and isinstance(result, dict):
        result["tools"] = [_order_tool_keys(tool) for tool in result.get("tools", [])]
    return result


def _read_generated_list(package: str) -> dict[str, Any]:
    """The tools in the generated list of a set, by name; empty where there is no list."""
    if package not in GENERATED:
        return {}
    file = files("webquarry") / "data" / "mcp" / f"{package}.json"
    if not file.is_file():
        return {}
    tools = json.loads(file.read_text("utf-8"))
    return {tool["name"]: tool for tool in tools}


def _find_toolset(set_name: str) -> tuple[str, list[str]]:
    """The package that a set, or a named part of one, is in, and the names of its tools there."""
    packages = module_names(_TOOLS)
    if set_name in packages:
        return set_name, module_names(f"{_TOOLS}.{set_name}")
    for package in packages:
        part = _parts(package).get(set_name)
        if part is not None:
            present = module_names(f"{_TOOLS}.{package}")
            return package, [name for name in present if name in part]
    raise BadInput(
        f"There is no tool set {set_name!r}.",
        suggested_action=f"Use one of: {', '.join(toolset_names())}.",
    )


def _parts(package: str) -> dict[str, tuple[str, ...]]:
    """The named parts of a set, with the names of their tools."""
    module = import_module(f"{_TOOLS}.{package}")
    parts: dict[str, tuple[str, ...]] = getattr(module, "PARTS", {})
    return parts


def _sort_names(package: str, names: list[str]) -> list[str]:
    """The names in the order that the package gives, then the others by the alphabet."""
    module = import_module(f"{_TOOLS}.{package}")
    order: tuple[str, ...] = getattr(module, "ORDER", ())
    rank = {name: place for place, name in enumerate(order)}
    return sorted(names, key=lambda name: (rank.get(name, len(rank)), name))


def _order_tool_keys(tool: Mapping[str, Any]) -> dict[str, Any]:
    """A tool of the list with its keys in the order in which people write them."""
    fields = dict(tool)
    for key in ("inputSchema", "outputSchema"):
        if key in fields:
            fields[key] = _put_first(fields[key], _SCHEMA_KEYS)
    return _put_first(fields, _TOOL_KEYS)


def _put_first(values: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    """The same values with these keys before all others."""
    ordered = {key: values[key] for key in keys if key in values}
    ordered.update(values)
    return ordered
