"""Tools: typed async functions whose signatures are the schemas of every interface.

    @tool
    async def web_fetch(
        kit: Toolkit, url: Annotated[str, Field(description="...")], ...
    ) -> WebFetchAnswer: ...

A tool set is a package below `webquarry.tools`, a tool is a module of the same name in it. Invalid
arguments raise `BadInput`, so that interfaces do not depend on pydantic. The results of a tool that
takes `sessionId` are recorded in that research session (`sessions/recording.py`).
"""

from __future__ import annotations

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
from webquarry.reprs.displayable import Displayable
from webquarry.sessions.recording import record_call

if TYPE_CHECKING:
    from webquarry.sessions.models import KeptQuote
    from webquarry.sessions.source import Source
    from webquarry.toolkit import Toolkit

SESSION = "sessionId"  # the parameter that names a research session

_MOST_PROBLEMS = 5  # in an error message
# The order of keywords in generated schemas.
_KEYWORDS = (
    "type", "format", "enum", "items", "properties", "required", "description", "default",
    "minLength", "maxLength", "minItems", "maxItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
)  # fmt: skip


class Answer(Displayable, BaseModel):
    """The result of a tool. Freshness and routing are in `meta`, not in the content."""

    model_config = ConfigDict(defer_build=True)

    notebook_view: ClassVar[str] = "answer"  # module of the notebook view
    may_be_large: ClassVar[bool] = False  # an interface may return a link instead
    text_is_for_people: ClassVar[bool] = False  # the text beside the data is Markdown

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
    def meta(self) -> dict[str, Any]:
        """Metadata of the answer."""
        meta: dict[str, Any] = self._private.setdefault("_meta", {})
        return meta

    def set_meta(self, meta: dict[str, Any]) -> None:
        """Replace the metadata."""
        self._private["_meta"] = meta

    @property
    def _private(self) -> dict[str, Any]:
        """Private attributes. Faster than `PrivateAttr` of pydantic."""
        private = self.__pydantic_private__
        if private is None:
            private = {}
            object.__setattr__(self, "__pydantic_private__", private)
        return private

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as JSON values, without unknown fields."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def write(self) -> str:
        """Return the answer as compact JSON."""
        return self.write_bytes().decode()

    def write_bytes(self) -> bytes:
        """Return the answer as compact JSON in UTF-8."""
        try:
            return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_none=True)
        except ValueError:  # a lone surrogate has no form in UTF-8, so it is escaped
            return json.dumps(self.as_dict(), separators=(",", ":")).encode()

    def as_markdown(self) -> str | None:
        """Return the answer as Markdown for a model; None to use the generic form."""
        return None


class TextAnswer(Answer):
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

    @property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        """The docstring as one line."""
        docstring = inspect.getdoc(self.function) or ""
        return " ".join(docstring.split())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """Model of the arguments, built from the signature without the toolkit."""
        hints = get_type_hints(self.function, include_extras=True)
        _toolkit, *parameters = inspect.signature(self.function).parameters.values()
        fields: dict[str, Any] = {}
        for parameter in parameters:
            default = parameter.default
            if default is parameter.empty:
                default = ...  # required field in pydantic
            fields[parameter.name] = (hints[parameter.name], default)
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def answer(self) -> type[Answer]:
        """Model of the answer."""
        answer: type[Answer] = get_type_hints(self.function)["return"]
        return answer

    def build_models(self) -> None:
        """Build the models, which are otherwise built on first use."""
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

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Validate the arguments; null is the same as absent."""
        given: dict[str, Any] = {}
        for name, value in arguments.items():
            if isinstance(value, float) and value.is_integer():
                given[name] = int(value)  # JSON has one number type
            elif value is not None:
                given[name] = value
        try:
            model = self.arguments.model_validate(given)
        except ValidationError as error:
            problems = _describe_problems(error, self.arguments.model_fields, given)
            raise BadInput(problems) from None  # the cause contains the values
        return dict(model.__dict__)

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
            checked = self.check(arguments)
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
    """Turn a typed async function whose first parameter is the toolkit into a tool."""
    if function:
        return Tool(function)
    return lambda later: Tool(later, **nature)


def _simplify_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Remove what pydantic adds and order the keywords."""
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


def _describe_problems(
    error: ValidationError, known: Mapping[str, FieldInfo], arguments: Mapping[str, Any]
) -> str:
    """Return a sentence per problem that names the field but not the value."""
    sentences: list[str] = []
    # a field of a union type has a problem for each of its types
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
    """Return the path of a field as in the arguments, without the types of a union."""
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
