"""Names of tools and parameters that a vendor accepts, and the way back to the tool's own names.

An alias depends on the name only, so that nothing is stored between an export and a call.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webquarry.host.keywords import map_children
from webquarry.host.models import Schema


@dataclass(frozen=True)
class NameRules:
    """Patterns of the names of tools and parameters; None accepts all names."""

    tool: re.Pattern[str]
    parameter: re.Pattern[str] | None = None


ANTHROPIC = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"), re.compile(r"[A-Za-z0-9_.-]{1,64}"))
OPENAI = NameRules(re.compile(r"[A-Za-z0-9_-]{1,64}"))
GEMINI = NameRules(
    re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}"), re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
)
MCP = NameRules(re.compile(r"[A-Za-z0-9_.-]{1,128}"))
ALL_RULES = (ANTHROPIC, OPENAI, GEMINI, MCP)


def alias(name: str, rule: re.Pattern[str] | None) -> str:
    """Return the name if it is accepted, else a readable one with a hash of the name."""
    if rule is None or rule.fullmatch(name):
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:50]
    if not plain[:1].isalpha():
        plain = f"_{plain}"
    return f"{plain}_{digest}"


def is_name_of(tool: str, name: str) -> bool:
    """Return whether `name` is the name of a tool or an alias of it."""
    return name == tool or any(alias(tool, rules.tool) == name for rules in ALL_RULES)


def rename(schema: Schema, rules: NameRules) -> Schema:
    """Return the schema with the vendor's names of all parameters."""
    renamed = map_children(schema, lambda part: rename(part, rules))
    if "properties" in renamed:
        parts = renamed["properties"].items()
        renamed["properties"] = {alias(name, rules.parameter): part for name, part in parts}
    if "required" in renamed:
        renamed["required"] = [alias(name, rules.parameter) for name in renamed["required"]]
    return renamed


def restore(value: Any, schema: Any) -> Any:
    """Return arguments with the tool's own names in place of any vendor's aliases. A name that is
    given in both forms is not changed.
    """
    if not isinstance(schema, dict):
        return value
    if isinstance(value, list):
        return [restore(part, schema.get("items")) for part in value]
    properties = schema.get("properties")
    if not isinstance(value, Mapping) or not isinstance(properties, dict):
        return value
    own_names = {alias(name, rules.parameter): name for name in properties for rules in ALL_RULES}
    own_names |= {name: name for name in properties}
    restored = {}
    for sent, part in value.items():
        name = own_names.get(sent, sent)
        if name in value:
            name = sent
        restored[name] = restore(part, properties.get(name))
    return restored
