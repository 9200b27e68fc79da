"""XML: fenced, word for word. It is never parsed, so no entity of a hostile DOCTYPE can grow."""

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
        text = normalise_newlines(source.text.text)
        cleaned = clean(text)
        markdown = ""
        if cleaned.text.strip():
            markdown = fence(cleaned.text, "xml")
        return ConvertedDocument(
            markdown,
            encoding=source.text.encoding,
            removed=cleaned.removed,
        )
