"""YouTube: the transcript of a video with times; title and description if there is none.

Captions have no public API. The watch page contains a key and a first player response; then the
player API is called as several of YouTube's own clients (`youtube_clients`, because YouTube
retires them), until one returns captions that can be fetched. Every step can fail; the page then
has the parts that were found, and a note.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import LoginWall, NotFound, ProviderFailure, WebquarryError
from webquarry.secret import redact

_SITE = "https://www.youtube.com"
_CAPTIONS = "/api/timedtext"
_INITIAL = r"ytInitialPlayerResponse\s*=\s*(?=\{)"
# These are sent in headers and URLs, so they must be ASCII.
_KEY = r'(?a)"INNERTUBE_API_KEY":\s*"([\w-]{10,100})"'
_VISITOR = r'(?a)"VISITOR_DATA":\s*"([\w%=-]{4,500})"'
_CONSENT = r'(?a)name="v"\s+value="([\w.+-]{1,200})"'
_CONSENT_FORM = 'action="https://consent.youtube.com/s"'
_NEEDS_TOKEN = frozenset({"xpe", "xpv"})  # experiments in which captions need a token of a browser
_TRACKS = ("captions", "playerCaptionsTracklistRenderer", "captionTracks")
_MAX_CLIENTS = 5
_PARAGRAPH_SECONDS = 30


class YouTubeReader(SiteReader):
    name = "youtube"
    hosts = "youtube.com m.youtube.com music.youtube.com youtube-nocookie.com youtu.be"

    def match(self, url: httpx2.URL) -> str:
        """Return the id of the video."""
        video = url.path[1:] if url.host == "youtu.be" else ""
        if url.path in ("/watch", "/watch/"):
            video = str(url.params.get("v", ""))
        elif found := re.match(r"/(?:embed|shorts|live|v)/([^/]+)", url.path):
            video = found[1]
        return video if re.fullmatch(r"(?a)[\w-]{11}", video) else ""

    async def fetch(self, request: SiteRequest) -> SiteReply:
        return await _VideoRequest(request).fetch()

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url, _SITE)
        data = page.data
        details, published = data.object("details"), data.text("published")
        title = page.plain(details.text("title"))
        seconds = details.text("lengthSeconds")
        length = format_time(int(seconds)) if re.fullmatch("[0-9]{1,7}", seconds) else ""
        facts = {"Channel": details.text("author"), "Published": published, "Length": length}
        items = [f"{name}: {page.name(fact)}" for name, fact in facts.items() if fact]
        description = page.paragraphs(details.text("shortDescription"))
        blocks: list[Content] = [page.items(items), page.section(2, "Description", description)]
        if data.text("captions"):
            language = page.name(data.text("language"))
            blocks.append(page.heading(2, f"Transcript ({language})"))
            for start, text in join_cues(read_captions(data.text("captions"))):
                time = page.strong(format_time(start))
                blocks.append(f"{time} {page.paragraphs(text)}")
        return page.build_page(
            blocks,
            title,
            url=f"{_SITE}/watch?v={self.match(httpx2.URL(url))}",
            author=details.text("author"),
            published=published,
            content_type="youtube",
            outcome="ok" if data.text("captions") else "thin",
        )


class _VideoRequest:
    """The requests for one video."""

    def __init__(self, request: SiteRequest) -> None:
        self._request = request
        self._video: str = request.target
        self._settings = request.context.settings
        self._languages = self._settings.youtube_languages or ["en"]

    async def fetch(self) -> SiteReply:
        """Request details and captions; the first player response has priority."""
        players: list[JsonData] = []
        details: Mapping[str, Any] = {}
        published, data = "", {}
        async for player in self._request_players():
            players.append(player)
            if player.text("videoDetails", "videoId") != self._video:
                continue  # of another video, or refused
            details = {**player.fields("videoDetails"), **details}
            dates = player.object("microformat", "playerMicroformatRenderer")
            published = published or dates.text("publishDate") or dates.text("uploadDate")
            data = {"details": details, "published": published}
            track = choose_track(player, self._languages)
            captions = await self._fetch_captions(track) if track else ""
            if track and captions:
                data |= {"captions": captions, "language": track["label"]}
                return self._request.build_reply(data)
        if details:
            played = [one for one in players if one.text("playabilityStatus", "status") == "OK"]
            has_none = any(not player.objects(*_TRACKS) for player in played)
            reason = "The video has no captions" if has_none else "YouTube returned no captions"
            self._request.lost = [f"{reason}: only the title and description are shown."]
            return self._request.build_reply(data)
        _raise_refusal(players)
        raise ProviderFailure("YouTube returned nothing about the video.")

    async def _request_players(self) -> AsyncIterator[JsonData]:
        """Yield player responses: that of the watch page, then one for each client."""
        headers = {"Accept-Language": "en-US"}
        watch = await self._send(f"/watch?v={self._video}", headers)
        consent = re.search(_CONSENT, watch) if _CONSENT_FORM in watch else None
        if consent:
            headers["Cookie"] = f"CONSENT=YES+{consent[1]}"
            watch = await self._send(f"/watch?v={self._video}", headers) or watch
        if start := re.search(_INITIAL, watch):
            with suppress(ValueError, RecursionError):
                yield JsonData(json.JSONDecoder().raw_decode(watch, start.end())[0])
        headers = {"Content-Type": "application/json"}
        if visitor := re.search(_VISITOR, watch):
            headers["X-Goog-Visitor-Id"] = visitor[1]
        key = re.search(_KEY, watch)
        path = "/youtubei/v1/player" + (f"?key={key[1]}" if key else "")
        for name in self._settings.youtube_clients[:_MAX_CLIENTS]:
            client, _, version = name.partition("/")
            names = {"clientName": client, "clientVersion": version, "hl": self._languages[0]}
            body = {
                "context": {"client": names},
                "videoId": self._video,
                "contentCheckOk": True,
                "racyCheckOk": True,
            }
            if reply := await self._send(path, headers, json.dumps(body).encode()):
                yield JsonData.parse(reply)

    async def _fetch_captions(self, track: Mapping[str, str]) -> str:
        """Request captions; empty if the track is not at YouTube's caption service."""
        url = httpx2.URL(track["url"])
        if url.path != _CAPTIONS or not url.host.endswith(".youtube.com"):
            return ""
        text = await self._send(f"{_CAPTIONS}?{url.params.set('fmt', 'json3')}")
        return text if read_captions(text) else ""

    async def _send(
        self, path: str, headers: Mapping[str, str] | None = None, content: bytes | None = None
    ) -> str:
        """Send a request; empty if it fails, because other requests can still succeed."""
        url = self._request.at("youtube", _SITE, path)
        method = "POST" if content else "GET"
        try:
            reply = await self._request.send(url, headers, method=method, content=content)
        except WebquarryError:
            return ""
        return reply.body.decode("utf-8", "replace") if reply.status == 200 else ""


def _raise_refusal(players: Sequence[JsonData]) -> None:
    """Raise if YouTube states that the video is gone, private or age-restricted."""
    statuses = [player.object("playabilityStatus") for player in players]
    reasons = [
        one.text("reason").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'") for one in statuses
    ]
    reason = redact(next(filter(None, reasons), "no reason given"))[:200].rstrip(".")
    kinds = [one.text("status") for one in statuses]
    if "ERROR" in kinds:
        raise NotFound(f"This video is not available: {reason}.")
    for kind, why in zip(kinds, reasons, strict=True):
        if kind not in ("OK", "LIVE_STREAM_OFFLINE", "") and "a bot" not in why:
            raise LoginWall(f"This video is private or age-restricted: {reason}.")


def choose_track(player: JsonData, languages: Sequence[str]) -> dict[str, str] | None:
    """Choose captions: written in a wanted language, generated in one, or any."""
    wanted = [form.lower() for one in languages for form in (one, one.partition("-")[0])]

    def rank(track: JsonData) -> tuple[bool, bool, int]:
        code = track.text("languageCode").lower()
        places = [wanted.index(form) for form in (code, code.partition("-")[0]) if form in wanted]
        return not places, track.text("kind") == "asr", min(places, default=0)

    tracks = sorted(filter(_is_usable, player.objects(*_TRACKS)), key=rank)
    if not tracks:
        return None
    code = tracks[0].text("languageCode")
    runs = "".join(run.text("text") for run in tracks[0].objects("name", "runs"))
    name = tracks[0].text("name", "simpleText") or runs or code
    return {"url": tracks[0].text("baseUrl"), "label": f"{code}: {name}"}


def _is_usable(track: JsonData) -> bool:
    """Return whether a track is at a valid URL that needs no token of a browser."""
    try:
        url = httpx2.URL(track.text("baseUrl"))
    except httpx2.InvalidURL:
        return False
    experiments = str(url.params.get("exp", "")).split(",")
    return bool(url.host) and _NEEDS_TOKEN.isdisjoint(experiments)


def read_captions(body: str) -> list[tuple[float, str]]:
    """Read captions in the format json3: start in seconds and text."""
    cues = []
    for event in JsonData.parse(body).objects("events"):
        text = "".join(segment.text("utf8") for segment in event.objects("segs"))
        start = event.get("tStartMs")
        if text.strip() and isinstance(start, int | float):
            cues.append((start / 1000, " ".join(text.split())))
    return cues


def join_cues(cues: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Join cues to paragraphs of half a minute."""
    paragraphs: list[tuple[float, str]] = []
    for start, text in cues:
        if paragraphs and start - paragraphs[-1][0] < _PARAGRAPH_SECONDS:
            first, words = paragraphs[-1]
            paragraphs[-1] = (first, f"{words} {text}")
        else:
            paragraphs.append((start, text))
    return paragraphs


def format_time(seconds: float) -> str:
    """Format a position in a video: `1:02:03`."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
