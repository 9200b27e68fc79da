"""What the formats that are read in a child process have in common: their bytes go there, a draft
comes back.
"""

from __future__ import annotations

from webquarry.read.documents.pool import read_document
from webquarry.read.encoding.signatures import binary_type
from webquarry.read.format import ConvertedDocument, FetchedDocument, Format


class DocumentFormat(Format):
    """A binary document. The first of its media types is the one that `signatures.py` gives it."""

    binary = True

    def recognises(self, body: bytes) -> bool:
        return binary_type(body) == self.media_types[0]

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        document = read_document(self.name, source.url, source.body)
        return ConvertedDocument(
            document.markdown,
            title=document.title,
            author=document.author,
            published=document.published,
            modified=document.modified,
            removed=document.removed,
            notes=document.notes,
            lost=document.lost,
        )
