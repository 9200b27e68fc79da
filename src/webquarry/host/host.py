"""The tool host: all tools of this machine, listed for vendors and run.

host = webquarry.ToolHost.discover()
tools = host.for_anthropic()
answer = await host.run("weather", {"city": "Oslo"})
messages += await host.anthropic_results(message)
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from webquarry.errors import BadInput, Refused, WebquarryError
from webquarry.host.calls import answer_anthropic, answer_chat, answer_gemini, answer_responses
from webquarry.host.discovery import discover, log_skipped
from webquarry.host.models import HostedTool, JsonObject, Skipped
from webquarry.host.options import escape_unprintable, name_forms, remember_secrets
from webquarry.host.run import run_tool
from webquarry.host.trust import TrustStore
from webquarry.host.vendors import (
    ALL_RULES,
    alias,
    restore,
    to_anthropic,
    to_chat,
    to_gemini,
    to_mcp,
    to_responses,
)
from webquarry.pages.outgoing import filter_error, filter_value
from webquarry.settings import Settings


class ToolHost:
    """The tools of this machine. `skipped` are files that cannot be served."""

    def __init__(
        self,
        tools: Sequence[HostedTool],
        skipped: Sequence[Skipped],
        settings: Settings,
        environ: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._environ = dict(environ)
        self._trust = TrustStore.of(environ)
        self.tools = list(tools)
        self.skipped = list(skipped)
        self._by_name: dict[str, HostedTool] = {}
        for tool in self.tools:
            for rules in ALL_RULES:
                self._by_name[alias(tool.name, rules.tool)] = tool
        self._by_name |= {tool.name: tool for tool in self.tools}  # before aliases of others

    @classmethod
    def discover(
        cls,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        names: Sequence[str] = (),
    ) -> ToolHost:
        """Find all tools, or those of these names. Works in a running event loop, too."""
        work = cls.adiscover(settings, environ, names)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        with ThreadPoolExecutor(1, "webquarry-discovery") as executor:
            return executor.submit(asyncio.run, work).result()

    @classmethod
    async def adiscover(
        cls,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        names: Sequence[str] = (),
        log_skips: bool = True,
    ) -> ToolHost:
        """Find all tools, or those of these names, and log the skipped files if `log_skips`."""
        if environ is None:
            environ = os.environ
        environ = dict(environ)
        if settings is None:
            settings = Settings.from_environment(environ)
        remember_secrets(environ)
        tools, skipped = await discover(settings, environ, names)
        if log_skips:
            log_skipped(skipped)
        return cls(tools, skipped, settings, environ)

    def get(self, name: str) -> HostedTool:
        """Return a tool by its name or an alias of a vendor. Raises BadInput."""
        tool = self._by_name.get(name)
        if tool is not None:
            return tool
        shown_name = escape_unprintable(name)
        for one in self.skipped:
            if _is_meant(one, name):
                path = escape_unprintable(str(one.path))
                raise BadInput(
                    f"The tool {shown_name} is not served: {one.reason}.",
                    suggested_action=f"Correct {path} and call again.",
                )
        known = ", ".join(one.name for one in self.tools) or "none"
        raise BadInput(
            f"There is no tool {shown_name!r}.",
            suggested_action=f"Use one of: {known}.",
        )

    def log_skips(self, besides: str) -> None:
        """Log the skipped files, except one of the name `besides`, which `get` reports."""
        log_skipped(one for one in self.skipped if not _is_meant(one, besides))

    def only(self, names: Sequence[str]) -> ToolHost:
        """Return a host of these tools only; of all without names."""
        tools = self.tools
        if names:
            chosen = {self.get(name).name for name in names}
            tools = [tool for tool in self.tools if tool.name in chosen]
        return ToolHost(tools, self.skipped, self._settings, self._environ)

    async def run(self, name: str, arguments: Mapping[str, Any]) -> JsonObject:
        """Run a tool. The arguments have its own parameter names or those of an export. Raises
        WebquarryError.
        """
        tool = self.get(name)
        if tool.origin == "project":
            distrust = await asyncio.to_thread(self._trust.explain_distrust, tool.path.parent)
            if distrust:
                raise Refused(
                    f"The tool {tool.name} was not run: {distrust}.",
                    suggested_action="Run `webquarry tools trust`.",
                )
        own_arguments = restore(arguments, tool.parameters)
        try:
            answer = await run_tool(tool, own_arguments, self._settings, self._environ)
        except WebquarryError as error:
            filter_error(error)
            raise
        filtered: JsonObject = filter_value(answer)
        return filtered

    def for_anthropic(self) -> list[JsonObject]:
        """Return the tools for Anthropic's Messages API."""
        return [to_anthropic(tool.schema) for tool in self.tools]

    def for_openai(self, strict: bool = False) -> list[JsonObject]:
        """Return the tools for OpenAI's Responses API."""
        return [to_responses(tool.schema, strict) for tool in self.tools]

    def for_openai_chat(self, strict: bool = False) -> list[JsonObject]:
        """Return the tools for OpenAI's Chat Completions API."""
        return [to_chat(tool.schema, strict) for tool in self.tools]

    def for_gemini(self) -> list[JsonObject]:
        """Return the tools for Gemini's generateContent."""
        return [to_gemini([tool.schema for tool in self.tools])] if self.tools else []

    def for_mcp(self) -> list[JsonObject]:
        """Return the tools as an MCP server lists them."""
        return [to_mcp(tool.schema) for tool in self.tools]

    async def anthropic_results(self, message: Any) -> list[JsonObject]:
        """Run the tool calls of a message of Claude; return the messages to append."""
        return await answer_anthropic(message, self.run)

    async def openai_results(self, response: Any) -> list[JsonObject]:
        """Run the function calls of a response; return the input items to append."""
        return await answer_responses(response, self.run)

    async def openai_chat_results(self, completion: Any) -> list[JsonObject]:
        """Run the tool calls of a completion; return the messages to append."""
        return await answer_chat(completion, self.run)

    async def gemini_results(self, response: Any) -> list[JsonObject]:
        """Run the function calls of a response; return the contents to append."""
        return await answer_gemini(response, self.run)


def _is_meant(skipped: Skipped, name: str) -> bool:
    """Return whether a name denotes a skipped file."""
    return name == skipped.name or name in name_forms(skipped.path)
