"""XML: fenced, word for word. It is never parsed, so no entity of a hostile DOCTYPE can grow."""

from __future__ import annotations

from webquarry.read.format import Draft, Format, Source
from webquarry.read.formats.text import with_plain_newlines
from webquarry.read.text.characters import clean
from webquarry.read.text.fence import fence


class Xml(Format):
    name = "xml"
    media_types = ("application/xml", "text/xml", "application/xml-dtd")
    suffixes = (".xml", ".rdf", ".svg", ".xsd", ".xsl", ".xslt")

    def to_markdown(self, source: Source) -> Draft:
        cleaned = clean(with_plain_newlines(source.text.text))
        markdown = ""
        if cleaned.text.strip():
            markdown = fence(cleaned.text, "xml")
        return Draft(markdown, encoding=source.text.encoding, removed=cleaned.removed)
