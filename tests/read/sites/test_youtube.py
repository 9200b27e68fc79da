"""YouTube: transcripts, the choice of captions, and videos without captions."""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx2
import pytest

from tests.net.doubles import FakeWeb, text
from tests.read.sites.recorded_sites import REPLIES, read, recorded
from webquarry._read.sites.site import find_reader
from webquarry.errors import LoginWall, NotFound

VIDEO = "abcDEF12345"
URL = f"https://www.youtube.com/watch?v={VIDEO}"


class Tube(FakeWeb):
    """A fake YouTube: watch pages and player responses in turn (the last one repeats) and
    captions.
    """

    def __init__(
        self,
        *players: str | httpx2.Response,
        watch: Sequence[str] = (),
        captions: str = "captions.json3.json",
    ) -> None:
        super().__init__({})
        self.players = list(players)
        self.watch = list(watch)
        self.captions = captions
        self.page: httpx2.Response = text("<html></html>")

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        await request.aread()
        self.requests.append(request)
        made = self.answer(request)
        return httpx2.Response(made.status_code, headers=made.headers, stream=made.stream)

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/watch":
            return recorded(f"youtube/{self.watch.pop(0)}") if self.watch else self.page
        if path == "/youtubei/v1/player":
            player = self.players.pop(0) if len(self.players) > 1 else self.players[0]
            return recorded(f"youtube/player-{player}.json") if isinstance(player, str) else player
        if path == "/api/timedtext":
            return recorded(f"youtube/{self.captions}")
        return httpx2.Response(404)

    def sent(self, path: str) -> list[httpx2.Request]:
        return [request for request in self.requests if request.url.path == path]


@pytest.mark.parametrize(
    "url",
    [
        URL,
        f"https://youtu.be/{VIDEO}?t=4",
        f"https://m.youtube.com/watch?v={VIDEO}&list=x",
        f"https://www.youtube.com/shorts/{VIDEO}",
        f"https://www.youtube.com/embed/{VIDEO}?start=1",
        f"https://www.youtube-nocookie.com/embed/{VIDEO}",
        f"https://www.youtube.com/live/{VIDEO}",
    ],
)
def test_matches_all_url_forms_of_a_video(url: str) -> None:
    reader = find_reader(url)

    assert reader is not None
    assert reader.match(httpx2.URL(url)) == VIDEO


def test_transcript_with_times_title_and_description() -> None:
    tube = Tube("ok")

    page = read(tube, URL)

    assert page.markdown == (
        "# Reading a tide table\n\n"
        "- Channel: Harbor Notes\n- Length: 12:34\n\n"
        "## Description\n\nHow to read a tide table.\n\n0:00 Intro\\\n1:10 Heights\n\n"
        "## Transcript (en: English)\n\n"
        "**0:00** welcome back to harbor notes today it's tide tables"
    )
    assert (page.title, page.author, page.content_type) == (
        "Reading a tide table",
        "Harbor Notes",
        "youtube",
    )
    assert (page.outcome, page.notes) == ("ok", ())
    fetched = tube.sent("/api/timedtext")[0].url.params
    assert fetched.get_list("fmt") == ["json3"]
    assert (fetched["lang"], fetched.get("kind")) == ("en", None)


@pytest.mark.parametrize(
    ("player", "languages", "lang", "kind"),
    [
        ("ok", ["de"], "de", None),
        ("ok", ["en-GB"], "en", None),
        ("ok", ["xx", "de"], "de", None),
        ("ok", ["xx"], "en", None),
        ("asr-only", ["ja"], "ja", "asr"),
        ("asr-only", ["en"], "ja", "asr"),
    ],
)
def test_captions_are_chosen_by_language(
    player: str, languages: list[str], lang: str, kind: str | None
) -> None:
    tube = Tube(player)

    read(tube, URL, youtube_languages=languages)

    asked = tube.sent("/api/timedtext")[0].url.params
    assert (asked["lang"], asked.get("kind")) == (lang, kind)


def test_clients_are_tried_in_order_until_one_has_captions() -> None:
    tube = Tube("po-token", "bot", "ok")

    page = read(tube, URL, youtube_clients=["ONE/1", "TWO/2", "THREE/3", "FOUR/4"])

    clients = [
        json.loads(request.content)["context"]["client"]
        for request in tube.sent("/youtubei/v1/player")
    ]
    assert [(client["clientName"], client["clientVersion"]) for client in clients] == [
        ("ONE", "1"),
        ("TWO", "2"),
        ("THREE", "3"),
    ]
    assert "## Transcript" in page.markdown


def test_video_without_captions_has_title_and_description() -> None:
    page = read(Tube("no-captions"), URL)

    assert "How to read a tide table." in page.markdown
    assert "Transcript" not in page.markdown
    assert page.outcome == "thin"
    assert page.lost == ("The video has no captions: only the title and description are shown.",)


def test_watch_page_provides_key_and_captions() -> None:
    tube = Tube("ok", watch=["watch-page.html"])

    page = read(tube, URL)

    assert "Has a brace }; inside" in page.markdown
    assert tube.sent("/youtubei/v1/player") == []
    needy = Tube("ok", watch=["watch-page.html"], captions="captions-empty.txt")
    read(needy, URL, youtube_clients=["ONE/1"])
    asked = needy.sent("/youtubei/v1/player")[0]
    assert asked.url.params["key"] == "AIzaFAKE_KEY_for-tests-only_000000000"
    assert asked.headers["x-goog-visitor-id"] == "CgtGYWtlVmlzaXRvcg%3D%3D"


def test_consent_page_is_requested_again_with_a_cookie() -> None:
    tube = Tube("ok", watch=["watch-consent.html", "watch-page.html"])

    read(tube, URL)

    assert [request.headers.get("cookie") for request in tube.sent("/watch")] == [
        None,
        "CONSENT=YES+cb.20260101-00-p0.en+FX+000",
    ]


@pytest.mark.parametrize(
    ("player", "error"),
    [("unavailable", NotFound), ("private", LoginWall), ("age-restricted", LoginWall)],
)
def test_unavailable_video_is_an_error(player: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read(Tube(player), URL)


def test_captions_on_other_hosts_are_not_requested() -> None:
    body = json.loads((REPLIES / "youtube/player-ok.json").read_text())
    for track in body["captions"]["playerCaptionsTracklistRenderer"]["captionTracks"]:
        track["baseUrl"] = track["baseUrl"].replace(
            "https://www.youtube.com", "http://169.254.169.254"
        )
    tube = Tube(httpx2.Response(200, stream=httpx2.ByteStream(json.dumps(body).encode())))

    page = read(tube, URL, youtube_clients=["ONE/1"])

    assert {request.url.host for request in tube.requests} == {"www.youtube.com"}
    assert page.outcome == "thin"


def test_player_response_of_another_video_is_ignored() -> None:
    with pytest.raises(NotFound):
        read(
            Tube("ok", "unavailable"),
            URL.replace("abcDEF12345", "zzzDEF12345"),
            youtube_clients=["ONE/1", "TWO/2"],
        )
