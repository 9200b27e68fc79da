"""PDF: headings by size, paragraphs put together again, tables, page marks; read in a child process
with limits.
"""

from __future__ import annotations

from webquarry._read.documents.format import DocumentFormat


class Pdf(DocumentFormat):
    name = "pdf"
    media_types = ("application/pdf", "application/x-pdf")
    suffixes = (".pdf",)
