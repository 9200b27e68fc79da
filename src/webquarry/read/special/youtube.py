"""YouTube: what is said in a video, with times; or its title and description where no transcript is
to be had.

There is no public API for captions. The page of the video gives a key and a first answer of the
player; the player is then asked in the name of several programs (a setting, since YouTube retires
them), until one names captions that can be fetched. Whole networks are refused, so every step may
fail: what is known by then is given, and said to be partial.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from webquarry.errors import LoginWall, NotFound, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.read.markdown.compose import Composer
from webquarry.read.models import Dated, Page
from webquarry.read.special._youtube_captions import Cue, clock_time, paragraphs, read_captions
from webquarry.read.special._youtube_player import (
    Player,
    Track,
    Watch,
    choose_track,
    read_player,
    read_watch_page,
)
from webquarry.read.special_reader import SiteContext, SpecialReader
from webquarry.secret import redact

ORIGIN = "https://www.youtube.com"
_HOSTS = frozenset(

    {"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com", "www.youtube-nocookie.com", "youtu.be", "youtube-nocookie.com"},
)  # fmt: skip
_PATH = re.compile(r"/(?:embed|shorts|live|v)/([\w-]{11})(?:/|$)", re.ASCII)
_VIDEO = re.compile(r"[\w-]{11}", re.ASCII)
_CAPTIONS_PATH = "/api/timedtext"
_MOST_CLIENTS = 5


class YouTubeReader(SpecialReader):
    name = "youtube"

    def knows(self, url: httpx2.URL) -> bool:
        return bool(video_of(url))

    async def read(self, url: str, desk: SiteContext) -> Page:
        return await _Errand(url, video_of(httpx2.URL(url)), desk).page()


def video_of(url: httpx2.URL) -> str:
    """The video that a URL names; empty where it names none."""
    if url.host not in _HOSTS:
        return ""
    found = _PATH.match(url.path)
    if found:
        named = found[1]
    else:
        named = ""
        if url.host == "youtu.be":
            named = url.path[1:]
    if url.path in ("/watch", "/watch/"):
        named = str(url.params.get("v", ""))
    if _VIDEO.fullmatch(named):
        return named
    return ""


class _Errand:
    """One video while it is read."""

    def __init__(self, url: str, video: str, desk: SiteContext) -> None:
        self._url = url
        self._video = video
        self._desk = desk
        self._languages = desk.settings.youtube_languages or ["en"]
        self._started = desk.clock.monotonic()

    async def page(self) -> Page:
        seen: list[Player] = []
        async for player in self._players():
            seen.append(player)
            track = choose_track(player, self._languages)
            cues = await self._cues(track) if track else []
            if track and cues:
                return await asyncio.to_thread(self._made, seen, track, cues)
        return await self._without_transcript(seen)

    async def _players(self) -> AsyncIterator[Player]:
        """One answer after the other, each a request, until somebody is content."""
        watch = await self._watch_page()
        if watch.player:
            yield watch.player
        for client in self._desk.settings.youtube_clients[:_MOST_CLIENTS]:
            player = await self._player(client, watch)
            if player:
                yield player

    async def _watch_page(self) -> Watch:
        """The page of the video; where it asks for consent, once more with that."""
        watch = Watch()
        cookie = ""
        for _ in range(2):
            url = self._at(f"/watch?v={self._video}")
            headers = {"Accept-Language": "en-US"} | ({"Cookie": cookie} if cookie else {})
            reply = await self._tried(httpx2.Request("GET", url, headers=headers))
            if reply:
                watch = read_watch_page(reply.body.decode("utf-8", "replace"), self._video)
            if not watch.consent:
                break
            cookie = f"CONSENT=YES+{watch.consent}"
        return watch

    async def _player(self, client: str, watch: Watch) -> Player | None:
        name, _, version = client.partition("/")
        context = {
            "client": {"clientName": name, "clientVersion": version, "hl": self._languages[0]}
        }
        body = {
            "context": context,
            "videoId": self._video,
            "contentCheckOk": True,
            "racyCheckOk": True,
        }
        url = self._at("/youtubei/v1/player" + (f"?key={watch.key}" if watch.key else ""))
        headers = {}
        if watch.visitor:
            headers = {"X-Goog-Visitor-Id": watch.visitor}
        reply = await self._tried(httpx2.Request("POST", url, json=body, headers=headers))
        if reply is None:
            return None
        try:
            return read_player(httpx2.Response(200, content=reply.body).json(), self._video)
        except (ValueError, RecursionError):
            return None

    async def _cues(self, track: Track) -> list[Cue]:
        """What a track holds; none if it leads elsewhere than to YouTube's captions."""
        try:
            named = httpx2.URL(track.url)
        except httpx2.InvalidURL:
            return []
        if named.path != _CAPTIONS_PATH or not named.host.endswith(".youtube.com"):
            return []
        query = named.params.set("fmt", "json3")
        if track.translated_to:
            query = query.set("tlang", track.translated_to)
        reply = await self._tried(httpx2.Request("GET", self._at(_CAPTIONS_PATH), params=query))
        if reply:
            return read_captions(reply.body)
        return []

    async def _tried(self, request: httpx2.Request) -> Reply | None:
        """The answer if it is a success; everything after it is still worth a try."""
        try:
            reply = await self._desk.send(request, self._started)
        except WebquarryError:
            return None
        if reply.status == 200:
            return reply
        return None

    async def _without_transcript(self, seen: list[Player]) -> Page:
        """Title and description, or why there is not even that."""
        if any(player.details for player in seen):
            bare = any(player.status == "OK" and not player.tracks for player in seen)
            why = "YouTube did not give out the captions of the video"
            if bare:
                why = "The video has no captions"
            return self._made(
                seen, None, [], f"{why}: there is its title and description, and no transcript."
            )
        refusals = {player.refusal for player in seen}
        reason = redact(
            next((player.reason for player in seen if player.reason), "no reason was given")
        )[:200]
        if "gone" in refusals:
            raise NotFound(f"YouTube has no such video to show: {reason.rstrip('.')}.")
        if "login" in refusals:
            raise LoginWall(
                f"YouTube shows the video only to those it lets in: {reason.rstrip('.')}."
            )
        card = await self._desk.json(
            httpx2.Request(
                "GET",
                self._at("/oembed"),
                params={"url": _watch_url(self._video), "format": "json"},
            ),
            self._started,
        )
        if not isinstance(card, dict) or not isinstance(card.get("title"), str):
            raise ProviderFailure("YouTube gave nothing about the video.")
        details = {"title": card["title"], "author": card.get("author_name")}
        note = "YouTube answers programs on this network with a captcha: there is the title of the video, and no more."
        return self._made([Player(details=details)], None, [], note)

    def _made(
        self, seen: list[Player], track: Track | None, cues: list[Cue], note: str = ""
    ) -> Page:
        composer = Composer(ORIGIN)
        details: dict[str, Any] = {}
        for player in seen:
            details = {**(player.details or {}), **details}
        published = next((player.published for player in seen if player.published), "")
        title, author = composer.plain(details.get("title")), composer.plain(details.get("author"))
        seconds = str(details.get("lengthSeconds") or "")
        length = ""
        if seconds.isascii() and seconds.isdigit() and len(seconds) < 8:
            length = clock_time(int(seconds))
        facts = [("Channel", author), ("Published", composer.plain(published)), ("Length", length)]
        description = composer.paragraphs(details.get("shortDescription"))
        parts = [
            f"# {composer.line(title or 'Untitled video')}",
            "\n".join(f"- {name}: {composer.line(fact)}" for name, fact in facts if fact),
            f"## Description\n\n{description}" if description else "",
            _transcript(track, cues, composer) if track else "",
        ]
        notes = (note,) if note else ()
        return Page(
            url=_watch_url(self._video),
            requested_url=self._url,
            title=title,
            markdown="\n\n".join(part for part in parts if part),
            content_type="youtube",
            encoding="utf-8",
            outcome="ok" if track else "thin",
            notes=notes,
            fetched_at=self._desk.clock.now(),
            removed={reason: count for reason, count in composer.removed.items() if count},
            author=author,
            published=Dated(published, "youtube:publishDate") if published else None,
            lost=notes,
            reader=YouTubeReader.name,
        )

    def _at(self, path: str) -> str:
        return self._desk.url("youtube", ORIGIN, path)


def _transcript(track: Track, cues: list[Cue], composer: Composer) -> str:
    how = ", translated by YouTube" if track.translated_to else ""
    language = composer.line(
        composer.plain(f"{track.translated_to or track.language}: {track.name}{how}")
    )
    spoken = [
        f"**{clock_time(part.seconds)}** {composer.paragraphs(part.text)}"
        for part in paragraphs(cues)
    ]
    return "\n\n".join([f"## Transcript ({language})", *spoken])


def _watch_url(video: str) -> str:
    return f"{ORIGIN}/watch?v={video}"
