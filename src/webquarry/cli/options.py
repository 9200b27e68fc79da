"""Commands of tools, whose options are the parameters of the tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from webquarry.cli.output import Output, command_output, json_option, pager_option
from webquarry.errors import BadInput, WebquarryError

if TYPE_CHECKING:
    from webquarry.tool import Answer


# Flags that have the same name in every command.
_FLAGS = {"sessionId": "session", "citation_style": "style", "num_results": "limit"}


class ToolCommand(click.Command):
    """A command that calls a research tool: an option for each parameter of its schema.

    `only` limits the parameters, `fixed` are arguments of every call, `params` further options.
    `show` prints the answer, `fail` details of an error.
    """

    def __init__(
        self,
        tool: str,
        argument: click.Argument,
        show: Callable[[Output, Answer, Mapping[str, Any]], None],
        *,
        progress: str,
        fail: Callable[[Output, WebquarryError, Mapping[str, Any]], None] | None = None,
        only: Iterable[str] | None = None,
        fixed: Mapping[str, Any] | None = None,
        params: Iterable[click.Parameter] = (),
        **attributes: Any,
    ) -> None:
        schema = _load_schema(tool)
        own = list(params)
        taken = {str(argument.name), *(str(param.name) for param in own)}
        for name, part in schema.items():
            if name not in taken and (only is None or name in only):
                flag = _FLAGS.get(name, name.replace("_", "-"))
                own.append(_build_option(name, flag, part))
        super().__init__(None, params=[argument, *own], callback=self._run, **attributes)
        for option in (pager_option, json_option):
            option(self)
        self.tool = tool
        self._parameters = list(schema)
        self._fixed = dict(fixed or {})
        self._show = show
        self._fail = fail
        self._progress = progress

    def build_arguments(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the tool for parsed options."""
        arguments = {name: options.get(name) or None for name in self._parameters}
        if options.get("query"):
            query = " ".join(options["query"])
            if not query.strip():
                raise BadInput("The query is blank.", suggested_action="Say what to search for.")
            arguments["query"] = query
        return arguments | self._fixed

    def call(self, arguments: Mapping[str, Any]) -> Answer:
        """Call the tool."""
        from webquarry.api import call_with

        return call_with(self.tool, arguments, "research", "fork")

    def _run(self, pager: bool, as_json: bool | None, **options: Any) -> None:
        with command_output(as_json) as output:
            arguments = self.build_arguments(options)
            try:
                with output.show_progress(self._progress):
                    answer = self.call(arguments)
            except WebquarryError as error:
                if self._fail is not None:
                    self._fail(output, error, options)
                raise
            self._show(output, answer, {**options, "pager": pager})


def _load_schema(tool: str) -> dict[str, Any]:
    """The parameters of a research tool, from the generated list."""
    from webquarry.mcp.listing import load_listing

    for described in load_listing("research").lists["tools"]:
        if described["name"] == tool:
            properties: dict[str, Any] = described["inputSchema"]["properties"]
            return properties
    raise LookupError(tool)


def _build_option(name: str, flag: str, schema: Mapping[str, Any]) -> click.Option:
    """Build the option of a parameter."""
    flags = [f"--{flag}", name]
    if name == "num_results":
        flags.insert(0, "-n")
    attributes: dict[str, Any] = {"help": schema["description"], "default": schema.get("default")}
    attributes["show_default"] = "default" in schema
    match schema:
        case {"type": "boolean"}:
            attributes |= {"is_flag": True, "default": False}
        case {"enum": choices}:
            attributes["type"] = click.Choice(choices)
        case {"type": "integer"}:
            attributes["type"] = click.IntRange(schema.get("minimum"), schema.get("maximum"))
    return click.Option(flags, **attributes)
