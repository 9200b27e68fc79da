"""XML: fenced as it was sent. It is never parsed, so entities cannot expand."""

from __future__ import annotations

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.formats.text import show_text


class Xml(Format):
    name = "xml"
    media_types = ("application/xml", "text/xml", "application/xml-dtd")
    suffixes = (".xml", ".rdf", ".svg", ".xsd", ".xsl", ".xslt")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return show_text(source, source.text.text, "xml")
