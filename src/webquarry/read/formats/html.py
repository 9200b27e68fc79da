"""HTML and XHTML: parsed, and converted whole. A page can also tell how it is built, should somebody doubt that it is one."""

from __future__ import annotations

from webquarry.read.format import Draft, Format, Source
from webquarry.read.html import parse_html
from webquarry.read.markdown import to_markdown
from webquarry.read.traits import traits_of


class Html(Format):
    name = "html"
    media_types = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
    suffixes = (".html", ".htm", ".xhtml", ".shtml")

    def to_markdown(self, source: Source) -> Draft:
        document = parse_html(source.text.text)
        page = to_markdown(document, source.url)
        return Draft(
            page.text,
            title=page.title,
            encoding=source.text.encoding,
            removed=page.removed,
            notes=(*document.notes, *page.notes),
            traits=lambda: traits_of(document.elements()),
        )
