"""What the clients got -> what is wrong with it, in words. Nothing here starts a client."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from scripts.mcp_clients.calls import FOR_PEOPLE, Json

# Of the outputs, by tool; None where a tool answers with text alone.
Schemas = Mapping[str, Json | None]


@dataclass
class ClientRun:
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


def find_faults(run: ClientRun, served: Schemas) -> list[str]:
    """What is wrong with what one client got, by itself. `served` is what our own registry has."""
    listed = {tool["name"]: tool.get("outputSchema") for tool in run.tools}
    faults = list(run.raised)
    if sorted(tool["name"] for tool in run.tools) != sorted(served):
        missing = sorted(set(served) - set(listed))
        more = sorted(set(listed) - set(served))
        faults.append(
            f"the list is not what is served: {len(run.tools)} tools, without {missing}, with "
            f"{more}"
        )
    for name, schema in listed.items():
        if schema != served.get(name):
            faults.append(f"{name}: listed with another output schema")
    for name, schema in served.items():
        result = run.results.get(name)
        if result is None:
            faults.append(f"{name}: was not called, or gave no result")
            continue
        faults += [
            f"{name}: {fault}" for fault in _result_faults(result, schema, name in FOR_PEOPLE)
        ]
    faults += [f"wrong arguments: {fault}" for fault in _refusal_faults(run, served)]
    return faults


def find_differences(runs: Sequence[ClientRun]) -> dict[str, list[str]]:
    """By the name of a run: the tools whose result differs from what most clients got for the same
    call.
    """
    calls = {(run.toolset, tool) for run in runs for tool in run.results}
    differences: dict[str, list[str]] = {}
    for toolset, tool in sorted(calls):
        results = {}
        for run in runs:
            if run.toolset == toolset and tool in run.results:
                results[run.name] = _normalise_result(run.results[tool])
        usual, _ = Counter(results.values()).most_common(1)[0]
        for name, result in results.items():
            if result != usual:
                place = _first_difference(json.loads(result), json.loads(usual))
                fault = f"{tool}: differs from what the others got, {place}"
                differences.setdefault(name, []).append(fault)
    return differences


def _texts(result: Json) -> list[str]:
    blocks = result.get("content", [])
    return [block.get("text", "") for block in blocks if block.get("type") == "text"]


def _result_faults(result: Json, schema: Json | None, is_for_people: bool = False) -> Iterator[str]:
    """`is_for_people`: whether the text is to be read, and not the JSON of the data."""
    texts = _texts(result)
    data = result.get("structuredContent")
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
        is_json = _parse_object(texts[0]) == data
        if is_for_people and is_json:
            yield "the text is JSON, and should be one to read"
        elif not is_for_people and not is_json:
            yield "the text is not the JSON of the structured content"


def _refusal_faults(run: ClientRun, served: Schemas) -> Iterator[str]:
    """A sentence, and a JSON object with the facts unless the set speaks in text alone."""
    if run.refusal is None:
        yield "no result came back"
        return
    sentence, *facts = _texts(run.refusal) or [""]
    if not run.refusal.get("isError"):
        yield "the result is not marked as an error"
    if "query" not in sentence:
        yield f"the sentence does not name the field: {sentence[:300]!r}"
    has_facts = len(facts) == 1 and _parse_object(facts[0]).get("kind") == "bad_input"
    if any(served.values()) and not has_facts:
        yield f"the facts are not one JSON object with their kind: {facts}"


def _parse_object(text: str) -> Json:
    """The JSON object that a text is; an empty one where it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _normalise_result(result: Json) -> str:
    """A result in one form: the structured content, or the texts where there is none."""
    content = result.get("structuredContent")
    if content is None:
        content = _texts(result)
    return json.dumps(_normalise_numbers(content), sort_keys=True)


def _normalise_numbers(value: Any) -> Any:
    """With whole numbers in one form: JavaScript makes 1 of 1.0."""
    if isinstance(value, dict):
        return {key: _normalise_numbers(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_normalise_numbers(part) for part in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


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
