"""YouTube: the transcript in the best language there is; title and description without one; and
what is not to be had.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import httpx2
import pytest

from tests.net.doubles import FakeWeb, text
from tests.read.special.recorded_sites import REPLIES, read, recorded
from webquarry._read.special._parts.youtube_captions import (
    Cue,
    clock_time,
    join_into_paragraphs,
    read_captions,
)
from webquarry._read.special._parts.youtube_player import read_watch_page
from webquarry._read.special.youtube import find_video_id
from webquarry.errors import LoginWall, NotFound

VIDEO = "abcDEF12345"
URL = f"https://www.youtube.com/watch?v={VIDEO}"
OEMBED = "https://www.youtube.com/oembed"


class Tube(FakeWeb):
    """YouTube: watch pages and player answers in turn, by their recorded names, the last for ever;
    captions; a card.
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
        self.card: httpx2.Response = httpx2.Response(404)
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
        return self.card if path == "/oembed" else httpx2.Response(404)

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
def test_the_video_of_every_form_of_address_is_known(url: str) -> None:
    assert find_video_id(httpx2.URL(url)) == VIDEO


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/",
        "https://www.youtube.com/@x",
        f"https://youtube.example/watch?v={VIDEO}",
        "https://youtu.be/a",
    ],
)
def test_what_names_no_video_is_left_to_the_page(url: str) -> None:
    assert find_video_id(httpx2.URL(url)) == ""


def test_a_transcript_comes_with_times_title_and_description() -> None:
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
    ("player", "languages", "lang", "kind", "tlang"),
    [
        ("ok", ["de"], "de", None, None),
        ("ok", ["en-GB"], "en", None, None),
        ("ok", ["xx", "de"], "de", None, None),
        ("ok", ["fr"], "en", None, "fr"),
        ("ok", ["xx"], "en", None, None),
        ("asr-only", ["ja"], "ja", "asr", None),
        ("asr-only", ["en"], "ja", "asr", None),
    ],
)
def test_the_language_is_the_one_wanted_or_the_nearest_there_is(
    player: str, languages: list[str], lang: str, kind: str | None, tlang: str | None
) -> None:
    tube = Tube(player)

    read(tube, URL, youtube_languages=languages)

    asked = tube.sent("/api/timedtext")[0].url.params
    assert (asked["lang"], asked.get("kind"), asked.get("tlang")) == (lang, kind, tlang)


def test_clients_are_asked_in_the_order_of_the_setting_until_one_has_usable_captions() -> None:
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


def test_an_empty_caption_body_is_not_taken_for_silence() -> None:
    tube = Tube("ok", captions="captions-empty.txt")

    page = read(tube, URL, youtube_clients=["ONE/1", "TWO/2"])

    assert len(tube.sent("/api/timedtext")) == 2
    assert page.outcome == "thin"
    assert page.notes == (
        "YouTube did not give out the captions of the video: there is its title and description, "
        "and no transcript.",
    )


def test_without_captions_there_is_title_and_description_and_it_is_said() -> None:
    page = read(Tube("no-captions"), URL)

    assert "How to read a tide table." in page.markdown
    assert "Transcript" not in page.markdown
    assert page.outcome == "thin"
    assert page.lost == (
        "The video has no captions: there is its title and description, and no transcript.",
    )


def test_the_page_of_the_video_gives_the_key_and_may_give_the_captions_at_once() -> None:
    tube = Tube("ok", watch=["watch-page.html"])

    page = read(tube, URL)

    assert "Has a brace }; inside" in page.markdown
    assert tube.sent("/youtubei/v1/player") == []
    needy = Tube("ok", watch=["watch-page.html"], captions="captions-empty.txt")
    read(needy, URL, youtube_clients=["ONE/1"])
    asked = needy.sent("/youtubei/v1/player")[0]
    assert asked.url.params["key"] == "AIzaFAKE_KEY_for-tests-only_000000000"
    assert asked.headers["x-goog-visitor-id"] == "CgtGYWtlVmlzaXRvcg%3D%3D"


def test_what_no_header_can_carry_is_not_taken_from_the_page() -> None:
    text = '"VISITOR_DATA": "Cgt\u00e9lan" action="https://consent.youtube.com/s" name="v" value="\u00e9"'

    watch = read_watch_page(text, "x")

    assert (watch.visitor, watch.consent) == ("", "")


def test_a_page_that_asks_for_consent_is_asked_once_more_with_it() -> None:
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
def test_what_youtube_shows_to_nobody_or_to_few_is_an_error(
    player: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        read(Tube(player), URL)


def test_a_network_that_is_taken_for_a_robot_still_gets_the_title() -> None:
    tube = Tube("bot", watch=["watch-recaptcha.html"])
    tube.card = recorded("youtube/oembed.json")

    page = read(tube, URL)

    assert page.markdown == "# Reading a tide table\n\n- Channel: Harbor Notes"
    assert page.outcome == "thin"
    assert "captcha" in page.notes[0]


def test_where_everything_fails_the_page_itself_is_read() -> None:
    words = "<title>Reading a tide table</title><p>" + "the page itself has words " * 30
    tube = Tube("bot")
    tube.page = text(words)

    page = read(tube, URL)

    assert page.content_type == "html"
    assert page.notes[-1].startswith("The page itself was read, because its API (youtube) failed")


def test_captions_that_lead_elsewhere_are_not_followed() -> None:
    body = json.loads((REPLIES / "youtube/player-ok.json").read_text())
    for track in body["captions"]["playerCaptionsTracklistRenderer"]["captionTracks"]:
        track["baseUrl"] = track["baseUrl"].replace(
            "https://www.youtube.com", "http://169.254.169.254"
        )
    tube = Tube(httpx2.Response(200, stream=httpx2.ByteStream(json.dumps(body).encode())))

    page = read(tube, URL, youtube_clients=["ONE/1"])

    assert {request.url.host for request in tube.requests} == {"www.youtube.com"}
    assert page.outcome == "thin"


def test_an_answer_about_another_video_is_passed_over() -> None:
    with pytest.raises(NotFound):
        read(
            Tube("ok", "unavailable"),
            URL.replace("abcDEF12345", "zzzDEF12345"),
            youtube_clients=["ONE/1", "TWO/2"],
        )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "captions.json3.json",
            [Cue(0.16, "welcome back to harbor notes"), Cue(2.31, "today it's tide tables")],
        ),
        (
            "captions.srv3.xml",
            [Cue(0.16, "welcome back to harbor notes"), Cue(2.31, "today it's tide tables")],
        ),
        (
            "captions.srv1.xml",
            [
                Cue(0.16, "Welcome back to Harbor Notes."),
                Cue(2.31, "Today it's tide tables & heights."),
                Cue(6.2, "Read the second column first."),
            ],
        ),
        ("captions-empty.txt", []),
    ],
)
def test_captions_of_every_form_are_read(name: str, expected: list[Cue]) -> None:
    assert read_captions((REPLIES / "youtube" / name).read_bytes()) == expected


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b'{"events": 5}',
        b'{"events": [{"segs": [{"utf8": 5}], "tStartMs": 1}]}',
        b"<transcript><text start='x'>a</text>",
        b'<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><transcript><text '
        b'start="1">&b;</text></transcript>',
    ],
)
def test_broken_or_hostile_captions_are_none(body: bytes) -> None:
    assert read_captions(body) == []


def test_a_time_stands_before_every_half_minute() -> None:
    cues = [Cue(second, f"word{second}") for second in range(0, 90, 10)]

    assert [(part.seconds, len(part.text.split())) for part in join_into_paragraphs(cues)] == [
        (0, 3),
        (30, 3),
        (60, 3),
    ]
    assert (clock_time(59.9), clock_time(3723)) == ("0:59", "1:02:03")
