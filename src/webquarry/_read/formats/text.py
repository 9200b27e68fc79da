"""Plain text and everything that reads as such (YAML, source code): as it is, with its line ends
normalised.
"""

from __future__ import annotations

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.text.characters import clean


class PlainText(Format):
    name = "text"
    media_types = (
        "text/plain",
        "application/graphql",
        "application/javascript",
        "application/jsonl",
        "application/sql",
        "application/toml",
        "application/x-javascript",
        "application/x-latex",
        "application/x-ndjson",
        "application/x-python",
        "application/x-sh",
        "application/x-subrip",
        "application/x-tex",
        "application/x-yaml",
        "application/yaml",
    )
    suffixes = (".txt", ".text", ".log", ".rst", ".yaml", ".yml", ".toml")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        text = normalise_newlines(source.text.text)
        cleaned = clean(text)
        return ConvertedDocument(
            cleaned.text,
            encoding=source.text.encoding,
            removed=cleaned.removed,
        )


def normalise_newlines(text: str) -> str:
    """Every line end as one line feed, and none around the text."""
    text = text.replace("\r\n", "\n")
    text = text.replace("\r", "\n")
    return text.strip("\n")
