"""What a tool is: a typed async function; its signature is the schema behind every door.

    @tool
    async def web_fetch(
        kit: Toolkit, url: Annotated[str, Field(description="...")], ...
    ) -> WebFetchAnswer: ...

A tool set is a package below `webquarry.tools`, a tool one module in it, named as the tool.
Arguments that do not fit become `BadInput` here, so no door has to know pydantic.

A tool that takes `sessionId` works for a research session: what it finds is recorded there
(`sessions/recording.py`).
"""

from __future__ import annotations

import importlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic.fields import FieldInfo

from webquarry.errors import BadInput, WebquarryError
from webquarry.pages.outgoing import filter_answer, filter_error, filter_value
from webquarry.registry import module_names
from webquarry.reprs.displayable import Displayable
from webquarry.sessions.recording import record_call

if TYPE_CHECKING:
    from webquarry.sessions.models import KeptQuote
    from webquarry.sessions.source import Source
    from webquarry.toolkit import Toolkit

SESSION = "sessionId"  # the parameter that names a research session

_MOST_PROBLEMS = 5  # that are told of; a list may hold thousands of things that do not fit
# The order in which a schema's keywords are written, so that generated text is stable and reads
# well.
_KEYWORDS = (
    "type", "format", "enum", "items", "properties", "required", "description", "default",
    "minLength", "maxLength", "minItems", "maxItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
)  # fmt: skip


class Answer(Displayable, BaseModel):
    """What a tool gives back. What travels beside it (freshness, routing) is in `meta`, never in
    the content.
    """

    model_config = ConfigDict(defer_build=True)  # when it is first made

    notebook_view: ClassVar[str] = "answer"  # how a notebook shows it
    may_be_large: ClassVar[bool] = False  # a door may then hand out a link to it instead
    text_is_for_people: ClassVar[bool] = False  # the text beside its data is Markdown

    def is_linkable(self) -> bool:
        """Whether this answer, if it is large, may be linked to."""
        return self.may_be_large

    def how_to_read_on(self) -> str:
        """Where only the beginning is shown: how to get the rest with a tool."""
        return "Call the tool again and ask for less at once."

    def sources(self) -> list[Source]:
        """What a research session keeps of this answer."""
        return []

    def quotes_to_keep(self) -> list[KeptQuote]:
        """The quotes that were checked, which a research session keeps with its sources."""
        return []

    def failures(self) -> list[WebquarryError]:
        """What went wrong on the way to this answer; a research session counts it with the errors
        of tools.
        """
        return []

    def add_meta(self, **meta: Any) -> Self:
        """Put something beside the answer, under the name of our own: `cache=...` becomes
        `webquarry/cache`.
        """
        beside = self.meta
        for name, value in meta.items():
            beside[f"webquarry/{name}"] = value
        return self

    @property
    def meta(self) -> dict[str, Any]:
        """What travels beside the answer."""
        meta: dict[str, Any] = self._private.setdefault("_meta", {})
        return meta

    def set_meta(self, meta: dict[str, Any]) -> None:
        """Let this travel beside the answer, and nothing else."""
        self._private["_meta"] = meta

    @property
    def _private(self) -> dict[str, Any]:
        """What is no part of the answer, where pydantic keeps such things: to have it made there
        for every answer, and to ask for it, takes ten times as long.
        """
        private = self.__pydantic_private__
        if private is None:
            private = {}
            object.__setattr__(self, "__pydantic_private__", private)
        return private

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON has it; what is not known is absent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def write(self) -> str:
        """The answer as doors write it: JSON in its shortest form."""
        return self.write_bytes().decode("utf-8", "surrogatepass")

    def write_bytes(self) -> bytes:
        """The same in UTF-8."""
        try:
            return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_none=True)
        except ValueError:  # half a surrogate pair, which is not written in UTF-8
            text = json.dumps(self.as_dict(), ensure_ascii=False, separators=(",", ":"))
            return text.encode("utf-8", "surrogatepass")

    def as_markdown(self) -> str | None:
        """The answer as a text for a model to read; None where its shape says enough."""
        return None


class TextAnswer(Answer):
    """An answer that is a text to be read, not data: a door that shows text shows nothing but the
    text.
    """

    text: str

    def write(self) -> str:
        return self.text


@dataclass(frozen=True)
class Tool:
    """A function and the models that its signature describes."""

    function: Callable[..., Awaitable[Answer]]
    read_only: bool = True  # changes nothing that a later call could notice
    idempotent: bool = True  # twice is the same as once
    open_world: bool = True  # goes to the web
    recorded: bool = True  # with a `sessionId`, what it finds is recorded in that session
    app: str | None = None  # the resource with which clients that show apps show its answer

    @property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """The docstring in one line."""
        docstring = inspect.getdoc(self.function) or ""
        return " ".join(docstring.split())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of what the tool takes, made from its signature without the toolkit."""
        hints = get_type_hints(self.function, include_extras=True)
        _toolkit, *parameters = inspect.signature(self.function).parameters.values()
        fields: dict[str, Any] = {}
        for parameter in parameters:
            default = parameter.default
            if default is parameter.empty:
                default = ...  # as pydantic says that a field is required
            fields[parameter.name] = (hints[parameter.name], default)
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def answer(self) -> type[Answer]:
        """The model of what the tool gives back."""
        answer: type[Answer] = get_type_hints(self.function)["return"]
        return answer

    def build_models(self) -> None:
        """Build the models of arguments and answer, which would be built at their first use."""
        self.arguments.model_rebuild()
        self.answer.model_rebuild()

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments: flat, without titles, null branches or references."""
        schema = _simplify_schema(self.arguments.model_json_schema())
        return {
            "type": "object",
            "properties": schema.get("properties", {}),
            "required": schema.get("required", []),
        }

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the answer, as it is on the wire: what is not known is absent there, never
        null.
        """
        schema = self.answer.model_json_schema(mode="serialization", by_alias=True)
        return _drop_noise(schema)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them; an explicit null is the same as absent."""
        given: dict[str, Any] = {}
        for name, value in arguments.items():
            if isinstance(value, float) and value.is_integer():
                given[name] = int(value)  # JSON has one kind of number: 5.0 is the whole number 5
            elif value is not None:
                given[name] = value
        try:
            model = self.arguments.model_validate(given)
        except ValidationError as error:
            problems = _describe_problems(error, self.arguments.model_fields, given)
            raise BadInput(problems) from None  # the cause repeats the values
        return dict(model.__dict__)

    async def call_and_log(self, kit: Toolkit, arguments: Mapping[str, Any]) -> Answer:
        """`call` for a door: the call is put in the log of calls, too."""
        with kit.calls.watch(self.name, arguments) as call:
            answer = await self.call(kit, arguments)
            call.answer = answer
            return answer

    async def call(self, kit: Toolkit, arguments: Mapping[str, Any]) -> Answer:
        """Check the arguments and run the tool; for a research session, record what came of it.

        Whatever leaves, leaves here, and is filtered.
        """
        try:
            checked = self.check(arguments)
            session_id = checked.get(SESSION)
            if session_id is not None:
                session_id = session_id.strip() or None  # some models fill in every field
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
) -> Callable[[Callable[..., Awaitable[Answer]]], Tool]: ...


def tool(function: Callable[..., Awaitable[Answer]] | None = None, /, **nature: Any) -> Any:
    """Make a tool of a typed async function whose first parameter is the toolkit;
    `@tool(read_only=False)` says what it is besides.
    """
    if function:
        return Tool(function)
    return lambda later: Tool(later, **nature)


def load(toolset: str, name: str) -> Tool:
    """One tool, importing its module and no other."""
    package = f"webquarry.tools.{toolset}"
    names = module_names(package)
    if name not in names:
        known = ", ".join(names)
        raise BadInput(
            f"There is no tool {name!r} in the tool set {toolset!r}.",
            suggested_action=f"Use one of: {known}.",
        )
    module = importlib.import_module(f"{package}.{name}")
    loaded: Tool = getattr(module, name)
    return loaded


def toolset(name: str) -> list[Tool]:
    """Every tool of a set, sorted by name."""
    toolsets = module_names("webquarry.tools")
    if name not in toolsets:
        known = ", ".join(toolsets)
        raise BadInput(f"There is no tool set {name!r}.", suggested_action=f"Use one of: {known}.")
    return [load(name, member) for member in module_names(f"webquarry.tools.{name}")]


def _simplify_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Take out what pydantic adds and nobody needs, and put the keywords in order."""
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        schema = {**options[0], **schema}
    kept: dict[str, Any] = {}
    for keyword in _KEYWORDS:
        if keyword not in schema:
            continue
        value = schema[keyword]
        if keyword == "default" and value is None:
            continue
        if keyword == "items":
            value = _simplify_schema(value)
        elif keyword == "properties":
            value = {name: _simplify_schema(part) for name, part in value.items()}
        kept[keyword] = value
    return kept


def _drop_noise(schema: dict[str, Any]) -> dict[str, Any]:
    """The same schema without titles that repeat names, null branches and null defaults."""
    options = schema.get("anyOf", [])
    present = [option for option in options if option.get("type") != "null"]
    schema = {name: value for name, value in schema.items() if name != "title"}
    if len(present) < len(options):
        del schema["anyOf"]
        if len(present) == 1:
            schema = {**present[0], **schema}
            schema.pop("title", None)
        else:
            schema["anyOf"] = present
    if "default" in schema and schema["default"] is None:
        del schema["default"]
    for keyword in ("properties", "$defs"):
        if keyword in schema:
            parts = schema[keyword].items()
            schema[keyword] = {name: _drop_noise(part) for name, part in parts}
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            schema[keyword] = _drop_noise(schema[keyword])
    for keyword in ("anyOf", "allOf", "oneOf", "prefixItems"):
        if keyword in schema:
            schema[keyword] = [_drop_noise(option) for option in schema[keyword]]
    return schema


def _describe_problems(
    error: ValidationError, known: Mapping[str, FieldInfo], arguments: Mapping[str, Any]
) -> str:
    """One sentence per problem, naming the field and never the value."""
    sentences: list[str] = []
    # A field that may be one of several things fits none of them.
    misfits: dict[str, list[str]] = {}
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        place = _locate(problem["loc"], arguments)
        message = problem["msg"]
        if problem["type"] == "missing":
            sentences.append(f"The field {place!r} is missing.")
        elif problem["type"] == "extra_forbidden":
            sentences.append(f"The field {place!r} is unknown; known are: {', '.join(known)}.")
        else:
            misfits.setdefault(place, []).append(message[:1].lower() + message[1:])
    for place, reasons in misfits.items():
        sentences.append(f"The field {place!r} does not fit: {', or '.join(reasons)}.")
    more = len(sentences) - _MOST_PROBLEMS
    if more > 0:
        sentences[_MOST_PROBLEMS:] = [f"There are {more} more such problems."]
    return " ".join(sentences)


def _locate(path: Sequence[str | int], value: Any) -> str:
    """Where a problem is, in the words of whoever gave the value: the types that were tried have
    no place there.
    """
    names: list[str] = []
    for part in path:
        if isinstance(part, int):
            leads_on = isinstance(value, list)
        else:
            leads_on = isinstance(value, Mapping)
        if names and not leads_on:
            break
        names.append(str(part))
        if isinstance(value, Mapping):
            value = value.get(part)
        else:
            value = value[part]
    return ".".join(names)
