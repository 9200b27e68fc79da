"""What the clients got -> what is wrong with it, in words. Nothing here starts a client."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # comes with the MCP SDK
from jsonschema.exceptions import best_match  # type: ignore[import-untyped]
from scripts.mcp_clients.calls import Json

Schemas = Mapping[
    str, Json | None
]  # of the outputs, by tool; None where a tool answers with text alone


@dataclass
class Heard:
    """What one client got from one server: its list, a result for each tool, the answer to a wrong
    call.
    """

    client: str
    transport: str
    toolset: str
    protocol: str | None = None
    tools: list[Json] = field(default_factory=list)
    results: dict[str, Json] = field(default_factory=dict)
    refusal: Json | None = None
    raised: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.client} {self.transport} {self.toolset}"


def faults_of(heard: Heard, served: Schemas) -> list[str]:
    """What is wrong with what one client got, by itself. `served` is what our own registry has."""
    listed = {tool["name"]: tool.get("outputSchema") for tool in heard.tools}
    faults = [*heard.raised]
    if sorted(tool["name"] for tool in heard.tools) != sorted(served):
        missing, more = sorted(set(served) - set(listed)), sorted(set(listed) - set(served))
        faults.append(
            f"the list is not what is served: {len(heard.tools)} tools, without {missing}, with "
            f"{more}"
        )
    faults += [
        f"{name}: listed with another output schema"
        for name in listed
        if listed[name] != served.get(name)
    ]
    for name, schema in served.items():
        result = heard.results.get(name)
        found = (
            _result_faults(result, schema)
            if result is not None
            else ["was not called, or gave no result"]
        )
        faults += [f"{name}: {fault}" for fault in found]
    return faults + [f"wrong arguments: {fault}" for fault in _refusal_faults(heard, served)]


def differences(all_heard: Sequence[Heard]) -> dict[str, list[str]]:
    """By the name of a run: the tools whose result differs from what most clients got for the same
    call.
    """
    found: dict[str, list[str]] = {}
    for toolset, tool in sorted(
        {(heard.toolset, tool) for heard in all_heard for tool in heard.results}
    ):
        told = {
            heard.name: _told(heard.results[tool])
            for heard in all_heard
            if heard.toolset == toolset and tool in heard.results
        }
        usual, _ = Counter(told.values()).most_common(1)[0]
        for name, said in told.items():
            if said != usual:
                place = _first_difference(json.loads(said), json.loads(usual))
                found.setdefault(name, []).append(
                    f"{tool}: differs from what the others got, {place}"
                )
    return found


def _texts(result: Json) -> list[str]:
    return [
        block.get("text", "") for block in result.get("content", []) if block.get("type") == "text"
    ]


def _result_faults(result: Json, schema: Json | None) -> Iterator[str]:
    texts, data = _texts(result), result.get("structuredContent")
    if result.get("isError"):
        yield f"failed: {' '.join(texts)[:500]}"
    elif not texts or not texts[0].strip():
        yield "has no text"
    elif schema is None:
        if data is not None:
            yield "has structured content, but declares no schema of it"
    elif not isinstance(data, dict):
        yield "has no structured content"
    else:
        error = best_match(Draft202012Validator(schema).iter_errors(data))
        if error is not None:
            yield f"does not fit its schema at {error.json_path}: {error.message[:300]}"
        if _parsed(texts[0]) != data:
            yield "the text is not the JSON of the structured content"


def _refusal_faults(heard: Heard, served: Schemas) -> Iterator[str]:
    """A sentence, and a JSON object with the facts unless the set speaks in text alone."""
    if heard.refusal is None:
        yield "no result came back"
        return
    sentence, *facts = _texts(heard.refusal) or [""]
    if not heard.refusal.get("isError"):
        yield "the result is not marked as an error"
    if "query" not in sentence:
        yield f"the sentence does not name the field: {sentence[:300]!r}"
    if any(served.values()) and (len(facts) != 1 or _parsed(facts[0]).get("kind") != "bad_input"):
        yield f"the facts are not one JSON object with their kind: {facts}"


def _parsed(text: str) -> Json:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _told(result: Json) -> str:
    """What a call has told, in one form: the structured content, or the texts where there is none."""
    told = result.get("structuredContent")
    return json.dumps(_numbered(_texts(result) if told is None else told), sort_keys=True)


def _numbered(value: Any) -> Any:
    """With whole numbers in one form: JavaScript makes 1 of 1.0."""
    if isinstance(value, dict):
        return {key: _numbered(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_numbered(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _first_difference(one: Any, other: Any, place: str = "$") -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            if key not in one or key not in other or one[key] != other[key]:
                return _first_difference(one.get(key), other.get(key), f"{place}.{key}")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (mine, theirs) in enumerate(zip(one, other, strict=True)):
            if mine != theirs:
                return _first_difference(mine, theirs, f"{place}[{index}]")
    return f"at {place}: {json.dumps(one)[:100]} and not {json.dumps(other)[:100]}"
