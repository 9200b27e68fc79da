"""What YouTube's player is told about a video -> its details, its caption tracks, and the track to
read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from webquarry._search.replies.body import objects

_INITIAL = re.compile(r"ytInitialPlayerResponse\s*=\s*(?=\{)")
# They are sent back in headers and addresses, which have ASCII alone.
_KEY = re.compile(r'(?a)"INNERTUBE_API_KEY":\s*"([\w-]{10,100})"')
_VISITOR = re.compile(r'(?a)"VISITOR_DATA":\s*"([\w%=-]{4,500})"')
_CONSENT = re.compile(r'action="https://consent\.youtube\.com/s"')
_CONSENT_VALUE = re.compile(r'(?a)name="v"\s+value="([\w.+-]{1,200})"')
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
            url = httpx2.URL(self.url)
        except httpx2.InvalidURL:
            return True
        experiments = str(url.params.get("exp", "")).split(",")
        return not _TOKEN_WANTED.isdisjoint(experiments)


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
class WatchPage:
    """What the page of a video is good for."""

    key: str = ""
    visitor: str = ""
    consent: str = ""  # what to send back when the page asks for consent first
    player: Player | None = None


def read_watch_page(text: str, video: str) -> WatchPage:
    """The HTML of a video's page -> its keys and its first player answer; empty where it holds
    none.
    """
    consent = ""
    if _CONSENT.search(text):
        consent = _find_first(_CONSENT_VALUE, text)
    player = None
    start = _INITIAL.search(text)
    if start:
        try:
            fields, _ = json.JSONDecoder().raw_decode(text, start.end())
            player = read_player(fields, video)
        except (ValueError, RecursionError):
            player = None
    return WatchPage(_find_first(_KEY, text), _find_first(_VISITOR, text), consent, player)


def _find_first(pattern: re.Pattern[str], text: str) -> str:
    """What stands in the brackets of a pattern where it is first found; empty where it is not."""
    found = pattern.search(text)
    if found:
        return found[1]
    return ""


def read_player(fields: object, video: str) -> Player:
    """The JSON of a player answer -> what it says about a video.

    Details of another video than the one asked for are passed over.
    """
    answer = _as_object(fields)
    status = _get_object(answer, "playabilityStatus")
    captions = _get_object(answer, "captions")
    listing = _get_object(captions, "playerCaptionsTracklistRenderer")
    languages = objects(listing.get("translationLanguages"))
    player = Player(
        status=_get_text(status, "status"),
        reason=_get_text(status, "reason").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"),
        translations=frozenset(_get_text(one, "languageCode") for one in languages),
    )
    details = _get_object(answer, "videoDetails")
    if details.get("videoId") != video:
        return player
    microformat = _get_object(answer, "microformat")
    dates = _get_object(microformat, "playerMicroformatRenderer")
    tracks = map(_parse_track, objects(listing.get("captionTracks")))
    return replace(
        player,
        details=details,
        published=_get_text(dates, "publishDate") or _get_text(dates, "uploadDate"),
        tracks=tuple(track for track in tracks if track is not None),
    )


def _parse_track(fields: Mapping[str, Any]) -> Track | None:
    """A caption track; None without address or language."""
    url = _get_text(fields, "baseUrl")
    language = _get_text(fields, "languageCode")
    if not url or not language:
        return None
    name_fields = _get_object(fields, "name")
    name = _get_text(name_fields, "simpleText")
    if not name:
        runs = objects(name_fields.get("runs"))
        name = "".join(_get_text(run, "text") for run in runs)
    return Track(
        url,
        language,
        name or language,
        generated=fields.get("kind") == "asr",
        translatable=fields.get("isTranslatable") is True,
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
            track = _find_language(candidates, language)
            if track:
                return track

    # Only what people wrote is given to be translated.
    translatable = [track for track in written if track.translatable]
    if translatable:
        for language in languages:
            if language in player.translations:
                return replace(translatable[0], translated_to=language)
    for track in [*written, *generated]:
        return track
    return None


def _find_language(tracks: Sequence[Track], language: str) -> Track | None:
    """The track in just this language, else in another form of it: `en` for `en-GB`."""
    wanted = language.lower()
    for track in tracks:
        if track.language.lower() == wanted:
            return track
    base = wanted.partition("-")[0]
    for track in tracks:
        if track.language.lower().partition("-")[0] == base:
            return track
    return None


def _get_object(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The JSON object under a name; an empty one where there is none."""
    return _as_object(fields.get(name))


def _as_object(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one in place of anything else."""
    if isinstance(value, dict):
        return value
    return {}


def _get_text(fields: Mapping[str, Any], name: str) -> str:
    """The text under a name; empty where there is none."""
    value = fields.get(name)
    if isinstance(value, str):
        return value
    return ""
