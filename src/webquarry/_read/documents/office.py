"""Office files: the zip package, its XML parts and relations, and its core properties.

Sizes in the directory of the zip are checked before a part is read, and `zipfile` never yields more
than the directory states. A part with a DOCTYPE is refused: no Office program writes one, and its
entities could expand without bound.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from urllib.parse import unquote

from lxml import etree

from webquarry._read.documents.text import (
    LONGEST_TEXT,
    Refusal,
    clean_name,
    clean_title,
    parse_date,
)
from webquarry._read.format import ConvertedDocument
from webquarry._read.html.tree import text_of
from webquarry._read.markdown.blocks import Block
from webquarry._read.models import Dated
from webquarry._search.replies import parse_xml

Element = etree._Element

_MOST_MEMBERS = 5_000
_LARGEST_PART = 64_000_000  # bytes, unpacked
_LARGEST_RATIO = 200  # unpacked to packed
_SPARE = 1_000_000  # bytes exempt from the ratio
_MOST_BYTES = 256_000_000  # of all parts that are read
_DIRECTORY_ENTRY = b"PK\x01\x02"
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))
_ENCRYPTED = 0x1
_OPENING_ERRORS = (zipfile.BadZipFile, ValueError, EOFError, OSError, NotImplementedError)
_UNPACKING_ERRORS = (*_OPENING_ERRORS, zlib.error, RuntimeError)
_TOO_MUCH = "The document has more text than is read at once; its end is missing."
_DAMAGED = "is damaged: it has the signature of an Office file, but its parts cannot be read"
_TOO_LARGE = "could not be read safely: it unpacks to far more than it should"
_TOO_MANY_FILES = "could not be read safely: it holds too many files"
_DECLARES_TYPE = "could not be read safely: it declares a document type, which no Office file does"

# Transitional and strict namespaces.
_NAMESPACES = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/drawingml/2006/chart": "c",
    "http://purl.oclc.org/ooxml/drawingml/chart": "c",
    "http://schemas.openxmlformats.org/drawingml/2006/diagram": "dgm",
    "http://purl.oclc.org/ooxml/drawingml/diagram": "dgm",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
}


@lru_cache(5_000)
def _name_of(tag: str) -> str:
    namespace, _, local = tag.rpartition("}")
    prefix = _NAMESPACES.get(namespace.removeprefix("{"))
    return f"{prefix}:{local}" if prefix else local


def name_of(tag: object) -> str:
    """Return the name of an element or attribute with our prefix of its namespace: `w:p`.

    Names of unknown namespaces have no prefix; a comment or entity has an empty name.
    """
    return _name_of(tag) if isinstance(tag, str) else ""


def value_of(element: Element | None, name: str = "val") -> str | None:
    """Return the attribute of that local name; most attributes of Office have a namespace."""
    if element is None:
        return None
    for attribute, value in element.items():
        key = str(attribute)
        if key == name or (key[0] == "{" and key.endswith("}" + name)):
            return str(value)
    return None


def parse_number(text: str | None, most_digits: int = 8) -> int | None:
    """Return a number of plain digits; None for any other text and for longer numbers."""
    if text and text.isascii() and text.isdigit() and len(text) <= most_digits:
        return int(text)
    return None


def children_of(element: Element | None, name: str) -> list[Element]:
    """Return all children of that name."""
    if element is None:
        return []
    return [child for child in element if name_of(child.tag) == name]


def find_child(element: Element | None, *path: str) -> Element | None:
    """Return the first child of each name of a path in turn; None where one is missing."""
    for name in path:
        if element is None:
            return None
        element = next((child for child in element if name_of(child.tag) == name), None)
    return element


def child_value(element: Element | None, name: str, attribute: str = "val") -> str | None:
    """Return an attribute of the first child of that name."""
    return value_of(find_child(element, name), attribute)


class Unsafe(Refusal):
    """The file is hostile."""


@dataclass(frozen=True)
class Relation:
    """A reference from one part to another part or to an address."""

    kind: str  # the last segment of its type: hyperlink, image, styles
    target: str
    external: bool


class Package:
    """An open Office file."""

    def __init__(self, body: bytes) -> None:
        if body.count(_DIRECTORY_ENTRY) > _MOST_MEMBERS:
            raise Unsafe(_TOO_MANY_FILES)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _OPENING_ERRORS as error:
            raise Refusal(_DAMAGED) from error
        members = self._zip.infolist()
        if len(members) > _MOST_MEMBERS:
            raise Unsafe(_TOO_MANY_FILES)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in members:
            part = member.filename.replace("\\", "/").lstrip("/").lower()
            self._members[part] = member
        self._left = _MOST_BYTES

    def xml(self, part: str) -> Element | None:
        """Return the root of a part; None if the file has no such part.

        Of alternative contents only the first is in it.
        """
        data = self._read(part)
        if data is None:
            return None
        if any(doctype in data for doctype in _DOCTYPES):
            raise Unsafe(_DECLARES_TYPE)
        try:
            root = parse_xml(data)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise Refusal(_DAMAGED) from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise Unsafe(_DECLARES_TYPE)
        for alternatives in list(root.iter("{*}AlternateContent")):
            for other in list(alternatives)[1:]:  # repeats the first for older programs
                alternatives.remove(other)
        etree.strip_tags(root, "{*}AlternateContent", "{*}Choice", "{*}Fallback")
        return root

    def read_optional(self, part: str) -> Element | None:
        """Return the root of an optional part; None if it is missing or damaged."""
        try:
            return self.xml(part)
        except Unsafe:
            raise
        except Refusal:
            return None

    def read_related(self, relation: Relation | None) -> Element | None:
        """Return the root of the part that a relation names; None if there is none."""
        if relation is None or relation.external:
            return None
        return self.read_optional(relation.target)

    def relations(self, part: str) -> dict[str, Relation]:
        """Return the relations of a part by id, with internal targets as full part names."""
        folder, _, name = part.rpartition("/")
        root = self.read_optional(posixpath.join(folder, "_rels", f"{name}.rels"))
        found: dict[str, Relation] = {}
        for element in children_of(root, "rel:Relationship"):
            identity = element.get("Id")
            target = element.get("Target")
            if not identity or not target:
                continue
            kind = (element.get("Type") or "").rpartition("/")[2]
            external = (element.get("TargetMode") or "").lower() == "external"
            if not external:
                path = posixpath.join("/", folder, unquote(target.partition("#")[0]))
                target = posixpath.normpath(path).lstrip("/")
            found[identity] = Relation(kind, target, external)
        return found

    def read_main(self, default: str) -> tuple[str, Element]:
        """Return the name and the root of the part that holds the document."""
        relation = find_relation(self.relations(""), "officeDocument")
        is_found = relation is not None and relation.target.lower() in self._members
        part = relation.target if relation is not None and is_found else default
        root = self.xml(part)
        if root is None:
            raise Refusal(_DAMAGED)
        return part, root

    def _read(self, part: str) -> bytes | None:
        """Return the bytes of a part; None if the file has no such part."""
        member = self._members.get(part.lower())
        if member is None:
            return None
        if member.flag_bits & _ENCRYPTED:
            raise Refusal("is protected by a password")
        by_ratio = _LARGEST_RATIO * member.compress_size + _SPARE
        if member.file_size > min(_LARGEST_PART, by_ratio, self._left):
            raise Unsafe(_TOO_LARGE)
        self._left -= member.file_size
        try:
            return self._zip.read(member)
        except _UNPACKING_ERRORS as error:
            raise Refusal(_DAMAGED) from error


def find_relation(relations: dict[str, Relation], kind: str) -> Relation | None:
    """Return the first internal relation of a kind."""
    for relation in relations.values():
        if relation.kind == kind and not relation.external:
            return relation
    return None


_LONGEST_PROPERTY = 2_000  # characters


def build_document(
    package: Package,
    kind: str,
    blocks: Sequence[Block],
    title: str,
    removed: Counter[str],
    lost: Iterable[str] = (),
    notes: Iterable[str] = (),
) -> ConvertedDocument:
    """Return a document with its core properties, or with `title` if they have none.

    Dates are named by their field: `docx:created`. Blocks beyond the limit are dropped with a note.
    Raises `Refusal` if there is no text.
    """
    if not blocks:
        raise Refusal("has no text that can be seen")
    left = LONGEST_TEXT
    for place, block in enumerate(blocks):
        left -= len(block.text) + sum(map(len, chain.from_iterable(block.rows)))
        if left < 0 < place:
            blocks, lost = blocks[:place], (*lost, _TOO_MUCH)
            break
    relation = find_relation(package.relations(""), "core-properties")
    root = package.read_optional(relation.target if relation else "docProps/core.xml")
    texts: dict[str, str] = {}
    for element in root if root is not None else ():
        texts[name_of(element.tag)] = text_of(element)[:_LONGEST_PROPERTY]

    def read_date(name: str) -> Dated | None:
        return parse_date(texts.get(f"dcterms:{name}", "").strip(), f"{kind}:{name}")

    own_title = clean_title(texts.get("dc:title", ""), removed)
    author = clean_name(texts.get("dc:creator", ""), removed)
    return ConvertedDocument(
        blocks,
        title=own_title or clean_name(title, removed),
        author=author,
        published=read_date("created"),
        modified=read_date("modified"),
        removed=removed,
        notes=(*lost, *notes),
        lost=tuple(lost),
    )
