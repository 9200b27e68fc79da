"""Plain text and formats that read as such (YAML, source code), with normalised newlines."""

from __future__ import annotations

from webquarry._read.format import ConvertedDocument, FetchedDocument, Format
from webquarry._read.text.characters import clean
from webquarry._read.text.fence import fence


class PlainText(Format):
    name = "text"
    media_types = (
        "text/plain",
        *(
            f"application/{name}"
            for name in (
                "graphql", "javascript", "jsonl", "sql", "toml", "x-javascript", "x-latex",
                "x-ndjson", "x-python", "x-sh", "x-subrip", "x-tex", "x-yaml", "yaml",
            )
        ),
    )  # fmt: skip
    suffixes = (".txt", ".text", ".log", ".rst", ".yaml", ".yml", ".toml")

    def to_markdown(self, source: FetchedDocument) -> ConvertedDocument:
        return show_text(source, source.text.text)


def show_text(
    source: FetchedDocument, text: str, language: str | None = None, notes: tuple[str, ...] = ()
) -> ConvertedDocument:
    """Return text as it was sent, in a fenced block if a language is given."""
    cleaned = clean(normalise_newlines(text))
    is_fenced = language is not None and cleaned.text.strip()
    return ConvertedDocument(
        fence(cleaned.text, language or "") if is_fenced else cleaned.text,
        encoding=source.text.encoding,
        removed=cleaned.removed,
        notes=notes,
    )


def normalise_newlines(text: str) -> str:
    """Return the text with line feeds only, and without any around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
