"""What a tool is: a typed async function; its signature is the schema behind every door.

    @tool
    async def web_fetch(kit: Toolkit, url: Annotated[str, Field(description="...")], ...) -> WebFetchAnswer: ...

A tool set is a package below `webquarry.tools`, a tool one module in it, named as the tool.
Arguments that do not fit become `BadInput` here, so no door has to know pydantic.

A tool that takes `sessionId` works for a research session: here, and nowhere else, the session is
looked for before anything is spent, and the sources of the answer (`Answer.sources`), wherever it
came from, or the kind of the error are recorded with the session's current step, and so are the
kinds of what an answer had to do without (`Answer.failures`). An answer is not lost to a record
that cannot be written: that is logged, and stands beside the answer as `webquarry/session`.
"""

from __future__ import annotations

import importlib
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, PrivateAttr, ValidationError, create_model
from pydantic.fields import FieldInfo

from webquarry.errors import BadInput, WebquarryError
from webquarry.registry import module_names

if TYPE_CHECKING:
    from webquarry.sessions.models import Source
    from webquarry.toolkit import Toolkit

log = logging.getLogger(__name__)

SESSION = "sessionId"  # the parameter that names a research session

# The order in which a schema's keywords are written, so that generated text is stable and reads
# well.
_MOST_SAID = 5  # problems with arguments; a list may hold thousands of things that do not fit
_KEYWORDS = (
    "type", "format", "enum", "items", "properties", "required", "description", "default",
    "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
)  # fmt: skip


class Answer(BaseModel):
    """What a tool gives back. What travels beside it (freshness, routing) is in `meta`, never in
    the content.
    """

    may_be_large: ClassVar[bool] = False  # a door may then hand out a link to it instead

    _meta: dict[str, Any] = PrivateAttr(default_factory=dict)

    def is_linkable(self) -> bool:
        """Whether this answer, if it is large, may be linked to."""
        return self.may_be_large

    def how_to_read_on(self) -> str:
        """Where only the beginning is shown: how to get the rest with a tool."""
        return "Call the tool again and ask for less at once."

    def sources(self) -> list[Source]:
        """What a research session keeps of this answer."""
        return []

    def failures(self) -> list[WebquarryError]:
        """What went wrong on the way to this answer; a research session counts it with the errors
        of tools.
        """
        return []

    def beside(self, **meta: Any) -> Self:
        """Put something beside the answer, under the name of our own: `cache=...` becomes
        `webquarry/cache`.
        """
        self._meta |= {f"webquarry/{name}": value for name, value in meta.items()}
        return self

    @property
    def meta(self) -> dict[str, Any]:
        return self._meta

    def as_dict(self) -> dict[str, Any]:
        """The answer as JSON has it; what is not known is absent."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class TextAnswer(Answer):
    """An answer that is a text to be read, not data: a door that shows text shows nothing but the
    text.
    """

    text: str


@dataclass(frozen=True)
class Tool:
    """A function and the models that its signature describes."""

    function: Callable[..., Awaitable[Answer]]
    read_only: bool = True  # changes nothing that a later call could notice
    idempotent: bool = True  # twice is the same as once
    open_world: bool = True  # goes to the web
    recorded: bool = True  # with a `sessionId`, what it finds is recorded in that session

    @property
    def name(self) -> str:
        return self.function.__name__

    @cached_property
    def description(self) -> str:
        return " ".join((inspect.getdoc(self.function) or "").split())

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The model of what the tool takes, made from its signature without the toolkit."""
        hints = get_type_hints(self.function, include_extras=True)
        parameters = list(inspect.signature(self.function).parameters.values())[1:]
        fields: dict[str, Any] = {
            parameter.name: (
                hints[parameter.name],
                ... if parameter.default is parameter.empty else parameter.default,
            )
            for parameter in parameters
        }
        return create_model(self.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)

    @cached_property
    def answer(self) -> type[Answer]:
        """The model of what the tool gives back."""
        answer: type[Answer] = get_type_hints(self.function)["return"]
        return answer

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """JSON Schema of the arguments: flat, without titles, null branches or references."""
        schema = _plain(self.arguments.model_json_schema())
        return {
            "type": "object",
            "properties": schema.get("properties", {}),
            "required": schema.get("required", []),
        }

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the answer, as it is on the wire."""
        return self.answer.model_json_schema(mode="serialization", by_alias=True)

    def check(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them; an explicit null is the same as absent."""
        given = {name: _whole(value) for name, value in arguments.items() if value is not None}
        try:
            model = self.arguments.model_validate(given)
        except ValidationError as error:
            raise BadInput(
                _sentence(error, self.arguments.model_fields, given)
            ) from None  # the cause repeats the values
        return {name: getattr(model, name) for name in self.arguments.model_fields}

    async def call(self, kit: Toolkit, arguments: Mapping[str, Any]) -> Answer:
        """Check the arguments and run the tool."""
        checked = self.check(arguments)
        named = checked.get(SESSION)
        if named is not None:
            checked[SESSION] = named = named.strip() or None  # some models fill in every field
        if named is None or not self.recorded:
            return await self.function(kit, **checked)
        return await self._for_session(named, kit, checked)

    async def _for_session(self, id: str, kit: Toolkit, arguments: dict[str, Any]) -> Answer:
        """Run the tool, and record in the session what came of it."""
        session = await kit.sessions.read(id)
        try:
            answer = await self.function(kit, **arguments)
        except Exception as error:
            try:
                await kit.sessions.record_error(session, self.name, error)
            except WebquarryError as failure:
                log.warning(
                    "an error of %s was not recorded in its research session: %s",
                    self.name,
                    failure,
                )
            raise
        about: dict[str, Any] = {"sessionId": id, "stepNumber": session.current.number}
        try:
            about["recorded"] = await kit.sessions.record(session, self.name, answer.sources())
            for partial in answer.failures():
                await kit.sessions.record_error(session, self.name, partial)
        except WebquarryError as failure:
            log.warning(
                "the sources of %s were not recorded in the research session: %s",
                self.name,
                failure,
            )
            about |= {"recorded": 0, "error": failure.as_dict()}
        return answer.beside(session=about)


@overload
def tool(function: Callable[..., Awaitable[Answer]], /) -> Tool: ...


@overload
def tool(
    *,
    read_only: bool = True,
    idempotent: bool = True,
    open_world: bool = True,
    recorded: bool = True,
) -> Callable[[Callable[..., Awaitable[Answer]]], Tool]: ...


def tool(function: Callable[..., Awaitable[Answer]] | None = None, /, **nature: bool) -> Any:
    """Make a tool of a typed async function whose first parameter is the toolkit;
    `@tool(read_only=False)` says what it is besides.
    """
    if function:
        return Tool(function)
    return lambda later: Tool(later, **nature)


def load(toolset: str, name: str) -> Tool:
    """One tool, importing its module and no other."""
    package = f"webquarry.tools.{toolset}"
    if name not in module_names(package):
        known = ", ".join(module_names(package))
        raise BadInput(
            f"There is no tool {name!r} in the tool set {toolset!r}.",
            suggested_action=f"Use one of: {known}.",
        )
    found: Tool = getattr(importlib.import_module(f"{package}.{name}"), name)
    return found


def toolset(name: str) -> list[Tool]:
    """Every tool of a set, sorted by name."""
    if name not in module_names("webquarry.tools"):
        known = ", ".join(module_names("webquarry.tools"))
        raise BadInput(f"There is no tool set {name!r}.", suggested_action=f"Use one of: {known}.")
    return [load(name, member) for member in module_names(f"webquarry.tools.{name}")]


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Take out what pydantic adds and nobody needs, and put the keywords in order."""
    options = [option for option in schema.get("anyOf", []) if option.get("type") != "null"]
    if len(options) == 1:
        schema = {**options[0], **{key: value for key, value in schema.items() if key != "anyOf"}}
    kept: dict[str, Any] = {}
    for keyword in _KEYWORDS:
        if keyword not in schema or (keyword == "default" and schema[keyword] is None):
            continue
        value = schema[keyword]
        if keyword == "items":
            value = _plain(value)
        elif keyword == "properties":
            value = {name: _plain(part) for name, part in value.items()}
        kept[keyword] = value
    return kept


def _whole(value: Any) -> Any:
    """JSON has one kind of number: 5.0 is the whole number 5."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _sentence(
    error: ValidationError, known: Mapping[str, FieldInfo], given: Mapping[str, Any]
) -> str:
    """One sentence per problem, naming the field and never the value."""
    sentences: list[str] = []
    misfits: dict[
        str, list[str]
    ] = {}  # a field that may be one of several things fits none of them
    for problem in error.errors(include_url=False, include_input=False, include_context=False):
        place = _place(problem["loc"], given)
        if problem["type"] == "missing":
            sentences.append(f"The field {place!r} is missing.")
        elif problem["type"] == "extra_forbidden":
            sentences.append(f"The field {place!r} is unknown; known are: {', '.join(known)}.")
        else:
            misfits.setdefault(place, []).append(problem["msg"][:1].lower() + problem["msg"][1:])
    sentences += [
        f"The field {place!r} does not fit: {', or '.join(why)}." for place, why in misfits.items()
    ]
    more = len(sentences) - _MOST_SAID
    return " ".join(sentences[:_MOST_SAID] + [f"There are {more} more such problems."] * (more > 0))


def _place(path: Sequence[str | int], given: Any) -> str:
    """Where a value is, in the words of whoever gave it: the types that were tried have no place
    there.
    """
    named: list[str] = []
    for part in path:
        if named and not (
            isinstance(given, list) if isinstance(part, int) else isinstance(given, Mapping)
        ):
            break
        named.append(str(part))
        if isinstance(given, Mapping):
            given = given.get(part)
        else:
            given = given[part]
    return ".".join(named)
