"""A schema in the one shape that the strict forms are written from.

A clean schema goes in. Out comes a tree in which every node has exactly one type, or is a flat
union of such nodes: references are inlined, `allOf` merged, `oneOf` taken as `anyOf`, a null among
the types is `nullable`, and keywords that say nothing beside the type are gone. What has no such
shape (recursion, anything at all) has the type "any".
"""

from __future__ import annotations

from typing import Any

from webquarry.host.keywords import BELONGS, fits_type, type_of
from webquarry.host.models import TYPES
from webquarry.host.translation.contract import without_root_unions
from webquarry.host.translation.schema import Schema, resolve

ANY = "any"
_MOST_VISITS = 2000  # references can double what they lead to at every level
_DEEPEST = 40
_LOWER_WINS = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})
_HIGHER_WINS = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})

References = tuple[str, ...]


class _NoShape(Exception):
    """This node cannot be brought into shape."""


def canonical(root: Schema) -> Schema:
    """The whole schema of a tool's parameters; unions at its root become words."""
    return _Canon(root).whole()


class _Canon:
    """One walk over one schema, with a bound on how much it may unfold into."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._visits = 0
        self._depth = 0

    def whole(self) -> Schema:
        root = self._root
        try:
            merged, references = self._flat({**root, "allOf": [*root.get("allOf", [])]}, ())
        except _NoShape:
            merged, references = root, ()
        whole = self._single(without_root_unions(merged), "object", references)
        return {word: value for word, value in whole.items() if word != "nullable"}

    def node(self, schema: Schema, references: References) -> Schema:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise _NoShape
            return self._shape(*self._flat(schema, references))
        except _NoShape:
            described = {}
            if "description" in schema:
                described = {"description": schema["description"]}
            return {"type": ANY, **described}
        finally:
            self._depth -= 1

    def _flat(self, schema: Schema, references: References) -> tuple[Schema, References]:
        """The node with its reference and its `allOf` merged into it, and the references that led
        here.
        """
        self._visits += 1
        if self._visits > _MOST_VISITS or len(references) > _DEEPEST:
            raise _NoShape
        merged: Schema = {}
        if "$ref" in schema:
            target = resolve(schema["$ref"], self._root)
            if target is None or schema["$ref"] in references:
                raise _NoShape
            merged, references = self._flat(target, (*references, schema["$ref"]))
        for part in schema.get("allOf", []):
            flat, references = self._flat(part, references)
            merged = merge(merged, flat)
        own = {word: value for word, value in schema.items() if word not in ("$ref", "allOf")}
        return merge(merged, own), references

    def _shape(self, schema: Schema, references: References) -> Schema:
        word = "anyOf" if "anyOf" in schema else "oneOf"
        if word in schema:
            base = {
                key: value
                for key, value in schema.items()
                if key not in ("anyOf", "oneOf", "description")
            }
            return self._union([merge(base, part) for part in schema[word]], schema, references)
        kinds = _types(schema)
        if len(kinds) > 1:
            base = {key: value for key, value in schema.items() if key != "description"}
            return self._union([{**base, "type": kind} for kind in kinds], schema, references)
        return self._single(schema, kinds[0], references)

    def _union(self, parts: list[Schema], outer: Schema, references: References) -> Schema:
        nullable, branches = False, list[Schema]()
        for part in parts:
            if part.get("type") == "null":
                nullable = True
                continue
            branch = self.node(part, references)
            nullable = nullable or bool(branch.pop("nullable", False))
            branches += branch.get("anyOf", [branch])
        if not branches or any(branch["type"] == ANY for branch in branches):
            raise _NoShape
        described = {}
        if "description" in outer:
            described = {"description": outer["description"]}
        if len(branches) == 1:
            union = {**branches[0], **described}
        else:
            union = {"anyOf": branches, **described}
        if nullable:
            return {**union, "nullable": True}
        return union

    def _single(self, schema: Schema, kind: str, references: References) -> Schema:
        if kind == "null":
            raise _NoShape
        node: Schema = {"type": kind}
        for word, value in schema.items():
            if word == "properties" and kind == "object":
                node[word] = {name: self.node(part, references) for name, part in value.items()}
            elif word == "items" and kind == "array":
                node[word] = self.node(value, references)
            elif word == "enum":
                fitting = [one for one in value if fits_type(one, kind)]
                node.update({"enum": fitting} if fitting else {})
            elif word == "const" and not fits_type(value, kind):
                continue  # no value fits; saying so in a description would help nobody
            elif word != "type" and kind in BELONGS.get(word, TYPES):
                node[word] = value
        if "required" in node:
            node["required"] = [
                name for name in node["required"] if name in node.get("properties", {})
            ]
        return node


def _types(schema: Schema) -> list[str]:
    """The types that a node allows, told or inferred."""
    told = schema.get("type")
    if isinstance(told, list):
        return list(dict.fromkeys(told))
    if isinstance(told, str):
        return [told]
    if "enum" in schema:
        values = schema["enum"]
    else:
        values = []
        if "const" in schema:
            values = [schema["const"]]
    if values:
        return list(dict.fromkeys(type_of(value) for value in values))
    for word, kind in (("properties", "object"), ("items", "array")):
        if word in schema:
            return [kind]
    raise _NoShape


def merge(one: Schema, other: Schema) -> Schema:
    """A schema that both allow, as near as one node can say it; on words, the other has the last
    one.
    """
    merged = dict(one)
    for word, value in other.items():
        if word in merged:
            merged[word] = _merge_value(word, merged[word], value)
        else:
            merged[word] = value
    return merged


def merge_all_of(schema: Schema) -> Schema:
    """The node with its `allOf` merged into it, references and all; parts that contradict each
    other are dropped.
    """
    own = {word: value for word, value in schema.items() if word != "allOf"}
    merged: Schema = {}
    try:
        for part in (*schema.get("allOf", []), own):
            merged = merge(merged, merge_all_of(part) if "allOf" in part else part)
    except _NoShape:
        return own
    return merged


def _merge_value(word: str, one: Any, other: Any) -> Any:
    if word == "properties":
        return one | {
            name: merge(one[name], part) if name in one else part for name, part in other.items()
        }
    if word == "required":
        return list(dict.fromkeys([*one, *other]))
    if word == "enum":
        return [value for value in one if value in other] or other
    if word == "type" and one != other:
        return _common_types(one, other)
    if word in _LOWER_WINS:
        return min(one, other)
    if word in _HIGHER_WINS:
        return max(one, other)
    if word == "allOf":
        return [*one, *other]
    return other


def _common_types(one: Any, other: Any) -> Any:
    left, right = ([told] if isinstance(told, str) else told for told in (one, other))
    common = [kind for kind in left if kind in right]
    if not common and {"integer", "number"} <= {*left, *right}:
        common = ["integer"]
    if not common:
        raise _NoShape
    if len(common) == 1:
        return common[0]
    return common
