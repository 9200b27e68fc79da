"""XML: fenced as it was sent. It is never parsed, so entities cannot expand."""

from __future__ import annotations

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import normalise_newlines
from webquarry._read.text.characters import clean
from webquarry._read.text.fence import fence


class Xml(Format):
    name = "xml"
    media_types = ("application/xml", "text/xml", "application/xml-dtd")
    suffixes = (".xml", ".rdf", ".svg", ".xsd", ".xsl", ".xslt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        cleaned = clean(normalise_newlines(source.text.text))
        return ConvertedDocument(
            fence(cleaned.text, "xml") if cleaned.text.strip() else "",
            encoding=source.text.encoding,
            removed=cleaned.removed,
        )
