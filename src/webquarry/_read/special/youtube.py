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
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Dated, Page
from webquarry._read.special._parts.youtube_captions import (
    Cue,
    clock_time,
    join_into_paragraphs,
    read_captions,
)
from webquarry._read.special._parts.youtube_player import (
    Player,
    Track,
    WatchPage,
    choose_track,
    read_player,
    read_watch_page,
)
from webquarry._read.special_reader import SiteContext, SpecialReader
from webquarry.errors import LoginWall, NotFound, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.secret import redact

ORIGIN = "https://www.youtube.com"
_HOSTS = frozenset(
    {
        "youtube.com",
        "www.youtube.com",
        "m.youtube.com",
        "music.youtube.com",
        "youtube-nocookie.com",
        "www.youtube-nocookie.com",
        "youtu.be",
    }
)
_PATH = re.compile(r"/(?:embed|shorts|live|v)/([\w-]{11})(?:/|$)", re.ASCII)
_VIDEO = re.compile(r"[\w-]{11}", re.ASCII)
_CAPTIONS_PATH = "/api/timedtext"
_MOST_CLIENTS = 5
_LONGEST_REASON = 200  # characters


class YouTubeReader(SpecialReader):
    name = "youtube"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return bool(find_video_id(url))

    async def read(self, url: str, context: SiteContext) -> Page:
        video = find_video_id(httpx2.URL(url))
        return await _VideoRequest(url, video, context).read()


def find_video_id(url: httpx2.URL) -> str:
    """The video that a URL names; empty where it names none."""
    if url.host not in _HOSTS:
        return ""
    in_path = _PATH.match(url.path)
    video = ""
    if url.path in ("/watch", "/watch/"):
        video = str(url.params.get("v", ""))
    elif in_path:
        video = in_path[1]
    elif url.host == "youtu.be":
        video = url.path[1:]
    if _VIDEO.fullmatch(video):
        return video
    return ""


class _VideoRequest:
    """One video while it is read."""

    def __init__(self, url: str, video: str, context: SiteContext) -> None:
        self._url = url
        self._video = video
        self._watch_url = f"{ORIGIN}/watch?v={video}"
        self._context = context
        self._languages = context.settings.youtube_languages or ["en"]
        self._started = context.clock.monotonic()

    async def read(self) -> Page:
        """The page of the video, with what is said in it if that can be had."""
        players: list[Player] = []
        async for player in self._ask_players():
            players.append(player)
            track = choose_track(player, self._languages)
            if track is None:
                continue
            cues = await self._fetch_cues(track)
            if cues:
                return await asyncio.to_thread(self._build_page, players, track=track, cues=cues)
        return await self._read_without_transcript(players)

    async def _ask_players(self) -> AsyncIterator[Player]:
        """One answer after the other, each a request, until somebody is content."""
        watch = await self._fetch_watch_page()
        if watch.player:
            yield watch.player
        for client in self._context.settings.youtube_clients[:_MOST_CLIENTS]:
            player = await self._fetch_player(client, watch)
            if player:
                yield player

    async def _fetch_watch_page(self) -> WatchPage:
        """The page of the video; where it asks for consent, once more with that.

        Empty where it cannot be had.
        """
        watch = WatchPage()
        url = self._at(f"/watch?v={self._video}")
        headers = {"Accept-Language": "en-US"}
        for _ in range(2):
            reply = await self._send(httpx2.Request("GET", url, headers=headers))
            if reply:
                watch = read_watch_page(reply.body.decode("utf-8", "replace"), self._video)
            if not watch.consent:
                break
            headers["Cookie"] = f"CONSENT=YES+{watch.consent}"
        return watch

    async def _fetch_player(self, client: str, watch: WatchPage) -> Player | None:
        """What the player is told in the name of one of YouTube's programs."""
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
        path = "/youtubei/v1/player"
        if watch.key:
            path += f"?key={watch.key}"
        headers = {}
        if watch.visitor:
            headers = {"X-Goog-Visitor-Id": watch.visitor}
        request = httpx2.Request("POST", self._at(path), json=body, headers=headers)
        reply = await self._send(request)
        if reply is None:
            return None
        try:
            fields = httpx2.Response(200, content=reply.body).json()
            return read_player(fields, self._video)
        except (ValueError, RecursionError):
            return None

    async def _fetch_cues(self, track: Track) -> list[Cue]:
        """What a track holds; none if it leads elsewhere than to YouTube's captions."""
        try:
            url = httpx2.URL(track.url)
        except httpx2.InvalidURL:
            return []
        if url.path != _CAPTIONS_PATH or not url.host.endswith(".youtube.com"):
            return []
        query = url.params.set("fmt", "json3")
        if track.translated_to:
            query = query.set("tlang", track.translated_to)
        reply = await self._send(httpx2.Request("GET", self._at(_CAPTIONS_PATH), params=query))
        if reply is None:
            return []
        return read_captions(reply.body)

    async def _send(self, request: httpx2.Request) -> Reply | None:
        """The answer if it is a success; everything after it is still worth a try."""
        try:
            reply = await self._context.send(request, self._started)
        except WebquarryError:
            return None
        if reply.status == 200:
            return reply
        return None

    async def _read_without_transcript(self, players: list[Player]) -> Page:
        """Title and description, or why there is not even that."""
        if any(player.details for player in players):
            why = "YouTube did not give out the captions of the video"
            for player in players:
                if player.status == "OK" and not player.tracks:
                    why = "The video has no captions"
            note = f"{why}: there is its title and description, and no transcript."
            return self._build_page(players, note)

        self._raise_if_refused(players)
        parameters = {"url": self._watch_url, "format": "json"}
        request = httpx2.Request("GET", self._at("/oembed"), params=parameters)
        card = await self._context.json(request, self._started)
        if not isinstance(card, dict) or not isinstance(card.get("title"), str):
            raise ProviderFailure("YouTube gave nothing about the video.")
        details = {"title": card["title"], "author": card.get("author_name")}
        note = (
            "YouTube answers programs on this network with a captcha: there is the title of the "
            "video, and no more."
        )
        return self._build_page([Player(details=details)], note)

    def _raise_if_refused(self, players: list[Player]) -> None:
        """Raise what YouTube itself says about a video that it does not show."""
        reason = "no reason was given"
        for player in players:
            if player.reason:
                reason = player.reason
                break
        reason = redact(reason)[:_LONGEST_REASON].rstrip(".")
        refusals = {player.refusal for player in players}
        if "gone" in refusals:
            raise NotFound(f"YouTube has no such video to show: {reason}.")
        if "login" in refusals:
            raise LoginWall(f"YouTube shows the video only to those it lets in: {reason}.")

    def _build_page(
        self,
        players: list[Player],
        note: str = "",
        track: Track | None = None,
        cues: Sequence[Cue] = (),
    ) -> Page:
        """The page of what all the answers say together, the first one before the others."""
        composer = Composer(ORIGIN)
        details: dict[str, Any] = {}
        published = ""
        for player in players:
            details = {**(player.details or {}), **details}
            published = published or player.published
        title = composer.plain(details.get("title"))
        author = composer.plain(details.get("author"))
        blocks = _write_about(details, title, author, published, composer)
        outcome = "thin"
        if track:
            outcome = "ok"
            blocks += _write_transcript(track, cues, composer)
        notes: tuple[str, ...] = ()
        if note:
            notes = (note,)
        date = None
        if published:
            date = Dated(published, "youtube:publishDate")
        return Page(
            url=self._watch_url,
            requested_url=self._url,
            title=title,
            markdown="\n\n".join(blocks),
            content_type="youtube",
            encoding="utf-8",
            outcome=outcome,
            notes=notes,
            fetched_at=self._context.clock.now(),
            removed={reason: count for reason, count in composer.removed.items() if count},
            author=author,
            published=date,
            lost=notes,
            reader=YouTubeReader.name,
        )

    def _at(self, path: str) -> str:
        """A path at YouTube, or at the origin that stands in for it."""
        return self._context.url("youtube", ORIGIN, path)


def _write_about(
    details: Mapping[str, Any], title: str, author: str, published: str, composer: Composer
) -> list[str]:
    """Title, facts and description of a video, as blocks of Markdown."""
    seconds = str(details.get("lengthSeconds") or "")
    length = ""
    if seconds.isascii() and seconds.isdigit() and len(seconds) < 8:
        length = clock_time(int(seconds))
    facts = {"Channel": author, "Published": composer.plain(published), "Length": length}
    description = composer.paragraphs(details.get("shortDescription"))
    blocks = [f"# {composer.line(title or 'Untitled video')}"]
    lines = [f"- {name}: {composer.line(fact)}" for name, fact in facts.items() if fact]
    if lines:
        blocks.append("\n".join(lines))
    if description:
        blocks.append(f"## Description\n\n{description}")
    return blocks


def _write_transcript(track: Track, cues: Sequence[Cue], composer: Composer) -> list[str]:
    """What is said, as blocks of Markdown with their times."""
    language = f"{track.language}: {track.name}"
    if track.translated_to:
        language = f"{track.translated_to}: {track.name}, translated by YouTube"
    language = composer.line(composer.plain(language))
    blocks = [f"## Transcript ({language})"]
    for paragraph in join_into_paragraphs(cues):
        text = composer.paragraphs(paragraph.text)
        blocks.append(f"**{clock_time(paragraph.seconds)}** {text}")
    return blocks
