"""The tool host: every tool on this machine, ours and theirs, behind one object.

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
from dataclasses import replace
from typing import Any

from webquarry.errors import BadInput, Refused, WebquarryError
from webquarry.host.arguments import coerce
from webquarry.host.discovery import Discovery, discover, log_skipped
from webquarry.host.environment import escape_unprintable, remember_secrets
from webquarry.host.loops.anthropic import answer_anthropic
from webquarry.host.loops.gemini import answer_gemini
from webquarry.host.loops.openai import answer_chat, answer_responses
from webquarry.host.models import HostedTool, JsonObject, Skipped
from webquarry.host.options.options import name_forms
from webquarry.host.runner import run_tool
from webquarry.host.translation.anthropic import to_anthropic
from webquarry.host.translation.gemini import Form, to_gemini
from webquarry.host.translation.mcp import to_mcp
from webquarry.host.translation.naming import (
    EVERYBODY,
    NameRules,
    alias,
    restore,
    restore_any,
)
from webquarry.host.translation.openai import to_chat, to_responses
from webquarry.host.trust.store import TrustStore
from webquarry.pages.outgoing import filter_error, filter_value
from webquarry.settings import Settings


class ToolHost:
    """The tools that were found, in every vendor's form, and the means to run them."""

    def __init__(
        self, discovery: Discovery, settings: Settings, environ: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._environ = dict(environ)
        self._trust = TrustStore.of(environ)
        self.tools: list[HostedTool] = list(discovery.tools)
        self.skipped: list[Skipped] = list(discovery.skipped)
        self._by_name: dict[str, HostedTool] = {}
        for tool in self.tools:
            for rules in EVERYBODY:
                self._by_name[alias(tool.name, rules.tool)] = tool
        for tool in self.tools:  # a name of its own counts for more than another's alias
            self._by_name[tool.name] = tool

    @classmethod
    def discover(
        cls,
        settings: Settings | None = None,
        environ: Mapping[str, str] | None = None,
        names: Sequence[str] = (),
    ) -> ToolHost:
        """Look for tools and ask each what it is, or only those of these names; also works where a
        loop is already running.
        """
        work = cls.adiscover(settings, environ, names)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(work)
        # This thread's loop cannot be waited for, so another thread runs one.
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
        """The same, for async code; without `log_skips` what was passed over is not logged."""
        if environ is None:
            environ = os.environ
        environ = dict(environ)
        if settings is None:
            settings = Settings.from_environment(environ)
        remember_secrets(environ)
        discovery = await discover(settings, environ, names)
        if log_skips:
            log_skipped(discovery.skipped)
        return cls(discovery, settings, environ)

    def get(self, name: str) -> HostedTool:
        """A tool by its name, or by the alias that a vendor was given for it."""
        tool = self._by_name.get(name)
        if tool is not None:
            return tool
        shown_name = escape_unprintable(name)
        for one in self.skipped:
            if _is_meant(one, name):
                path = escape_unprintable(str(one.path))
                raise BadInput(
                    f"The tool {shown_name} is not served: {one.reason}.",
                    suggested_action=f"Look at {path}, mend it and call again.",
                )
        known = ", ".join(one.name for one in self.tools) or "none"
        raise BadInput(
            f"There is no tool {shown_name!r}.",
            suggested_action=f"Use one of: {known}.",
        )

    def log_skips(self, besides: str) -> None:
        """Log what was passed over, but for a tool of this name, of which `get` tells."""
        log_skipped(one for one in self.skipped if not _is_meant(one, besides))

    def only(self, names: Sequence[str]) -> ToolHost:
        """A host of these tools alone; without names, of all."""
        tools = self.tools
        if names:
            chosen = {self.get(name).name for name in names}
            tools = [tool for tool in self.tools if tool.name in chosen]
        discovery = Discovery(tuple(tools), tuple(self.skipped))
        return ToolHost(discovery, self._settings, self._environ)

    async def run(self, name: str, arguments: Mapping[str, Any]) -> JsonObject:
        """Run a tool with these arguments, under its own names or those of any export, which are
        checked against its schema first.
        """
        tool = self.get(name)
        tool = await self._verify(tool)
        own_arguments = restore_any(arguments, tool.parameters)
        try:
            answer = await run_tool(tool, own_arguments, self._settings, self._environ)
        except WebquarryError as error:
            filter_error(error)
            raise
        filtered: JsonObject = filter_value(answer)
        return filtered

    def for_anthropic(self, strict: bool = False) -> list[JsonObject]:
        """`tools` of Anthropic's Messages API."""
        return [to_anthropic(tool.schema, strict) for tool in self.tools]

    def for_openai(self, strict: bool = False) -> list[JsonObject]:
        """`tools` of OpenAI's Responses API."""
        return [to_responses(tool.schema, strict) for tool in self.tools]

    def for_openai_chat(self, strict: bool = False) -> list[JsonObject]:
        """`tools` of OpenAI's Chat Completions API."""
        return [to_chat(tool.schema, strict) for tool in self.tools]

    def for_gemini(self, form: Form = "json_schema") -> list[JsonObject]:
        """`tools` of Gemini's generateContent."""
        if form not in ("json_schema", "legacy"):
            raise BadInput(
                f"Gemini has no form {form!r}.", suggested_action="Use json_schema or legacy."
            )
        if self.tools:
            return [to_gemini([tool.schema for tool in self.tools], form)]
        return []

    def for_mcp(self) -> list[JsonObject]:
        """The tools as an MCP server lists them."""
        return [to_mcp(tool.schema) for tool in self.tools]

    async def anthropic_results(self, message: Any) -> list[JsonObject]:
        """The message that answers all tool calls of Claude's message; nothing when there are
        none.
        """
        return await answer_anthropic(message, self._run_call)

    async def openai_results(self, response: Any) -> list[JsonObject]:
        """The input items that answer all function calls of a response; nothing when there are
        none.
        """
        return await answer_responses(response, self._run_call)

    async def openai_chat_results(self, completion: Any) -> list[JsonObject]:
        """The messages that answer all tool calls of a completion; nothing when there are none."""
        return await answer_chat(completion, self._run_call)

    async def gemini_results(self, response: Any) -> list[JsonObject]:
        """The content that answers all function calls of a response; nothing when there are
        none.
        """
        return await answer_gemini(response, self._run_call)

    async def _run_call(self, name: str, arguments: Any, rules: NameRules) -> JsonObject:
        """Run what a model asked for: in the tool's own names, and in its types where a text says
        it unmistakably.
        """
        tool = self.get(name)
        by_own_names = restore(arguments, tool.parameters, rules)
        own_arguments = coerce(by_own_names, tool.parameters)
        return await self.run(tool.name, own_arguments)

    async def _verify(self, tool: HostedTool) -> HostedTool:
        """The tool with the bytes that are run: a project's folder may have changed since the tools
        were looked for.
        """
        if tool.origin != "project":
            return tool
        judged = await asyncio.to_thread(self._trust.judge, tool.path.parent)
        if judged.copy is None:
            raise Refused(
                f"The tool {tool.name} was not run: {judged.distrust}.",
                suggested_action="Run `webquarry tools trust`.",
            )
        copy = judged.copy / tool.path.name
        return replace(tool, executable=replace(tool.executable, copy=copy))


def _is_meant(skipped: Skipped, name: str) -> bool:
    """Does this name mean the file that was passed over?"""
    return name == skipped.name or name in name_forms(skipped.path)
