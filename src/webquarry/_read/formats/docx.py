"""DOCX: straight from its zip, read in a child process with limits."""

from __future__ import annotations

from webquarry._read.documents.format import DocumentFormat


class Docx(DocumentFormat):
    name = "docx"
    media_types = (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.ms-word.document.macroenabled.12",
    )
    suffixes = (".docx", ".docm")
