"""Tools: typed async functions whose signatures are the schemas of every interface.

    @tool
    async def web_fetch(
        kit: Toolkit, url: Annotated[str, Meta(description="...")], ...
    ) -> WebFetchAnswer: ...

A tool set is a package below `webquarry.tools`, a tool is a module of the same name in it. Invalid
arguments raise `BadInput`. The results of a tool that
takes `sessionId` are recorded in that research session (`sessions/recording.py`).
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints, overload

import msgspec

from webquarry.displayable import Displayable
from webquarry.errors import BadInput, WebquarryError
from webquarry.evidence.models import AnswerPart
from webquarry.pages.outgoing import filter_answer, filter_error, filter_value
from webquarry.sessions.recording import record_call
from webquarry.tool_arguments import read_arguments, read_strict_arguments
from webquarry.tool_schema import Schema, build_schema, check_arguments, list_schema

if TYPE_CHECKING:
    from webquarry.sessions.models import KeptQuote, Source
    from webquarry.toolkit import Toolkit

_PUBLIC = ("as_dict", "as_markdown", "meta", "model_dump", "write")  # methods of answers
SESSION = "sessionId"  # the parameter that names a research session


class Answer(Displayable, AnswerPart, kw_only=True, dict=True):
    """The result of a tool.

    `beside` has values that are not serialized: metadata about freshness and routing, sources to
    record, failures.
    """

    def __dir__(self) -> list[str]:
        """List the fields and the methods for users; the others are for interfaces."""
        return sorted({*self.__struct_fields__, *_PUBLIC})

    may_be_large: ClassVar[bool] = False  # an interface may return a link instead
    text_is_for_people: ClassVar[bool] = False  # the text next to the data is Markdown

    def is_linkable(self) -> bool:
        """Whether an interface may return a link to this answer if it is large."""
        return self.may_be_large

    def how_to_read_on(self) -> str:
        """How to get the rest of a truncated answer."""
        return "Call the tool again and ask for less at once."

    def sources(self) -> list[Source]:
        """Sources that a research session records."""
        return []

    def quotes_to_keep(self) -> list[KeptQuote]:
        """Checked quotes that a research session records."""
        return []

    def failures(self) -> list[WebquarryError]:
        """Errors of parts of this answer, which a research session counts."""
        return []

    def add_meta(self, **meta: Any) -> Self:
        """Add metadata: `cache=...` becomes `webquarry/cache`."""
        self.meta.update({f"webquarry/{name}": value for name, value in meta.items()})
        return self

    @property
    def beside(self) -> dict[str, Any]:
        """Values that travel with the answer and are not serialized."""
        beside: dict[str, Any] = self.__dict__.setdefault("_beside", {})
        return beside

    @property
    def meta(self) -> dict[str, Any]:
        """Metadata of the answer."""
        meta: dict[str, Any] = self.beside.setdefault("meta", {})
        return meta

    def set_meta(self, meta: dict[str, Any]) -> None:
        """Replace the metadata."""
        self.beside["meta"] = meta

    def write(self) -> str:
        """Return the answer as compact JSON."""
        return self.write_bytes().decode()

    def write_bytes(self) -> bytes:
        """Return the answer as compact JSON in UTF-8."""
        try:
            return msgspec.json.encode(self)
        except ValueError:  # a lone surrogate has no form in UTF-8, so it is escaped
            return json.dumps(self.as_dict(), separators=(",", ":")).encode()

    def as_markdown(self) -> str | None:
        """Return the answer as Markdown for a model; None to use the generic form."""
        return None


class TextAnswer(Answer, kw_only=True):
    """An answer that is plain text; interfaces return the text only."""

    text: str

    def write(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tool:
    """A tool function with the models of its arguments and its answer."""

    function: Callable[..., Awaitable[Answer]]
    read_only: bool = True  # no effect on later calls
    idempotent: bool = True  # calling twice has the same effect as once
    open_world: bool = True  # accesses the web
    recorded: bool = True  # with a `sessionId`, results are recorded in that session
    app: str | None = None  # URI of the MCP app that shows its answer
    strict: bool = False  # arguments must have the exact names and types

    @property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """The docstring as one line."""
        docstring = inspect.getdoc(self.function) or ""
        return " ".join(docstring.split())

    @cached_property
    def schema(self) -> Schema:
        """JSON Schema of the arguments with all limits, built from the signature."""
        properties = {}
        required = []
        for name, hint in self._hints.items():
            properties[name] = build_schema(hint)
            if name not in self._defaults:
                required.append(name)
        return {"type": "object", "properties": properties, "required": required}

    @cached_property
    def _hints(self) -> dict[str, Any]:
        """Types of the arguments, without the toolkit."""
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hints[name] for name in list(inspect.signature(self.function).parameters)[1:]}

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        """Default values of the optional arguments."""
        parameters = inspect.signature(self.function).parameters.values()
        return {one.name: one.default for one in parameters if one.default is not one.empty}

    @cached_property
    def answer(self) -> type[Answer]:
        """Model of the answer."""
        answer: type[Answer] = get_type_hints(self.function)["return"]
        return answer

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments as it is listed: without those that have no description."""
        properties = {}
        for name, part in self.schema["properties"].items():
            if "description" not in part:
                continue
            default = self._defaults.get(name)
            if default is not None:
                part = {**part, "default": default}
            properties[name] = list_schema(part)
        return {**self.schema, "properties": properties}

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Read the arguments, validate them and add the defaults; null is the same as absent."""
        return self._read(arguments)[0]

    def _read(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """The same, with a note for each argument that was changed."""
        notes: list[str] = []
        if self.strict:
            given = read_strict_arguments(arguments)
        else:
            given, notes = read_arguments(arguments, self.schema)
        problems = check_arguments(given, self.schema)
        if problems:
            raise BadInput(problems)
        return self._defaults | given, notes

    async def call_and_log(self, kit: Toolkit, arguments: Mapping[str, Any]) -> Answer:
        """Call the tool and add the call to the log of calls."""
        with kit.calls.watch(self.name, arguments) as call:
            answer = await self.call(kit, arguments)
            call.answer = answer
            return answer

    async def call(self, kit: Toolkit, arguments: Mapping[str, Any]) -> Answer:
        """Validate the arguments, run the tool, record the result in a research session if there is
        one, and filter everything that leaves.
        """
        try:
            checked, notes = self._read(arguments)
            session_id = checked.get(SESSION)
            if session_id is not None:
                session_id = session_id.strip() or None  # some models fill in all fields
                checked[SESSION] = session_id
            if session_id is None or not self.recorded:
                answer = await self.function(kit, **checked)
            else:
                answer = await record_call(
                    kit.sessions,
                    session_id,
                    self.name,
                    lambda: self.function(kit, **checked),
                )
        except WebquarryError as error:
            filter_error(error)
            raise
        filter_answer(answer)
        if notes:
            answer.add_meta(notes=notes)
        meta = answer.meta
        filtered = filter_value(meta)
        if filtered is not meta:
            answer.set_meta(filtered)
        return answer


@overload
def tool(function: Callable[..., Awaitable[Answer]], /) -> Tool: ...


@overload
def tool(
    *,
    read_only: bool = True,
    idempotent: bool = True,
    open_world: bool = True,
    recorded: bool = True,
    app: str | None = None,
    strict: bool = False,
) -> Callable[[Callable[..., Awaitable[Answer]]], Tool]: ...


def tool(function: Callable[..., Awaitable[Answer]] | None = None, /, **nature: Any) -> Any:
    """Turn a typed async function whose first parameter is the toolkit into a tool."""
    if function:
        return Tool(function)
    return lambda later: Tool(later, **nature)
