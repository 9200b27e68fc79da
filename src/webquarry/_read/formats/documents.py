"""PDF, DOCX and PPTX, recognised by their first bytes."""

from __future__ import annotations

from webquarry._read.documents.format import DocumentFormat

_OFFICE = "application/vnd.openxmlformats-officedocument"


class Pdf(DocumentFormat):
    name = "pdf"
    media_types = ("application/pdf", "application/x-pdf")
    suffixes = (".pdf",)


class Docx(DocumentFormat):
    name = "docx"
    media_types = (
        f"{_OFFICE}.wordprocessingml.document",
        "application/vnd.ms-word.document.macroenabled.12",
    )
    suffixes = (".docx", ".docm")


class Pptx(DocumentFormat):
    name = "pptx"
    media_types = (
        f"{_OFFICE}.presentationml.presentation",
        f"{_OFFICE}.presentationml.slideshow",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    )
    suffixes = (".pptx", ".ppsx", ".pptm")
