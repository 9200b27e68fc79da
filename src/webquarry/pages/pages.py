"""Snapshots of pages by URL: the cache of the URL path.

    Pages.get -> cache -> Reader.fetch -> (in a job: parse, evidence, snapshot) -> retraction

Pages that are empty without their scripts are rendered by a browser in between. A snapshot is
stored for an hour, so that slices of one page (its outline, a section, the next piece) are of the
same text.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from httpx2 import Headers

from webquarry._read.linked_styles import MOST_BYTES, find_addresses
from webquarry._read.page_form import unpack_fields
from webquarry._read.reader import FetchedPage, Reader
from webquarry._read.workers.job import Job, JobRunner
from webquarry.clock import Clock
from webquarry.errors import ScriptPage, ThinPage, Unreadable, WebquarryError
from webquarry.evidence.models import RetractionStatus
from webquarry.net.client import Client
from webquarry.net.models import Reply
from webquarry.pages.jobs import (
    build_description_job,
    take_raw_snapshot,
    take_snapshot,
    take_words,
)
from webquarry.pages.kept import EarlierPage, EarlierPages, build_kept_page
from webquarry.pages.snapshot import (
    Snapshot,
    add_retraction,
    dump_part,
    pack_snapshot,
    unpack_snapshot,
)
from webquarry.pages.words import KeptWords, unpack_words
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, Made, key_of

if TYPE_CHECKING:
    from webquarry._read.browser.page import RenderedPage
    from webquarry._read.browser.renderer import PageRenderer
    from webquarry.library.library import Library
    from webquarry.pages.exa import ExaContents

log = logging.getLogger(__name__)

_VERSION = 8  # of stored snapshots
_STYLE_VERSION = 1
_RETRACTION_VERSION = 1
_RETRACTION_SECONDS = 86_400.0
_CROSSREF_TIMEOUT = 8.0
_DELAY_SECONDS = 0.02  # after which a search is not answered by the cache
_MIN_RAW_BYTES = 256 * 1024  # enough to recognise a wall
_SPARE_BYTES = 16  # the end may be in the middle of a character

_RENDER_ADVICE = (
    "Call again with render auto, which runs the scripts of the page, or choose another source."
)
_SHORT_SECONDS = 6.0  # for a page that can be read without its scripts
_MAX_RENDERED = 5_000_000  # bytes; larger pages take a browser minutes
_RENDERED_KINDS = ("text/html", "application/xhtml+xml", "")
_UNSETTLED_NOTE = (
    "The page was read before its scripts came to an end: something may be missing or about to "
    "change."
)
_BUDGET_NOTE = (
    "The page asked for more than one page may (requests, bytes or posts): something may be "
    "missing."
)

# The main content of a page, or all that is visible.
ReadMode = Literal["main", "whole"]
# Whether the scripts of a page are run: if it is empty without them, always, or never.
RenderMode = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class PageRequest:
    """A page to read, and how."""

    url: str
    mode: ReadMode = "main"
    render: RenderMode = "auto"
    with_styles: bool = False
    fresh: bool = False
    key: str = ""  # of its snapshot


class Pages:
    """Reads pages and stores their snapshots."""

    def __init__(
        self,
        client: Client,
        reader: Reader,
        cache: Cache,
        settings: Settings,
        clock: Clock,
        get_renderer: Callable[[], PageRenderer] | None = None,
        contents: ExaContents | None = None,
        library: Library | None = None,
    ) -> None:
        self._library = library
        self.clock = clock
        self._client = client
        self._get_renderer = get_renderer
        self._contents = contents
        self._reader = reader
        self._cache = cache
        self._earlier = EarlierPages(cache, settings)
        self._settings = settings

    @property
    def runner(self) -> JobRunner:
        """The runner of jobs on pages."""
        return self._reader.runner

    @property
    def _renderer(self) -> PageRenderer | None:
        """The browser, which is loaded when the first page needs it."""
        return None if self._get_renderer is None else self._get_renderer()

    @contextmanager
    def prepare_meanwhile(self, pages: int) -> Iterator[None]:
        """Start workers for several pages unless the block, such as a cached search, is fast."""
        loop = asyncio.get_running_loop()
        timer = loop.call_later(_DELAY_SECONDS, self.runner.prepare, pages)
        try:
            yield
        finally:
            timer.cancel()

    async def get(
        self,
        url: str,
        mode: ReadMode = "main",
        *,
        with_styles: bool = False,
        fresh: bool = False,
        render: RenderMode = "auto",
    ) -> Snapshot:
        """Return the snapshot of a URL from the cache, or a new one.

        With `with_styles` the style sheets of its site are applied; a cached snapshot without them
        is replaced. With `fresh` the page is read now.
        """
        with_styles = with_styles and self._settings.linked_styles and render != "always"
        key = self._build_key(url, mode, render)

        async def read(fresh: bool) -> Snapshot:
            async def make() -> Made:
                request = PageRequest(url, mode, render, with_styles, fresh, key)
                return Made(await self._read(request), self._settings.cache_read_seconds)

            found = await self._cache.get_or_make(key, make, fresh=fresh)
            return unpack_snapshot(found.value, cached=found.cached)

        snapshot = await read(fresh)
        if with_styles and snapshot.is_unstyled:
            return await read(fresh=True)
        return snapshot

    async def get_words(self, url: str, *, fresh: bool = False) -> KeptWords:
        """Return the words of the whole page at a URL, for quote checks."""

        async def make() -> Made:
            request = PageRequest(url, "whole", fresh=fresh)
            return Made(await self._read_words(request), self._settings.cache_read_seconds)

        found = await self._cache.get_or_make(self._build_key(url, "words"), make, fresh=fresh)
        return unpack_words(found.value, cached=found.cached)

    async def _read_words(self, request: PageRequest) -> bytes:
        fetched = await self._fetch(request)
        try:
            return await self.runner.run(fetched.to_job(take_words))
        except ScriptPage as error:
            if fetched.reply is None or self._renderer is None:
                raise
            self._renderer.require_program(error)
            rendered = await self._renderer.render(request.url, fetched.reply, None)
            return await self.runner.run(_as_fetched(request.url, rendered).to_job(take_words))

    async def find_kept_words(self, url: str) -> KeptWords | None:
        """Return the cached words of the page at a URL."""
        found = await self._cache.get(self._build_key(url, "words"))
        return None if found is None else unpack_words(found.value, cached=True)

    async def get_raw(self, url: str, needed: int, *, fresh: bool = False) -> Snapshot:
        """Return at least the first `needed` bytes at a URL; little more is fetched. A cached
        snapshot that is too short is replaced.
        """
        most = self._settings.max_bytes
        limit = min(max(_MIN_RAW_BYTES, needed + _SPARE_BYTES), most)
        while True:
            make = partial(self._make_raw, url, limit, fresh=fresh)
            found = await self._cache.get_or_make(self._build_key(url, "raw"), make, fresh=fresh)
            snapshot = unpack_snapshot(found.value, cached=found.cached)
            cut_at = snapshot.cut_at
            if cut_at is None or cut_at >= most or len(snapshot.data) >= needed:
                return snapshot
            limit = min(max(limit, 2 * cut_at), most)
            fresh = True

    async def _make_raw(self, url: str, limit: int, *, fresh: bool) -> Made:
        fetched = await self._reader.fetch_raw(url, limit)
        packed = await self._take(fetched.to_job(take_raw_snapshot), fresh=fresh)
        return Made(packed, self._settings.cache_read_seconds)

    async def read_file(self, path: Path) -> Snapshot:
        """Read a local file as a page, for the library."""
        kind, _ = guess_type(path.name)
        headers = Headers({"content-type": kind or "application/octet-stream"})
        body = await asyncio.to_thread(path.read_bytes)
        url = Path(os.path.abspath(path)).as_uri()  # noqa: PTH100, ASYNC240 - no file access
        reply = Reply(url, 200, headers, body, self.clock.now())
        job = FetchedPage(reply.url, reply).to_job(take_snapshot, selection="main")
        return unpack_snapshot(await self._take(job, fresh=False), cached=False)

    async def describe_kept(self, url: str) -> bytes | None:
        """Return the cached snapshot of a URL as JSON; None if there is none."""
        snapshot = await self.find_cached(url)
        return None if snapshot is None else await self.runner.run(build_description_job(snapshot))

    async def find_cached(self, url: str) -> Snapshot | None:
        """Return the cached snapshot of a URL that was read as main content."""
        found = await self._cache.get(self._build_key(url, "main"))
        return None if found is None else unpack_snapshot(found.value, cached=True)

    def _build_key(self, url: str, mode: str, render: RenderMode = "auto") -> str:
        parameters: dict[str, Any] = {
            "url": url,
            "mode": mode,
            "render": render,
            "settings": self._deciding,
        }
        return key_of("snapshot", _VERSION, parameters)

    @cached_property
    def _deciding(self) -> str:
        """A digest of the settings that affect reading."""
        settings = self._settings
        origins = {name: redact(origin) for name, origin in sorted(settings.origins.items())}
        decisive = {
            "origins": origins,
            "youtube": [settings.youtube_languages, settings.youtube_clients],
            "may": [
                settings.robots,
                settings.allow_private,
                [str(network) for network in settings.allow_networks],
            ],
            "good": settings.cache_read_seconds,
            "tiers": [settings.render, settings.exa_contents],
            "reddit": settings.reddit,
        }
        return sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()

    async def _read(self, request: PageRequest) -> bytes:
        """Return the packed snapshot of a page; if it cannot be read here, of the copy of Exa."""
        try:
            return await self._read_here(request)
        except WebquarryError as error:
            page = None
            if self._contents is not None:
                page = await self._contents.find(request.url, error)
            if page is None:
                raise
        fetched = FetchedPage(request.url, special=page)
        return await self._take(fetched.to_job(take_snapshot, selection=request.mode))

    async def _read_here(self, request: PageRequest) -> bytes:
        """Read a page, with its scripts run if it is empty without them."""
        earlier = None if request.fresh else await self._find_earlier(request)
        fetched = await self._fetch(request, earlier)
        reply = fetched.reply
        if reply is not None and reply.is_unchanged and earlier is not None:
            renewed = earlier.renew(reply.fetched_at)
            await self._earlier.keep(request.key, reply, renewed, earlier)
            return renewed
        if request.render == "always" and reply is not None and _can_render(reply):
            return await self._render(request, reply)
        job = fetched.to_job(
            take_snapshot,
            selection=request.mode,
            is_unstyled=self._is_unstyled(request, reply),
        )
        try:
            fields, packed = unpack_fields(await self.runner.run(job))
        except ScriptPage as error:
            if request.render == "never":
                error.suggested_action = _RENDER_ADVICE
                raise
            if reply is None or self._renderer is None:
                raise
            self._renderer.require_program(error)
            return await self._render(request, reply)
        except ThinPage:
            rendered = await self._try_render(request, reply)
            if rendered is None:
                raise
            return rendered
        # a fragment such as `#/letters/2` names a view that scripts make
        is_view = request.url.partition("#")[2].startswith(("/", "!"))
        if fields["need"] or is_view:
            rendered = await self._try_render(request, reply)
            if rendered is not None:
                return rendered
        self._keep_in_library(fields, packed)
        completed = await self._complete(fields["doi"], packed, fresh=request.fresh)
        await self._earlier.keep(request.key, reply, completed, earlier)
        return completed

    async def _find_earlier(self, request: PageRequest) -> EarlierPage | None:
        """Return the expired snapshot of a page, if it can be revalidated."""
        earlier = await self._earlier.find(request.key)
        if earlier is None or not request.with_styles:
            return earlier
        return None if unpack_snapshot(earlier.packed, cached=False).is_unstyled else earlier

    def _is_unstyled(self, request: PageRequest, reply: Reply | None) -> bool:
        """Return whether a page links to style sheets that were not requested."""
        if reply is None or request.with_styles or request.render == "always":
            return False
        return self._settings.linked_styles and bool(find_addresses(reply))

    async def _render(
        self, request: PageRequest, reply: Reply, seconds: float | None = None
    ) -> bytes:
        """Read a page in the browser."""
        if self._renderer is None:
            raise ScriptPage(f"{redact(request.url)} needs its scripts, which are not run here.")
        rendered = await self._renderer.render(request.url, reply, seconds)
        job = _as_fetched(request.url, rendered).to_job(take_snapshot, selection=request.mode)
        return await self._take(job, fresh=request.fresh)

    async def _try_render(self, request: PageRequest, reply: Reply | None) -> bytes | None:
        """Render a page that can be read without its scripts; None if that fails or takes long."""
        if reply is None or self._renderer is None or request.render == "never":
            return None
        if self._renderer.program is None or not _can_render(reply):
            return None
        try:
            return await self._render(request, reply, _SHORT_SECONDS)
        except WebquarryError as error:
            log.debug("%s was not rendered: %s", redact(request.url), redact(error.message))
            return None

    async def _take(self, job: Job, *, fresh: bool = False) -> bytes:
        """Return the packed snapshot of a job."""
        fields, packed = unpack_fields(await self.runner.run(job))
        self._keep_in_library(fields, packed)
        return await self._complete(fields["doi"], packed, fresh=fresh)

    def _keep_in_library(self, fields: dict[str, Any], packed: bytes) -> None:
        """Add a page to the library after the answer, if that is allowed."""
        if self._library is not None and fields.get("may_keep"):
            self._library.keep(partial(build_kept_page, packed), len(packed))

    async def _complete(self, doi: str | None, packed: bytes, *, fresh: bool) -> bytes:
        """Return a packed snapshot with the retraction status."""
        status, notes = await self._check_retraction(doi, fresh=fresh)
        if status is None and not notes:
            return packed
        snapshot = unpack_snapshot(packed, cached=False)
        return pack_snapshot(add_retraction(snapshot, status, notes))

    async def _fetch(self, request: PageRequest, earlier: EarlierPage | None = None) -> FetchedPage:
        """Fetch a URL, with the style sheets of its site if requested."""
        get_style = None
        if request.with_styles:
            get_style = partial(self._get_style, fresh=request.fresh)
        known = None if earlier is None else earlier.validators
        by_api = request.render != "always"
        return await self._reader.fetch(request.url, get_style, known, by_api=by_api)

    async def _get_style(self, url: str, *, fresh: bool = False) -> bytes:
        """Return a style sheet; it is cached as long as pages are."""

        async def make() -> Made:
            reply = await self._client.fetch_style(url, MOST_BYTES)
            if not 200 <= reply.status < 300 or reply.content_type != "text/css":
                raise Unreadable(f"{redact(url)} is no style sheet.")
            return Made(reply.body, self._settings.cache_read_seconds)

        key = key_of("style", _STYLE_VERSION, {"url": url, "settings": self._deciding})
        return (await self._cache.get_or_make(key, make, fresh=fresh)).value

    async def _check_retraction(
        self, doi: str | None, *, fresh: bool = False
    ) -> tuple[RetractionStatus | None, tuple[str, ...]]:
        """Return the retraction status of a paper by Crossref, and a note if that fails."""
        if doi is None:
            return None, ()

        async def make() -> Made:
            from webquarry.evidence.trust import retraction

            request = retraction.build_request(doi, self._settings)
            seconds = min(_CROSSREF_TIMEOUT, self._settings.timeout_seconds)
            reply = await self._client.send(request, timeout_seconds=seconds)
            status = dump_part(retraction.parse_reply(reply))
            return Made(json.dumps(status).encode(), _RETRACTION_SECONDS)

        origin = redact(self._settings.origins.get("crossref", ""))
        key = key_of("retraction", _RETRACTION_VERSION, {"doi": doi, "origin": origin})
        try:
            found = await self._cache.get_or_make(key, make, fresh=fresh)
        except WebquarryError as error:
            return None, (
                f"Whether the paper was retracted is not known: {redact(error.sentence)}",
            )
        status = json.loads(found.value)
        return RetractionStatus.from_json(status) if status else None, ()


def _can_render(reply: Reply) -> bool:
    """Return whether a browser may get more from a response."""
    is_ok = 200 <= reply.status < 300
    return is_ok and reply.content_type in _RENDERED_KINDS and len(reply.body) <= _MAX_RENDERED


def _as_fetched(url: str, rendered: RenderedPage) -> FetchedPage:
    """Return a rendered page, to be parsed."""
    lost = [] if rendered.is_settled else [_UNSETTLED_NOTE]
    lost += [] if rendered.is_whole else [_BUDGET_NOTE]
    notes: tuple[str, ...] = ()
    if rendered.blocked_frames:
        notes = (f"Frames that robots.txt does not allow: {rendered.blocked_frames}.",)
    return FetchedPage(url, rendered.reply, notes=notes, is_rendered=True, lost=tuple(lost))
