"""RFCs and Internet-Drafts: what the editor's record says of them, and their plain text as
Markdown: sections, and figures in fences, without page breaks and the table of contents.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_objects,
    get_text,
    get_texts,
)
from webquarry._read.special._parts.rfc_text import write_rfc_text
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter, check_status
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import WebquarryError

EDITOR = "https://www.rfc-editor.org"
TRACKER = "https://datatracker.ietf.org"
ARCHIVE = "https://www.ietf.org"
_HOSTS = frozenset({
    "rfc-editor.org", "www.rfc-editor.org", "datatracker.ietf.org", "tools.ietf.org",
    "ietf.org", "www.ietf.org",
})  # fmt: skip
_RFC = re.compile(
    r"/(?:rfc|info|html|doc|doc/html|rfc/html)/rfc([0-9]{1,5})(?:\.(?:html|txt|json))?/?"
)
_DRAFT = re.compile(
    r"/(?:doc|doc/html|html|archive/id)/"
    r"(draft-[a-z0-9-]{1,150}?)(?:-([0-9]{2}))?(?:\.(?:txt|html))?/?"
)


class RfcReader(SpecialReader):
    name = "rfc"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        if url.host not in _HOSTS:
            return False
        return bool(_RFC.fullmatch(url.path) or _DRAFT.fullmatch(url.path))

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        path = httpx2.URL(url).path
        request = SiteRequest(self.name, url, context)
        found = _RFC.fullmatch(path)
        if found:
            return await _fetch_rfc(request, str(int(found[1])))
        draft = _DRAFT.fullmatch(path)
        assert draft is not None
        return await _fetch_draft(request, draft[1], draft[2] or "")

    def write(self, reply: SiteReply, url: str) -> Page:
        record = get_fields(reply.data, "record")
        writer = SiteWriter(reply, url)
        text = reply.body.decode("utf-8", "replace")
        number = get_text(reply.data, "number")
        title = get_text(record, "title")
        if number:
            title = f"RFC {number}: {title}".rstrip(": ")
            facts = _write_rfc_facts(record, writer.composer)
            authors = get_texts(record, "authors")
        else:
            title = title or get_text(reply.data, "draft")
            facts = _write_draft_facts(reply.data, record, writer.composer)
            authors = [get_text(author, "name") for author in get_objects(record, "authors")]
        markdown = join_blocks(
            [f"# {writer.composer.name(title)}", facts, write_rfc_text(text, writer.composer)]
        )
        return writer.build_page(
            markdown,
            title,
            url=get_text(reply.data, "home"),
            author=", ".join(authors),
            published=get_day(record, "time"),
            lost=get_texts(reply.data, "lost"),
        )


async def _fetch_rfc(request: SiteRequest, number: str) -> SiteReply:
    """The text of an RFC, and its record where that can be had."""
    context = request.context
    missing = f"There is no RFC {number}."
    reply = await request.send(context.url("rfc_editor", EDITOR, f"/rfc/rfc{number}.txt"))
    check_status(reply, missing)
    home = f"{EDITOR}/rfc/rfc{number}"
    data: dict[str, Any] = {"number": number, "home": home, "lost": []}
    try:
        record = context.url("rfc_editor", EDITOR, f"/rfc/rfc{number}.json")
        data["record"] = await request.get_json(record, missing)
    except WebquarryError as error:
        data["lost"].append(f"Whether it was updated or obsoleted is not known: {error.sentence}")
    return request.build_reply(data, reply.body)


async def _fetch_draft(request: SiteRequest, name: str, revision: str) -> SiteReply:
    """The text of a draft, of the newest revision unless another is wanted, and its record."""
    context = request.context
    missing = f"There is no Internet-Draft {name}."
    address = context.url("datatracker", TRACKER, f"/doc/{name}/doc.json")
    record = get_fields(await request.get_json(address, missing))
    wanted = revision or get_text(record, "rev")
    path = f"/archive/id/{name}-{wanted}.txt"
    reply = await request.send(context.url("ietf", ARCHIVE, path))
    check_status(reply, f"There is no revision {wanted} of {name}.")
    data = {
        "draft": f"{name}-{wanted}",
        "revision": wanted,
        "record": record,
        "home": f"{TRACKER}/doc/{name}/",
        "lost": [],
    }
    return request.build_reply(data, reply.body)


def _write_rfc_facts(record: Mapping[str, Any], composer: Composer) -> str:
    """What became of an RFC first, then what it is."""
    warnings = []
    for label, field in (("Obsoleted by", "obsoleted_by"), ("Updated by", "updated_by")):
        others = get_texts(record, field)
        if others:
            warnings.append(f"**{label} {composer.name(', '.join(others))}**")
    obsoletes = ", ".join(get_texts(record, "obsoletes"))
    updates = ", ".join(get_texts(record, "updates"))
    errata = get_text(record, "errata_url")
    facts = join_facts(
        [
            composer.name(get_text(record, "status")),
            composer.name(get_text(record, "pub_date")),
            composer.name(", ".join(get_texts(record, "authors"))),
            f"obsoletes {composer.name(obsoletes)}" if obsoletes else "",
            f"updates {composer.name(updates)}" if updates else "",
            f"doi:{composer.name(get_text(record, 'doi'))}" if get_text(record, "doi") else "",
            composer.link("errata", errata) if errata else "",
        ]
    )
    return join_blocks([*warnings, facts])


def _write_draft_facts(
    data: Mapping[str, Any], record: Mapping[str, Any], composer: Composer
) -> str:
    """What a draft is, and whether there is a newer one."""
    warnings = ["**A draft: work in progress, not a standard**"]
    newest = get_text(record, "rev")
    if newest and newest != get_text(data, "revision"):
        warnings.append(f"**Revision {composer.name(newest)} is newer**")
    authors = ", ".join(get_text(author, "name") for author in get_objects(record, "authors"))
    level = get_text(record, "intended_std_level")
    facts = join_facts(
        [
            composer.name(get_text(data, "draft")),
            composer.name(get_text(record, "state")),
            composer.name(get_text(record, "iesg_state")),
            f"meant as {composer.name(level)}" if level else "",
            get_day(record, "time"),
            composer.name(authors),
        ]
    )
    return join_blocks([*warnings, facts])
