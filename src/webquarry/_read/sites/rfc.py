"""RFCs and Internet-Drafts: their records, and their plain text converted to Markdown.

API: https://www.rfc-editor.org/rfc/rfc9110.json, https://datatracker.ietf.org/doc/NAME/doc.json
"""

from __future__ import annotations

import re

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter

_EDITOR = "https://www.rfc-editor.org"
_TRACKER = "https://datatracker.ietf.org"
_ARCHIVE = "https://www.ietf.org"
_RFC = r"/(?:rfc|info|html|doc|doc/html|rfc/html)/rfc([0-9]{1,5})(?:\.(?:html|txt|json))?/?"
_DRAFT = (
    r"/(?:doc|doc/html|html|archive/id)/"
    r"(draft-[a-z0-9-]{1,150}?)(?:-([0-9]{2}))?(?:\.(?:txt|html))?/?"
)
_FOOTER = r"\S.{0,90}\[Page [0-9ivxl]{1,6}\]"
_HEADER = r"(?:RFC [0-9]{1,5}|Internet-Draft) {2,40}\S.{0,90}[0-9]{4}"
_NUMBERED = r"((?:[0-9]{1,3}\.){1,8}|[0-9]{1,3}(?:\.[0-9]{1,3}){1,7}) {1,3}\S.{0,150}"
_APPENDIX = r"(?:Appendix )?[A-Z](?:\.[0-9]{1,3}){0,6}\.? {1,3}\S.{0,150}"
_ITEM = r"(?:[o*+-]|[0-9]{1,3}[.)]|\([a-z0-9]{1,3}\)) {1,4}(?=\S)"
_INDENT = 3  # columns of prose


class RfcReader(SiteReader):
    name = "rfc"
    hosts = "rfc-editor.org datatracker.ietf.org tools.ietf.org ietf.org"

    def match(self, url: httpx2.URL) -> re.Match[str] | None:
        return re.fullmatch(_RFC, url.path) or re.fullmatch(_DRAFT, url.path)

    async def fetch(self, request: SiteRequest) -> SiteReply:
        if request.target[1].isdigit():
            return await _fetch_rfc(request, str(int(request.target[1])))
        return await _fetch_draft(request, *request.target.groups(""))

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url)
        record = page.data.object("record")
        number, draft = page.data.text("number"), page.data.text("draft")
        names = [author.text("name") for author in record.objects("authors")]
        authors = ", ".join(record.texts("authors") or names)
        if number:
            title = f"RFC {number}: {record.text('title')}".rstrip(": ")
            facts = _write_rfc_facts(record, authors, page)
        else:
            title = record.text("title") or draft
            facts = _write_draft_facts(draft, record, authors, page)
        return page.build_page(
            [*facts, *_write_text(page.text, page)],
            title,
            url=page.data.text("home"),
            author=authors,
            published=record.day("time"),
        )


async def _fetch_rfc(request: SiteRequest, number: str) -> SiteReply:
    base = request.at("rfc_editor", _EDITOR, f"/rfc/rfc{number}")
    missing = f"There is no RFC {number}."
    text = await request.get(f"{base}.txt", missing)
    unknown = "Whether it was updated or obsoleted is unknown"
    requested = request.get_json(f"{base}.json", missing)
    record = await request.optional(requested, unknown, JsonData({}))
    home = f"{_EDITOR}/rfc/rfc{number}"
    data = {"number": number, "home": home, "record": record.value}
    return request.build_reply(data, text.body)


async def _fetch_draft(request: SiteRequest, name: str, revision: str) -> SiteReply:
    """Request a draft; the newest revision unless the URL names another."""
    url = request.at("datatracker", _TRACKER, f"/doc/{name}/doc.json")
    record = await request.get_json(url, f"There is no Internet-Draft {name}.")
    draft = f"{name}-{revision or record.text('rev')}"
    url = request.at("ietf", _ARCHIVE, f"/archive/id/{draft}.txt")
    text = await request.get(url, f"There is no Internet-Draft {draft}.")
    data = {"draft": draft, "record": record.value, "home": f"{_TRACKER}/doc/{name}/"}
    return request.build_reply(data, text.body)


def _write_rfc_facts(record: JsonData, authors: str, page: Composer) -> list[str]:
    """Write what obsoletes or updates an RFC first, then its other facts."""

    def list_names(field: str) -> str:
        return ", ".join(map(page.name, record.texts(field)))

    facts = [
        page.name(record.text("status")),
        page.name(record.text("pub_date")),
        page.name(authors),
        page.label("obsoletes ", list_names("obsoletes")),
        page.label("updates ", list_names("updates")),
        page.label("doi:", page.name(record.text("doi"))),
    ]
    return [
        page.strong(page.label("Obsoleted by ", list_names("obsoleted_by"))),
        page.strong(page.label("Updated by ", list_names("updated_by"))),
        page.facts(facts),
    ]


def _write_draft_facts(draft: str, record: JsonData, authors: str, page: Composer) -> list[str]:
    newest = record.text("rev")
    facts = [
        page.name(draft),
        page.name(record.text("state")),
        page.name(record.text("iesg_state")),
        page.label("intended status: ", page.name(record.text("intended_std_level"))),
        record.day("time"),
        page.name(authors),
    ]
    blocks = [page.strong("A draft: work in progress, not a standard")]
    if newest and not draft.endswith(f"-{newest}"):
        blocks.append(page.strong(f"Revision {page.name(newest)} is newer"))
    return [*blocks, page.facts(facts)]


def _write_text(text: str, page: Composer) -> list[Content]:
    """Convert the text from its first heading on, without page breaks and table of contents."""
    blocks: list[Content] = []
    is_skipped = True  # the head of the first page, later the table of contents
    for paragraph in re.split(r"\n(?:[ \t]*\n)+", _join_pages(text)):
        lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
        heading = _read_heading(lines)
        if heading:
            level, title = heading
            is_skipped = title.lower() == "table of contents"
            if not is_skipped:
                blocks.append(page.heading(level, page.name(title)))
        elif lines and not is_skipped:
            blocks.append(_write_paragraph(lines, page))
    return blocks


def _join_pages(text: str) -> str:
    """Remove footers and headers of pages; a sentence that continues after them is joined."""
    lines: list[str] = []
    is_break = False
    for line in text.replace("\r\n", "\n").replace("\f", "").split("\n"):
        line = line.rstrip()
        if re.fullmatch(_FOOTER, line):
            is_break = True
            while lines and not lines[-1]:
                lines.pop()
        elif not is_break:
            lines.append(line)
        elif line and not re.fullmatch(_HEADER, line):
            is_break = False
            is_open = bool(lines) and not lines[-1].endswith((".", ":", "!", "?"))
            if not (is_open and line.startswith(" " * _INDENT) and line.strip()[:1].islower()):
                lines.append("")
            lines.append(line)
    return "\n".join(lines)


def _read_heading(lines: list[str]) -> tuple[int, str] | None:
    """Return the level and the title of a heading: at most two lines without indentation."""
    if not lines or lines[0].startswith(" ") or len(lines) > 2:
        return None
    title = " ".join(" ".join(lines).split())
    numbered = re.fullmatch(_NUMBERED, lines[0])
    if numbered:
        return min(2 + numbered[1].strip(".").count("."), 6), title
    is_title = title[:1].isupper() and len(title) < 100 and not title.endswith((".", ",", ";"))
    return (2, title) if is_title or re.fullmatch(_APPENDIX, lines[0]) else None


def _write_paragraph(lines: list[str], page: Composer) -> Content:
    """Write prose, a list item, or a figure: lines that are indented or aligned in columns."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    texts = [line.strip() for line in lines]
    item = re.match(_ITEM, texts[0])
    if item and indent <= _INDENT + 3:
        rest = " ".join([texts[0][item.end() :], *texts[1:]])
        return page.items([page.name(rest)])
    aligned = sum("   " in text or text.startswith(("+-", "|")) for text in texts)
    if indent > _INDENT or aligned * 2 > len(texts):
        return page.code("\n".join(line[indent:] for line in lines))
    return page.paragraphs(" ".join(texts))
