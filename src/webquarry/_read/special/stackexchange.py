"""Questions of Stack Exchange by its API: the question, its answers with the accepted one first,
and what was said below them.

Three requests. The API's `backoff` is kept to, and its limit is told by HTTP 400, not 429.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import httpx2

from webquarry._read.markdown.compose import Composer, parse_timestamp
from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import (
    get_fields,
    get_flag,
    get_number,
    get_objects,
    get_text,
    get_texts,
    get_value,
)
from webquarry._read.special._parts.site_markdown import count, join_blocks, join_facts
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter, parse_json
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import NotFound, ProviderFailure, RateLimited, WebquarryError

ORIGIN = "https://api.stackexchange.com"
_SITES = {
    "stackoverflow.com": "stackoverflow",
    "serverfault.com": "serverfault",
    "superuser.com": "superuser",
    "askubuntu.com": "askubuntu",
    "mathoverflow.net": "mathoverflow.net",
    "stackapps.com": "stackapps",
}
_NETWORK = re.compile(r"((?:[a-z0-9-]{1,40}\.)?(?:meta\.)?[a-z0-9-]{1,40})\.stackexchange\.com")
_LANGUAGES = re.compile(r"((?:meta\.)?(?:es|ja|pt|ru))\.stackoverflow\.com")
_METAS = re.compile(r"(meta\.(?:stackoverflow|serverfault|superuser|askubuntu))\.com")
_QUESTION = re.compile(r"/(?:questions|q)/([0-9]{1,12})(?:/.{0,300})?")
_ANSWER = re.compile(r"/a/([0-9]{1,12})(?:/.{0,100})?")
_NUMBERS = re.compile(r"[0-9;]+")
_MOST_ANSWERS = 30
_MOST_COMMENTS = 100
_THROTTLED = 502


@dataclass(frozen=True)
class Posts:
    """A question with all that was answered and said."""

    question: Mapping[str, Any]
    answers: list[Mapping[str, Any]]
    comments: dict[int, list[Mapping[str, Any]]]  # by the post below which they stand
    lost: tuple[str, ...]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Posts:
        """What was fetched, as JSON has it."""
        comments: dict[int, list[Mapping[str, Any]]] = {}
        for comment in get_objects(data, "comments"):
            post = get_number(comment, "post_id")
            if post is not None:
                comments.setdefault(post, []).append(comment)
        answers = get_objects(data, "answers")
        return cls(get_fields(data, "question"), answers, comments, tuple(data["lost"]))


class StackExchangeReader(SpecialReader):
    name = "stackexchange"

    def knows_host(self, host: str) -> bool:
        return bool(find_site(host))

    def knows(self, url: httpx2.URL) -> bool:
        if not find_site(url.host):
            return False
        return bool(_QUESTION.fullmatch(url.path) or _ANSWER.fullmatch(url.path))

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        address = httpx2.URL(url)
        request = SiteRequest(self.name, url, context)
        asking = _Asking(request, find_site(address.host))
        return request.build_reply(await asking.fetch_posts(address.path))

    def write(self, reply: SiteReply, url: str) -> Page:
        posts = Posts.of(reply.data)
        question = posts.question
        writer = SiteWriter(reply, url)
        created = parse_timestamp(get_value(question, "creation_date"))
        return writer.build_page(
            write_posts(posts, writer.composer),
            writer.composer.plain(get_text(question, "title"), is_html=True),
            url=get_text(question, "link"),
            author=get_text(question, "owner", "display_name"),
            published=_format_day(created),
            lost=posts.lost,
        )


def find_site(host: str) -> str:
    """How the API calls the site at a host; empty for any other host."""
    host = host.removeprefix("www.")
    if host in _SITES:
        return _SITES[host]
    for pattern in (_NETWORK, _LANGUAGES, _METAS):
        found = pattern.fullmatch(host)
        if found:
            return _name_site(found[1], pattern)
    return ""


def _name_site(name: str, pattern: re.Pattern[str]) -> str:
    if pattern is _LANGUAGES:
        return f"{name}.stackoverflow"
    if name == "meta":
        return "meta.stackexchange"
    if name in ("api", "chat", "data"):
        return ""
    return name


class _Asking:
    """What is asked of the API for one page."""

    def __init__(self, request: SiteRequest, site: str) -> None:
        self._request = request
        self._site = site

    async def fetch_posts(self, path: str) -> dict[str, Any]:
        """The question of a path with its answers and comments."""
        number = await self._find_question(path)
        missing = f"{self._site} has no question {number}."
        questions = await self._ask(f"/questions/{number}", "questions", missing)
        if not questions:
            raise NotFound(missing)
        question = questions[0]
        lost: list[str] = []
        answers: list[Mapping[str, Any]] = []
        if get_number(question, "answer_count"):
            answers = await self._try(f"/questions/{number}/answers", "answers", lost)
        order = {"comments": _MOST_COMMENTS}
        ids = [str(number), *(str(get_number(answer, "answer_id")) for answer in answers)]
        said = await self._try(f"/posts/{';'.join(ids)}/comments", "comments", lost, **order)
        total = get_number(question, "answer_count") or 0
        if total > len(answers):
            lost.append(f"{len(answers)} of {total} answers are shown.")
        return {"question": question, "answers": answers, "comments": said, "lost": lost}

    async def _find_question(self, path: str) -> int:
        found = _QUESTION.fullmatch(path)
        if found:
            return int(found[1])
        answer = _ANSWER.fullmatch(path)
        assert answer is not None
        missing = f"{self._site} has no answer {answer[1]}."
        answers = await self._ask(f"/answers/{answer[1]}", "answers", missing)
        number = get_number(answers[0], "question_id") if answers else None
        if number is None:
            raise NotFound(missing)
        return number

    async def _try(
        self, path: str, method: str, lost: list[str], **limits: int
    ) -> list[Mapping[str, Any]]:
        """What the API answers; where it refuses, that is noted as lost."""
        try:
            return await self._ask(path, method, f"There are no {method}.", **limits)
        except WebquarryError as error:
            lost.append(f"The {method} are missing: {error.sentence}")
            return []

    async def _ask(
        self, path: str, method: str, missing: str, **limits: int
    ) -> list[Mapping[str, Any]]:
        """The items of an answer. Raises RateLimited while the API wants to be left alone."""
        context = self._request.context
        paused = f"stackexchange {_NUMBERS.sub('', path)}"
        context.check_pause(paused)
        parameters = {
            "site": self._site,
            "filter": "withbody",
            "order": "desc",
            "sort": "votes",
            "pagesize": str(limits.get(method, _MOST_ANSWERS)),
        }
        if path.startswith(("/questions/", "/answers/")) and not path.endswith("/answers"):
            del parameters["sort"], parameters["order"], parameters["pagesize"]
        address = context.url("stackexchange", ORIGIN, f"/2.3{path}")
        reply = await self._request.send(f"{address}?{urlencode(parameters)}")
        if reply.status == 400:
            raise _explain_refusal(reply.body)
        answer = parse_json(reply, missing)
        backoff = get_number(answer, "backoff")
        if backoff:
            context.pause(paused, backoff)
        return get_objects(answer, "items")


def _explain_refusal(body: bytes) -> WebquarryError:
    """What a refusal says: that too much was asked, or what was wrong."""
    text = body[:2000].decode("utf-8", "replace")
    if f'"error_id":{_THROTTLED}' in text.replace(" ", ""):
        return RateLimited("Stack Exchange takes no more requests from this address for now.")
    return ProviderFailure("Stack Exchange refused the request.")


def write_posts(posts: Posts, composer: Composer) -> str:
    """A question, its answers with the accepted one first, and the comments of each."""
    question = posts.question
    title = composer.plain(get_text(question, "title"), is_html=True)
    closed = composer.plain(get_text(question, "closed_reason"))
    facts = join_facts(
        [
            _write_score(question),
            f"asked {_write_author(question, composer)}",
            count(get_number(question, "view_count"), "view"),
            ", ".join(composer.name(tag) for tag in get_texts(question, "tags")),
            f"**closed: {composer.line(closed)}**" if closed else "",
        ]
    )
    blocks = [f"# {composer.line(title)}", facts, composer.fragment(get_text(question, "body"))]
    blocks += _write_comments(posts, get_number(question, "question_id"), composer)
    answers = sorted(posts.answers, key=_rank)
    total = get_number(question, "answer_count") or len(answers)
    if answers:
        blocks.append(f"## Answers ({len(answers)} of {max(total, len(answers))})")
    for answer in answers:
        head = f"### {_write_score(answer)} by {_write_author(answer, composer)}"
        if get_flag(answer, "is_accepted"):
            head = f"{head}, accepted"
        blocks += [head, composer.fragment(get_text(answer, "body"))]
        blocks += _write_comments(posts, get_number(answer, "answer_id"), composer)
    link = get_text(question, "link")
    licence = composer.plain(get_text(question, "content_license")) or "CC BY-SA"
    blocks.append(
        join_facts(
            [f"Licence: {composer.line(licence)}", composer.link(composer.plain(link), link)]
        )
    )
    return join_blocks(blocks)


def _rank(answer: Mapping[str, Any]) -> tuple[bool, int]:
    return not get_flag(answer, "is_accepted"), -(get_number(answer, "score") or 0)


def _write_score(post: Mapping[str, Any]) -> str:
    return f"{get_number(post, 'score') or 0:+d}"


def _write_author(post: Mapping[str, Any], composer: Composer) -> str:
    """Who wrote it, and when."""
    name = composer.plain(get_text(post, "owner", "display_name"), is_html=True) or "somebody"
    day = _format_day(parse_timestamp(get_value(post, "creation_date")))
    return ", ".join(filter(None, [composer.line(name), day]))


def _write_comments(posts: Posts, number: int | None, composer: Composer) -> list[str]:
    """What was said below a post, one line each."""
    lines = []
    for comment in posts.comments.get(number or -1, []):
        text = composer.fragment(get_text(comment, "body"))
        one_line = " ".join(text.split())
        author = _write_author(comment, composer)
        score = get_number(comment, "score")
        shown_score = f", {score:+d}" if score else ""
        if one_line:
            lines.append(f"- {one_line} ({author}{shown_score})")
    return ["\n".join(lines)]


def _format_day(moment: datetime | None) -> str:
    if moment is None:
        return ""
    return f"{moment.astimezone(UTC):%Y-%m-%d}"
