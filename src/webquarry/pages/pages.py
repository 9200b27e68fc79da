"""A URL -> a snapshot of the page there, with its evidence: the one cache of the URL path.

    Pages.get -> cache -> Reader.fetch -> (in a job: parse, evidence, snapshot) -> retraction

A page that is nothing without its scripts goes through a browser in between (`tiers/`).

A snapshot is kept for an hour, so that slices of one page (its outline, a section, the next piece)
are slices of the same text and cost one request.
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
from webquarry.evidence.trust import retraction
from webquarry.net.client import Client
from webquarry.net.models import Reply, Validators
from webquarry.pages.jobs import (
    build_description_job,
    take_raw_snapshot,
    take_snapshot,
    take_words,
)
from webquarry.pages.kept.earlier import EarlierPages
from webquarry.pages.kept.rules import build_kept_page
from webquarry.pages.snapshot import (
    Snapshot,
    add_retraction,
    dump_part,
    pack_snapshot,
    unpack_snapshot,
)
from webquarry.pages.tiers.contents import ContentsService, may_be_told
from webquarry.pages.tiers.rendering import (
    RENDER_ADVICE,
    SHORT_SECONDS,
    describe_render,
    is_rendered_kind,
    names_view,
)
from webquarry.pages.words import KeptWords, unpack_words
from webquarry.secret import redact
from webquarry.settings import Settings
from webquarry.store.cache import Cache, CachedValue, Made, key_of, name_variant

if TYPE_CHECKING:
    from webquarry._read.browser.renderer import PageRenderer
    from webquarry.library.library import Library

log = logging.getLogger(__name__)

_VERSION = 7  # of stored snapshots; older ones are read again
_STYLE_VERSION = 1
_RETRACTION_VERSION = 1
_RETRACTION_SECONDS = 86_400.0  # how long the state of a paper is good; that it is clean, too
_CROSSREF_TIMEOUT = 8.0
_DELAY_SECONDS = 0.02  # after which a search is not one that is kept

_LEAST_RAW_BYTES = 256 * 1024  # fetched in any case: a wall is known by more than a few bytes
_SPARE_BYTES = 16  # behind those that are wanted, which may end in the middle of a character

# What is wanted of a page: what a reader came for, or all that is seen.
ReadMode = Literal["main", "whole"]
# Whether its scripts are run: where it is nothing without them, in any case, or never.
RenderMode = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class PageWanted:
    """A page that is to be read, and how."""

    url: str
    mode: ReadMode
    render: RenderMode
    with_styles: bool
    fresh: bool
    is_new: bool = False  # nothing is kept of it, also not what it was before
    key: str = ""  # of its snapshot


class Pages:
    """Pages by their URLs, each kept with its evidence."""

    def __init__(
        self,
        client: Client,
        reader: Reader,
        cache: Cache,
        settings: Settings,
        clock: Clock,
        get_renderer: Callable[[], PageRenderer] | None = None,
        contents: ContentsService | None = None,
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
        """Who does further work on pages."""
        return self._reader.runner

    @property
    def _renderer(self) -> PageRenderer | None:
        """Who runs the scripts of pages; nothing of it is loaded before a page needs them."""
        if self._get_renderer is None:
            return None
        return self._get_renderer()

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
        """The snapshot of a URL that is kept, or a new one. One that is read `with_styles` is
        judged by the style sheets of its site, too; a `fresh` one is read now, and takes the place
        of what is kept.
        """
        with_styles = with_styles and self._settings.linked_styles and render != "always"
        plain_key = self._build_key(url, mode, render)
        styled_key = name_variant(plain_key, "styled")
        key = styled_key if with_styles else plain_key
        keys = [key]
        if self._settings.linked_styles and render != "always":
            # One of the other kind may be as good.
            keys.append(plain_key if with_styles else styled_key)
        is_new = True

        async def look() -> CachedValue | None:
            # What the page was before is looked for at once: whoever has nothing needs one look.
            nonlocal is_new
            found = await self._cache.get_first([*keys, self._earlier.build_key(key)])
            is_new = found is None
            if found is None:
                return None
            is_same_kind = found[0] == key
            if found[0] in keys and await self._is_as_good(url, is_same_kind, with_styles):
                return found[1]
            return await self._cache.get(key)  # it may be farther away than what was found

        async def make() -> Made:
            wanted = PageWanted(url, mode, render, with_styles, fresh, is_new, key)
            return Made(await self._read(wanted), self._settings.cache_read_seconds)

        kept = await self._cache.get_or_make(key, make, fresh=fresh, look=look)
        if fresh and with_styles:
            # It is as good as one without style sheets, of which an older one may be kept.
            await self._cache.keep(plain_key, Made(kept.value, self._settings.cache_read_seconds))
        return unpack_snapshot(kept.value, cached=kept.cached)

    async def get_words(self, url: str, *, fresh: bool = False) -> KeptWords:
        """The words of the whole page at a URL, for quotes to be compared with; kept, or new."""

        async def make() -> Made:
            wanted = PageWanted(url, "whole", "auto", with_styles=False, fresh=fresh)
            return Made(await self._read_words(wanted), self._settings.cache_read_seconds)

        key = self._build_key(url, "words")
        kept = await self._cache.get_or_make(key, make, fresh=fresh)
        return unpack_words(kept.value, cached=kept.cached)

    async def _read_words(self, wanted: PageWanted) -> bytes:
        """Read the words of a page, with its scripts run where it is nothing without them."""
        fetched = await self._fetch(wanted)
        try:
            return await self.runner.run(fetched.to_job(take_words))
        except ScriptPage as error:
            if fetched.reply is None or self._renderer is None:
                raise
            self._renderer.require_program(error)
            rendered = await self._renderer.render(wanted.url, fetched.reply, None)
            return await self.runner.run(describe_render(wanted.url, rendered).to_job(take_words))

    async def find_kept_words(self, url: str) -> KeptWords | None:
        """The words of the page at a URL that are kept; nothing is fetched."""
        kept = await self._cache.get(self._build_key(url, "words"))
        if kept is None:
            return None
        return unpack_words(kept.value, cached=True)

    async def get_raw(self, url: str, needed: int, *, fresh: bool = False) -> Snapshot:
        """The bytes at a URL, so many of them at least if there are so many; little more than that
        is fetched. What is kept is replaced where it is too short.
        """
        most = self._settings.max_bytes
        limit = min(max(_LEAST_RAW_BYTES, needed + _SPARE_BYTES), most)
        key = self._build_key(url, "raw")
        while True:
            make = partial(self._make_raw, url, limit, fresh=fresh)
            kept = await self._cache.get_or_make(key, make, fresh=fresh)
            snapshot = unpack_snapshot(kept.value, cached=kept.cached)
            cut_at = snapshot.cut_at
            if cut_at is None or cut_at >= most or len(snapshot.data) >= needed:
                return snapshot
            limit = min(max(limit, 2 * cut_at), most)
            fresh = True

    async def _make_raw(self, url: str, limit: int, *, fresh: bool) -> Made:
        fetched = await self._reader.fetch_raw(url, limit)
        packed = await self._take(fetched.to_job(take_raw_snapshot), fresh=fresh)
        return Made(packed, self._settings.cache_read_seconds)

    async def _is_as_good(self, url: str, is_same_kind: bool, with_styles: bool) -> bool:
        """Whether a snapshot that is kept can be given: one of the same kind, one that was made
        with style sheets, or one without them of a page that links to none that would have been
        fetched.
        """
        if is_same_kind or not with_styles:
            return True
        return await self._cache.get(self._build_styled_mark(url)) is None

    def _build_styled_mark(self, url: str) -> str:
        """The key of the mark that a page links to style sheets of its site."""
        return key_of("styled", _STYLE_VERSION, {"url": url, "settings": self._deciding})

    async def _mark_styled(self, url: str) -> None:
        async def make() -> Made:
            return Made(b"1", self._settings.cache_read_seconds)

        await self._cache.get_or_make(self._build_styled_mark(url), make)

    async def read_file(self, path: Path) -> Snapshot:
        """A file of this machine as a page, which goes into the library and into no cache."""
        kind, _ = guess_type(path.name)
        headers = Headers({"content-type": kind or "application/octet-stream"})
        body = await asyncio.to_thread(path.read_bytes)
        address = Path(os.path.abspath(path)).as_uri()  # noqa: PTH100, ASYNC240 - looks at nothing
        reply = Reply(address, 200, headers, body, self.clock.now())
        job = FetchedPage(reply.url, reply).to_job(take_snapshot, selection="main")
        return unpack_snapshot(await self._take(job, fresh=False), cached=False)

    async def find_kept(self, url: str) -> Snapshot | None:
        """The snapshot of a URL that is kept; nothing is fetched."""
        plain_key = self._build_key(url, "main")
        keys = [plain_key]
        if self._settings.linked_styles:
            keys.insert(0, name_variant(plain_key, "styled"))
        found = await self._cache.get_first(keys)
        if found is None:
            return None
        return unpack_snapshot(found[1].value, cached=True)

    async def describe_kept(self, url: str) -> bytes | None:
        """The cached snapshot of a URL as JSON; None if there is none."""
        snapshot = await self.find_kept(url)
        if snapshot is None:
            return None
        return await self.runner.run(build_description_job(snapshot))

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
        """What stands for the settings that decide what is read, or whether it may be."""
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
        text = json.dumps(decisive, sort_keys=True)
        return sha256(text.encode()).hexdigest()

    async def _read(self, wanted: PageWanted) -> bytes:
        """Read a page, by whoever can; its snapshot comes packed."""
        try:
            return await self._read_here(wanted)
        except WebquarryError as error:
            if self._contents is None or not may_be_told(error):
                raise
            page = await self._contents.find(wanted.url, error)
            if page is None:
                raise
        fetched = FetchedPage(wanted.url, special=page)
        return await self._take(fetched.to_job(take_snapshot, selection=wanted.mode))

    async def _read_here(self, wanted: PageWanted) -> bytes:
        """Read a page as it arrives, or with its scripts run where it is nothing without them. One
        that was read before and has not changed since is taken as it was.
        """
        earlier = None
        if not wanted.fresh and not wanted.is_new:
            earlier = await self._earlier.find(wanted.key)
        known = earlier.validators if earlier else None
        fetched = await self._fetch(wanted, known)
        reply = fetched.reply
        if reply is not None and reply.is_unchanged and earlier is not None:
            renewed = earlier.renew(reply.fetched_at)
            await self._earlier.keep(wanted.key, reply, renewed, earlier)
            return renewed
        if wanted.render == "always" and reply is not None and is_rendered_kind(reply):
            return await self._render(wanted, reply)
        job = fetched.to_job(take_snapshot, selection=wanted.mode)
        try:
            fields, packed = unpack_fields(await self.runner.run(job))
        except ScriptPage as error:
            if wanted.render == "never":
                error.suggested_action = RENDER_ADVICE
                raise
            if reply is None or self._renderer is None:
                raise
            self._renderer.require_program(error)
            return await self._render(wanted, reply)
        except ThinPage:
            rendered = await self._try_render(wanted, reply)
            if rendered is None:
                raise
            return rendered
        if fields["need"] or names_view(wanted.url):
            rendered = await self._try_render(wanted, reply)
            if rendered is not None:
                return rendered
        self._keep_in_library(fields, packed)
        completed = await self._complete(fields["doi"], packed, fresh=wanted.fresh)
        await self._earlier.keep(wanted.key, reply, completed, earlier)
        return completed

    async def _render(
        self, wanted: PageWanted, reply: Reply, seconds: float | None = None
    ) -> bytes:
        """Read a page in the browser."""
        if self._renderer is None:
            raise ScriptPage(f"{redact(wanted.url)} needs its scripts, which are not run here.")
        rendered = await self._renderer.render(wanted.url, reply, seconds)
        fetched = describe_render(wanted.url, rendered)
        job = fetched.to_job(take_snapshot, selection=wanted.mode)
        return await self._take(job, fresh=wanted.fresh)

    async def _try_render(self, wanted: PageWanted, reply: Reply | None) -> bytes | None:
        """The same, of a page that is something without its scripts too; None where that does not
        work, or takes long.
        """
        if reply is None or self._renderer is None or wanted.render == "never":
            return None
        if self._renderer.program is None or not is_rendered_kind(reply):
            return None
        try:
            return await self._render(wanted, reply, SHORT_SECONDS)
        except WebquarryError as error:
            log.debug("%s is read as it came: %s", redact(wanted.url), redact(error.message))
            return None

    async def _take(self, job: Job, *, fresh: bool = False) -> bytes:
        """The snapshot that a job takes, packed."""
        fields, packed = unpack_fields(await self.runner.run(job))
        self._keep_in_library(fields, packed)
        return await self._complete(fields["doi"], packed, fresh=fresh)

    def _keep_in_library(self, fields: dict[str, Any], packed: bytes) -> None:
        """Have the library keep a page that may be kept, after the answer."""
        if self._library is not None and fields.get("may_keep"):
            self._library.keep(partial(build_kept_page, packed), len(packed))

    async def _complete(self, doi: str | None, packed: bytes, *, fresh: bool) -> bytes:
        """A snapshot with what is known of a retraction; it is looked into only where something is
        to be added.
        """
        status, notes = await self._check_retraction(doi, fresh=fresh)
        if status is None and not notes:
            return packed
        snapshot = unpack_snapshot(packed, cached=False)
        return pack_snapshot(add_retraction(snapshot, status, notes))

    async def _fetch(self, wanted: PageWanted, known: Validators | None = None) -> FetchedPage:
        """What is at a URL, with the style sheets of its site where they are wanted."""
        get_style = None
        if wanted.with_styles:
            get_style = partial(self._get_style, fresh=wanted.fresh)
        by_api = wanted.render != "always"
        fetched = await self._reader.fetch(wanted.url, get_style, known, by_api=by_api)
        is_plain = get_style is None and self._settings.linked_styles and by_api
        if is_plain and fetched.reply is not None and find_addresses(fetched.reply):
            await self._mark_styled(wanted.url)
        return fetched

    async def _get_style(self, url: str, *, fresh: bool = False) -> bytes:
        """A style sheet that a page links to, kept as long as pages are."""

        async def make() -> Made:
            reply = await self._client.fetch_style(url, MOST_BYTES)
            kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
            if not 200 <= reply.status < 300 or kind != "text/css":
                raise Unreadable(f"{redact(url)} is no style sheet.")
            return Made(reply.body, self._settings.cache_read_seconds)

        key = key_of("style", _STYLE_VERSION, {"url": url, "settings": self._deciding})
        kept = await self._cache.get_or_make(key, make, fresh=fresh)
        return kept.value

    async def _check_retraction(
        self, doi: str | None, *, fresh: bool = False
    ) -> tuple[RetractionStatus | None, tuple[str, ...]]:
        """What Crossref says of a paper, also that it says nothing, and a note where it could not
        be asked; the page does not wait long for it, nor fail with it.
        """
        if doi is None:
            return None, ()

        async def make() -> Made:
            request = retraction.build_request(doi, self._settings)
            seconds = min(_CROSSREF_TIMEOUT, self._settings.timeout_seconds)
            reply = await self._client.send(request, timeout_seconds=seconds)
            status = dump_part(retraction.parse_reply(reply))
            return Made(json.dumps(status).encode(), _RETRACTION_SECONDS)

        origin = redact(self._settings.origins.get("crossref", ""))
        key = key_of("retraction", _RETRACTION_VERSION, {"doi": doi, "origin": origin})
        try:
            kept = await self._cache.get_or_make(key, make, fresh=fresh)
        except WebquarryError as error:
            return None, (
                f"Whether the paper was retracted is not known: {redact(error.sentence)}",
            )
        stored = json.loads(kept.value)
        if not stored:
            return None, ()
        return RetractionStatus.from_json(stored), ()
