"""PPTX: slides in order with their notes, straight from the zip, read in a child process with
limits.
"""

from __future__ import annotations

from webquarry._read.documents.format import DocumentFormat


class Pptx(DocumentFormat):
    name = "pptx"
    media_types = (
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    )
    suffixes = (".pptx", ".ppsx", ".pptm")
