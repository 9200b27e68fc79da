"""Reads the page at a URL as Markdown.

    site reader, if one matches the URL -> fetch -> read_reply() (`reply.py`), in a worker

`read` returns the main content of a page (Markdown is accepted in the same request) or the whole
page; `fetch` and `fetch_raw` return the response, for other jobs. Pages are untrusted, so all steps
after the fetch run in a worker (`workers/`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from webquarry._read.encoding.signatures import binary_type
from webquarry._read.models import Page
from webquarry._read.page_form import (
    build_page,
    build_reply,
    describe_page,
    describe_reply,
    pack_fields,
    unpack_fields,
)
from webquarry._read.workers.job import Job, JobFunction, job
from webquarry.clock import Clock
from webquarry.errors import LoginWall, NotFound, NotRecorded, WebquarryError
from webquarry.net.models import Reply, Validators
from webquarry.progress import note
from webquarry.secret import redact
from webquarry.settings import Settings

if TYPE_CHECKING:
    from webquarry._read.format import Selection
    from webquarry._read.linked_styles import GetStyle
    from webquarry._read.sites.site import SiteReader, SiteReply
    from webquarry._read.workers.job import JobRunner
    from webquarry.net.client import Client

log = logging.getLogger(__name__)

ACCEPT = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5"
# Some servers send Markdown only if it has the highest quality value, and ignore wildcards.
ACCEPT_MARKDOWN = (
    "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
)
_NOT_ACCEPTABLE = 406


@dataclass(frozen=True)
class FetchedPage:
    """A fetched page that is parsed in a worker, or a page that is already complete."""

    requested_url: str
    reply: Reply | None = None
    special: Page | None = None  # complete, from a provider of page contents
    site: SiteReply | None = None  # replies of an API, written by a site reader
    notes: tuple[str, ...] = ()  # on how it was fetched
    styles: bytes = b""  # packed style sheets of its site that it links to
    is_rendered: bool = False  # the body of the reply is a DOM snapshot of a browser
    lost: tuple[str, ...] = ()  # notes on missing content

    def to_job(self, function: JobFunction, **arguments: Any) -> Job:
        """Return a job on the fetched page; `FetchedPage.of` restores it there."""
        arguments |= {"requested_url": self.requested_url, "notes": self.notes}
        if self.special is not None:
            arguments["special"] = describe_page(self.special)
            return Job(function, arguments, self.special.text.data, redact(self.requested_url))
        if self.site is not None:
            arguments["site"] = describe_site_reply(self.site)
            return Job(function, arguments, self.site.body, redact(self.requested_url))
        assert self.reply is not None
        arguments["reply"] = describe_reply(self.reply)
        is_binary = bool(binary_type(self.reply.body))
        subject = redact(self.reply.url)
        arguments["styles"] = len(self.styles)
        if self.is_rendered:
            arguments["rendered"] = {"lost": self.lost}
        return Job(function, arguments, (self.reply.body, self.styles), subject, isolated=is_binary)

    @classmethod
    def of(cls, job: Job) -> FetchedPage:
        """Restore the fetched page of a job."""
        arguments = job.arguments
        requested_url = arguments["requested_url"]
        notes = tuple(arguments["notes"])
        if "special" in arguments:
            special = build_page(arguments["special"], job.body)
            return cls(requested_url, special=special, notes=notes)
        if "site" in arguments:
            site = build_site_reply(arguments["site"], job.body)
            return cls(requested_url, site=site, notes=notes)
        body, styles = job.body, b""
        if arguments["styles"]:  # after the page
            size = len(body) - arguments["styles"]
            body, styles = body[:size], body[size:]
        reply = build_reply(arguments["reply"], body)
        fetched = cls(requested_url, reply, notes=notes, styles=styles)
        if "rendered" not in arguments:
            return fetched
        return replace(fetched, is_rendered=True, lost=tuple(arguments["rendered"]["lost"]))

    def parse(self, selection: Selection = "main") -> Page:
        """Parse the page; runs in a worker."""
        from webquarry._read.markdown.foreign import read_markdown
        from webquarry._read.reply import read_rendered, read_reply

        if self.special is not None:
            content = read_markdown(self.special.markdown, self.special.url)
            return replace(
                self.special,
                text=content.written,
                blocks=content.blocks,
                removed=content.removed,
            )
        if self.site is not None:
            page = write_site_page(self.site, self.requested_url)
            return replace(page, notes=(*page.notes, *self.notes))
        assert self.reply is not None
        if self.is_rendered:
            page = read_rendered(self.requested_url, self.reply, selection)
            lost = (*page.lost, *self.lost)
            return replace(page, notes=(*page.notes, *self.notes, *self.lost), lost=lost)
        page = read_reply(self.requested_url, self.reply, selection, self.styles)
        if not self.notes:
            return page
        return replace(page, notes=(*page.notes, *self.notes))


def describe_site_reply(site: SiteReply) -> dict[str, Any]:
    """Return the fields of a reply as JSON, without its body."""
    return {
        "reader": site.reader,
        "fetched_at": site.fetched_at.isoformat(),
        "data": site.data,
    }


def build_site_reply(fields: dict[str, Any], body: bytes) -> SiteReply:
    """Restore a described reply."""
    from webquarry._read.sites.site import SiteReply

    moment = datetime.fromisoformat(fields["fetched_at"])
    return SiteReply(fields["reader"], moment, fields["data"], body)


def write_site_page(site: SiteReply, url: str) -> Page:
    """Convert the replies of an API to a page."""
    from webquarry._read.sites.site import load_readers

    return load_readers()[site.reader].write(site, url)


@job("read page")
def read_page(job: Job) -> bytes:
    """Parse a fetched page; return its fields and its Markdown."""
    page = FetchedPage.of(job).parse(job.arguments["selection"])
    return pack_fields(describe_page(page), page.text.data)


@job("judge reply")
def judge_reply(job: Job) -> bytes:
    """Raise an error unless the reply is a page."""
    from webquarry._read.reply import raw_reply

    fetched = FetchedPage.of(job)
    assert fetched.reply is not None
    raw_reply(fetched.requested_url, fetched.reply)
    return b""


class Reader:
    """Reads pages through one client."""

    def __init__(
        self,
        client: Client,
        settings: Settings | None = None,
        clock: Clock | None = None,
        runner: JobRunner | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        from webquarry._read.sites.site import SiteContext
        from webquarry._read.workers.pool import ThreadRunner

        self._client = client
        self._context = SiteContext(client, settings or Settings(), clock or Clock(), environ)
        self.runner = runner or ThreadRunner()

    async def read(self, url: str, *, selection: Selection = "whole") -> Page:
        """Read the page at a URL. Raises the errors of the client, and errors for walls and empty
        pages.
        """
        self.runner.prepare()
        if selection == "main":
            fetched = await self.fetch(url)
        else:
            reply = await self._client.fetch(url, accept=ACCEPT)
            fetched = FetchedPage(url, reply)
        packed = await self.runner.run(fetched.to_job(read_page, selection=selection))
        return build_page(*unpack_fields(packed))

    async def fetch(
        self,
        url: str,
        get_style: GetStyle | None = None,
        known: Validators | None = None,
        *,
        by_api: bool = True,
    ) -> FetchedPage:
        """Fetch a URL, to be parsed for its main part: through the API of its site if
        there is a site reader, otherwise the page itself, as Markdown if the server has that.

        With `get_style` the style sheets of its site are fetched, too. With `known` the server can
        answer that the page has not changed.
        """
        from webquarry._read.sites.site import find_page_reader, find_reader

        self.runner.prepare()
        notes: tuple[str, ...] = ()
        site = find_reader(url, self._context.settings) if by_api else None
        if site is not None:
            found, notes = await self._ask_site(url, site)
            if found is not None:
                return found
        note("fetching the page")
        reply = await self._client.fetch(url, accept=ACCEPT_MARKDOWN, known=known)
        if reply.is_unchanged and known is not None:
            return FetchedPage(url, reply, notes=notes)
        if reply.status == _NOT_ACCEPTABLE:  # a server without content negotiation
            reply = await self._client.fetch(url, accept=ACCEPT)
        site = find_page_reader(reply) if by_api else None
        if site is not None:
            found, failures = await self._ask_site(url, site, reply)
            if found is not None:
                return replace(found, notes=notes)
            notes += failures
        styles = b""
        if get_style is not None:
            from webquarry._read.linked_styles import fetch_styles

            styles = await fetch_styles(reply, get_style)
        note("reading the page")
        return FetchedPage(url, reply, notes=notes, styles=styles)

    async def _ask_site(
        self, url: str, site: SiteReader, page: Reply | None = None
    ) -> tuple[FetchedPage | None, tuple[str, ...]]:
        """Read a URL, or a fetched page that lacks its text, through the API of its site.

        Returns a note if that fails and the page itself must be read. NotFound and LoginWall are
        raised.
        """
        from webquarry._read.sites.site import SiteRequest

        request = SiteRequest(site, url, self._context)
        try:
            if page is None:
                found = await site.fetch(request)
            else:
                note("requesting the API of the site")
                found = await site.fetch_instead(request, page)
        except (NotFound, LoginWall):
            raise
        except NotRecorded:
            log.debug("the recording has the page %s but not its API", redact(url))
            return None, ()
        except WebquarryError as error:
            reason = redact(error.sentence)
            return None, (
                f"The page itself was read, because its API ({site.name}) failed: {reason}",
            )
        if isinstance(found, Reply):
            return FetchedPage(url, found), ()
        return FetchedPage(url, site=found), ()

    async def fetch_raw(self, url: str, limit: int | None = None) -> FetchedPage:
        """Fetch a URL without conversion; with a limit, at most that many bytes."""
        self.runner.prepare()
        note("fetching the page")
        if limit is None:
            return FetchedPage(url, await self._client.fetch(url, accept=ACCEPT))
        return FetchedPage(url, await self._client.peek(url, limit, accept=ACCEPT))
