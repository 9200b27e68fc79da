"""An Office file -> its XML parts, one by one, and never more than agreed of any of them.

The sizes in the directory of the zip are checked before a part is read; `zipfile` does not yield
more than they say. A part with a DOCTYPE is refused: no Office program writes one, and its entities
could grow without bound.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from dataclasses import dataclass
from urllib.parse import unquote

from lxml import etree

from webquarry._read.documents.models import Refusal

Element = etree._Element

_MOST_MEMBERS = 5_000
_LARGEST_PART = 64_000_000  # bytes, unpacked
_LARGEST_RATIO = 200  # unpacked to packed
_SPARE = 1_000_000  # bytes that the ratio does not count
_MOST_BYTES = 256_000_000  # of all parts that are read
_DIRECTORY_ENTRY = b"PK\x01\x02"
_DOCTYPES = tuple("<!DOCTYPE".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))
_ENCRYPTED = 0x1
_OPENING_ERRORS = (
    zipfile.BadZipFile,
    ValueError,
    EOFError,
    OSError,
    NotImplementedError,
)
_UNPACKING_ERRORS = (*_OPENING_ERRORS, zlib.error, RuntimeError)
DAMAGED = "is damaged: it begins like an Office file, but its parts cannot be read"
_TOO_LARGE = "could not be read safely: it unpacks to far more than it should"
_TOO_MANY_FILES = "could not be read safely: it holds too many files"
_DECLARES_TYPE = "could not be read safely: it declares a document type, which no Office file does"

# Both sets of namespaces, the one of the first standard and the strict one.
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
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://schemas.openxmlformats.org/package/2006/relationships": "rel",
    "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
}
_known_names: dict[str, str] = {}
_MOST_KNOWN = 5_000


def name_of(tag: object) -> str:
    """The name of an element or attribute with the prefix we know its namespace by: `w:p`; bare if
    we know none.
    """
    if not isinstance(tag, str):  # a comment or an entity
        return ""
    name = _known_names.get(tag)
    if name is None:
        namespace, _, local = tag.rpartition("}")
        prefix = _NAMESPACES.get(namespace.removeprefix("{"))
        name = f"{prefix}:{local}" if prefix else local
        if len(_known_names) < _MOST_KNOWN:
            _known_names[tag] = name
    return name


def value_of(element: Element | None, name: str = "val") -> str | None:
    """The attribute of that local name; Office gives most of them a namespace."""
    if element is None:
        return None
    for attribute, value in element.items():
        key = str(attribute)
        if key == name or (key[0] == "{" and key.endswith("}" + name)):
            return str(value)
    return None


def parse_number(text: str | None, most_digits: int = 8) -> int | None:
    """The number that an attribute gives in plain digits; None for any other text, and for a number
    so long that nobody means it.
    """
    if text and text.isascii() and text.isdigit() and len(text) <= most_digits:
        return int(text)
    return None


def child_of(element: Element | None, name: str) -> Element | None:
    """The first child of that name."""
    if element is None:
        return None
    for child in element:
        if name_of(child.tag) == name:
            return child
    return None


def child_value(element: Element | None, name: str, attribute: str = "val") -> str | None:
    """The attribute of the first child of that name; None where there is no such child."""
    return value_of(child_of(element, name), attribute)


def find_child(element: Element | None, *path: str) -> Element | None:
    """The child at the end of a path of names: the first of each name."""
    for name in path:
        element = child_of(element, name)
    return element


def children_of(element: Element | None, name: str) -> list[Element]:
    """All children of that name."""
    if element is None:
        return []
    return [child for child in element if name_of(child.tag) == name]


def choose_alternative(alternatives: Element) -> Element:
    """Of `AlternateContent` the first choice; the others say the same for older programs. Else what
    there is.
    """
    for name in ("mc:Choice", "mc:Fallback"):
        child = child_of(alternatives, name)
        if child is not None:
            return child
    return alternatives


class Unsafe(Refusal):
    """Nobody writes such a file by accident."""


@dataclass(frozen=True)
class Relation:
    """A reference from one part to another, or out into the world."""

    kind: str  # the last part of its type: hyperlink, image, styles
    target: str
    external: bool


class Package:
    """An open file."""

    def __init__(self, body: bytes) -> None:
        if body.count(_DIRECTORY_ENTRY) > _MOST_MEMBERS:
            raise Unsafe(_TOO_MANY_FILES)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _OPENING_ERRORS as error:
            raise Refusal(DAMAGED) from error
        members = self._zip.infolist()
        if len(members) > _MOST_MEMBERS:
            raise Unsafe(_TOO_MANY_FILES)
        self._members: dict[str, zipfile.ZipInfo] = {}
        for member in members:
            path = member.filename.replace("\\", "/")
            part = path.lstrip("/").lower()
            self._members[part] = member
        self._left = _MOST_BYTES

    def has(self, part: str) -> bool:
        """Whether the file has that part."""
        return part.lower() in self._members

    def xml(self, part: str) -> Element | None:
        """The root of a part; None where the file has no such part."""
        data = self._read(part)
        if data is None:
            return None
        if any(doctype in data for doctype in _DOCTYPES):
            raise Unsafe(_DECLARES_TYPE)
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError as error:
            raise Refusal(DAMAGED) from error
        if root.getroottree().docinfo.internalDTD is not None:
            raise Unsafe(_DECLARES_TYPE)
        return root

    def xml_if_sound(self, part: str) -> Element | None:
        """The root of a part that the text can do without; a hostile one is refused anyway."""
        try:
            return self.xml(part)
        except Unsafe:
            raise
        except Refusal:
            return None

    def relations(self, part: str) -> dict[str, Relation]:
        """What a part refers to, by the names it uses; targets inside the file are whole part
        names.
        """
        folder, _, name = part.rpartition("/")
        relations_part = posixpath.join(folder, "_rels", f"{name}.rels")
        root = self.xml_if_sound(relations_part)
        found: dict[str, Relation] = {}
        if root is None:
            return found
        for element in root:
            identity = element.get("Id")
            target = element.get("Target")
            if name_of(element.tag) != "rel:Relationship":
                continue
            if not identity or not target:
                continue
            relation_type = element.get("Type") or ""
            kind = relation_type.rpartition("/")[2]
            mode = element.get("TargetMode") or ""
            external = mode.lower() == "external"
            if not external:
                path = unquote(target.partition("#")[0])
                whole_path = posixpath.join("/", folder, path)
                target = posixpath.normpath(whole_path).lstrip("/")
            found[identity] = Relation(kind, target, external)
        return found

    def main_part(self, usual: str) -> str:
        """The part that holds the document."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and self.has(relation.target):
                return relation.target
        return usual

    def _read(self, part: str) -> bytes | None:
        """The bytes of a part; None where the file has no such part."""
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
            raise Refusal(DAMAGED) from error
