"""Names that a vendor accepts, and the way back.

An alias is made from the name alone, so nothing has to be remembered between the list of tools and
a call.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webquarry.host.models import Schema
from webquarry.host.translation.schema import map_children


@dataclass(frozen=True)
class NameRules:
    """What a vendor takes for the name of a tool and of a parameter; None means anything."""

    tool: re.Pattern[str]
    parameter: re.Pattern[str] | None = None


ANTHROPIC = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"), re.compile(r"[A-Za-z0-9_.-]{1,64}"))
OPENAI = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"))
GEMINI = NameRules(
    re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
)
MCP = NameRules(re.compile(r"[A-Za-z0-9_.-]{1,128}"))
EVERYBODY = (ANTHROPIC, OPENAI, GEMINI, MCP)


def alias(name: str, rule: re.Pattern[str] | None) -> str:
    """The name itself where it is accepted, else one that is: readable, and marked with a hash of
    the original.
    """
    if rule is None or rule.fullmatch(name):
        return name
    mark = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:50]
    if not plain[:1].isalpha():
        plain = f"_{plain}"
    return f"{plain}_{mark}"


def is_name_of(tool: str, name: str) -> bool:
    """Is this the tool's name, or an alias that some vendor is given for it?"""
    if name == tool:
        return True
    return any(alias(tool, rules.tool) == name for rules in EVERYBODY)


def rename(schema: Schema, rules: NameRules) -> Schema:
    """The schema with every parameter under the vendor's name for it."""
    if rules.parameter is None:
        return schema
    renamed = map_children(schema, lambda part: rename(part, rules))
    if "properties" in renamed:
        renamed["properties"] = {
            alias(name, rules.parameter): part for name, part in renamed["properties"].items()
        }
    if "required" in renamed:
        renamed["required"] = [alias(name, rules.parameter) for name in renamed["required"]]
    return renamed


def restore_any(value: Any, schema: Any) -> Any:
    """Arguments under the names that the tool's own schema has, whichever vendor's names they came
    under. A name of the tool's own counts for more than another's alias, and one that is given
    under both stays as it came.
    """
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        return [restore_any(part, schema.get("items")) for part in value]
    if not isinstance(value, Mapping) or not isinstance(schema.get("properties"), dict):
        return value
    properties = schema["properties"]
    own_names: dict[str, str] = {}
    for name in properties:
        for rules in EVERYBODY:
            own_names[alias(name, rules.parameter)] = name
    own_names |= {name: name for name in properties}
    restored = {}
    for sent_name, part in value.items():
        name = own_names.get(sent_name, sent_name)
        if name != sent_name and name in value:
            name = sent_name
        restored[name] = restore_any(part, properties.get(name))
    return restored


def restore(value: Any, schema: Any, rules: NameRules) -> Any:
    """Arguments as a vendor sent them, under the names that the tool's own schema has."""
    if not isinstance(schema, dict) or rules.parameter is None:
        return value
    if isinstance(value, list):
        return [restore(part, schema.get("items"), rules) for part in value]
    if not isinstance(value, dict) or not isinstance(schema.get("properties"), dict):
        return value
    properties = schema["properties"]
    own_names = {alias(name, rules.parameter): name for name in properties}
    restored = {}
    for sent_name, part in value.items():
        name = own_names.get(sent_name, sent_name)
        restored[name] = restore(part, properties.get(name), rules)
    return restored
