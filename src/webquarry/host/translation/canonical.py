"""A schema in the one shape that the strict forms are written from.

A clean schema goes in. Out comes a tree in which every node has exactly one type, or is a flat
union of such nodes: references are inlined, `allOf` merged, `oneOf` taken as `anyOf`, a null among
the types is `nullable`, and keywords that say nothing beside the type are gone. What has no such
shape (recursion, anything at all) has the type "any".
"""

from __future__ import annotations

from typing import Any

from webquarry.host.keywords import BELONGS, fits_type, type_of
from webquarry.host.models import TYPES, Schema
from webquarry.host.translation.contract import without_root_unions
from webquarry.host.translation.schema import omit, pick, resolve

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
            merged, references = self._flat(root, ())
        except _NoShape:
            merged, references = root, ()
        without_unions = without_root_unions(merged)
        whole = self._single(without_unions, "object", references)
        return omit(whole, "nullable")

    def node(self, schema: Schema, references: References) -> Schema:
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise _NoShape
            return self._shape(*self._flat(schema, references))
        except _NoShape:
            return {"type": ANY, **pick(schema, "description")}
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
        return merge(merged, omit(schema, "$ref", "allOf")), references

    def _shape(self, schema: Schema, references: References) -> Schema:
        word = "anyOf" if "anyOf" in schema else "oneOf"
        if word in schema:
            base = omit(schema, "anyOf", "oneOf", "description")
            branches = [merge(base, part) for part in schema[word]]
            return self._union(branches, schema, references)
        kinds = _infer_types(schema)
        if len(kinds) > 1:
            base = omit(schema, "description")
            branches = [{**base, "type": kind} for kind in kinds]
            return self._union(branches, schema, references)
        return self._single(schema, kinds[0], references)

    def _union(self, parts: list[Schema], outer: Schema, references: References) -> Schema:
        nullable = False
        branches: list[Schema] = []
        for part in parts:
            if part.get("type") == "null":
                nullable = True
                continue
            branch = self.node(part, references)
            nullable = nullable or bool(branch.pop("nullable", False))
            branches += branch.get("anyOf", [branch])
        has_any = any(branch["type"] == ANY for branch in branches)
        if has_any or not branches:
            raise _NoShape
        union: Schema = {"anyOf": branches}
        if len(branches) == 1:
            union = branches[0]
        union = union | pick(outer, "description")
        if nullable:
            union["nullable"] = True
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
                if fitting:
                    node["enum"] = fitting
            elif word == "const" and not fits_type(value, kind):
                continue  # no value fits; saying so in a description would help nobody
            elif word != "type" and kind in BELONGS.get(word, TYPES):
                node[word] = value
        if "required" in node:
            properties = node.get("properties", {})
            node["required"] = [name for name in node["required"] if name in properties]
        return node


def _infer_types(schema: Schema) -> list[str]:
    """The types that a node allows, as it states them or as its other keywords tell."""
    stated = schema.get("type")
    if isinstance(stated, list):
        return list(dict.fromkeys(stated))
    if isinstance(stated, str):
        return [stated]
    values = []
    if "enum" in schema:
        values = schema["enum"]
    elif "const" in schema:
        values = [schema["const"]]
    if values:
        return list(dict.fromkeys(map(type_of, values)))
    if "properties" in schema:
        return ["object"]
    if "items" in schema:
        return ["array"]
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
    own = omit(schema, "allOf")
    merged: Schema = {}
    try:
        for part in (*schema.get("allOf", []), own):
            if "allOf" in part:
                part = merge_all_of(part)
            merged = merge(merged, part)
    except _NoShape:
        return own
    return merged


def _merge_value(word: str, one: Any, other: Any) -> Any:
    if word == "properties":
        properties = dict(one)
        for name, part in other.items():
            if name in one:
                part = merge(one[name], part)
            properties[name] = part
        return properties
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
    """The types that both allow, one or a list of them."""
    left = [one] if isinstance(one, str) else one
    right = [other] if isinstance(other, str) else other
    common = [kind for kind in left if kind in right]
    if not common and {"integer", "number"} <= {*left, *right}:
        common = ["integer"]
    if not common:
        raise _NoShape
    if len(common) == 1:
        return common[0]
    return common
