"""What YouTube's player is told about a video -> its details, its caption tracks, and the track to
read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from webquarry.search.replies.body import objects

_INITIAL = re.compile(r"ytInitialPlayerResponse\s*=\s*(?=\{)")
_KEY = re.compile(r'"INNERTUBE_API_KEY":\s*"([\w-]{10,100})"')
_VISITOR = re.compile(r'"VISITOR_DATA":\s*"([\w%=-]{4,500})"')
_CONSENT = re.compile(r'action="https://consent\.youtube\.com/s"')
_CONSENT_VALUE = re.compile(r'name="v"\s+value="([\w.+-]{1,200})"')
_TOKEN_WANTED = frozenset({"xpe", "xpv"})


@dataclass(frozen=True)
class Track:
    """Captions in one language. `translated_to` is set where YouTube is to translate them."""

    url: str
    language: str
    name: str
    generated: bool
    translatable: bool
    translated_to: str = ""

    @property
    def needs_token(self) -> bool:
        """Whether YouTube would answer with an empty body, for want of a token that only its own
        programs have.
        """
        try:
            named = httpx2.URL(self.url).params.get("exp", "")
        except httpx2.InvalidURL:
            return True
        return bool(_TOKEN_WANTED & set(str(named).split(",")))


@dataclass(frozen=True)
class Player:
    """One answer about a video."""

    status: str = ""
    reason: str = ""
    details: Mapping[str, Any] | None = None
    published: str = ""
    tracks: tuple[Track, ...] = ()
    translations: frozenset[str] = frozenset()

    @property
    def refusal(self) -> str:
        """Why there is no video: gone, login or bot; empty when there is one."""
        if self.status in ("OK", "LIVE_STREAM_OFFLINE", ""):
            return ""
        if self.status == "ERROR":
            return "gone"
        if "a bot" in self.reason:
            return "bot"
        return "login"


@dataclass(frozen=True)
class Watch:
    """What the page of a video is good for."""

    key: str = ""
    visitor: str = ""
    consent: str = ""  # what to send back when the page asks for consent first
    player: Player | None = None


def read_watch_page(text: str, video: str) -> Watch:
    """The keys and the first player answer of a page; empty where it holds none."""
    key, visitor = _KEY.search(text), _VISITOR.search(text)
    consent = None
    if _CONSENT.search(text):
        consent = _CONSENT_VALUE.search(text)
    start = _INITIAL.search(text)
    player = None
    if start:
        try:
            fields, _ = json.JSONDecoder().raw_decode(text, start.end())
            player = read_player(fields, video)
        except (ValueError, RecursionError):
            player = None
    return Watch(
        key[1] if key else "", visitor[1] if visitor else "", consent[1] if consent else "", player
    )


def read_player(fields: object, video: str) -> Player:
    """A player answer; details of another video than the one asked for are passed over."""
    answer = _object(fields)
    status = _object(answer.get("playabilityStatus"))
    details = _object(answer.get("videoDetails"))
    listing = _object(_object(answer.get("captions")).get("playerCaptionsTracklistRenderer"))
    micro = _object(_object(answer.get("microformat")).get("playerMicroformatRenderer"))
    ours = details.get("videoId") == video
    return Player(
        status=_text(status.get("status")),
        reason=_text(status.get("reason")).replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
        details=details if ours else None,
        published=_text(micro.get("publishDate")) or _text(micro.get("uploadDate")) if ours else "",
        tracks=tuple(filter(None, map(_track, objects(listing.get("captionTracks")))))
        if ours
        else (),
        translations=frozenset(
            _text(one.get("languageCode")) for one in objects(listing.get("translationLanguages"))
        ),
    )


def choose_track(player: Player, languages: Sequence[str]) -> Track | None:
    """What people wrote in a wanted language, then what was generated, then a translation, then
    whatever there is.
    """
    usable = [track for track in player.tracks if not track.needs_token]
    written = [track for track in usable if not track.generated]
    generated = [track for track in usable if track.generated]
    for candidates in (written, generated):
        for language in languages:
            found = _in_language(candidates, language)
            if found:
                return found
    translatable = [track for track in written if track.translatable]
    for language in languages:
        if translatable and language in player.translations:
            return _translated(translatable[0], language)
    return next(iter([*written, *generated]), None)


def _in_language(tracks: Sequence[Track], language: str) -> Track | None:
    exact = next((track for track in tracks if track.language.lower() == language.lower()), None)
    base = language.lower().partition("-")[0]
    return exact or next(
        (track for track in tracks if track.language.lower().partition("-")[0] == base), None
    )


def _translated(track: Track, language: str) -> Track:
    return Track(
        track.url, track.language, track.name, track.generated, track.translatable, language
    )


def _track(fields: Mapping[str, Any]) -> Track | None:
    url, language = _text(fields.get("baseUrl")), _text(fields.get("languageCode"))
    if not url or not language:
        return None
    name = _object(fields.get("name"))
    said = _text(name.get("simpleText")) or "".join(
        _text(run.get("text")) for run in objects(name.get("runs"))
    )
    generated = fields.get("kind") == "asr"
    return Track(url, language, said or language, generated, fields.get("isTranslatable") is True)


def _object(value: object) -> Mapping[str, Any]:
    if isinstance(value, dict):
        return value
    return {}


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
