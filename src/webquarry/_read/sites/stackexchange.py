"""Stack Exchange: a question, its answers (the accepted one first) and comments, in three requests.

API: https://api.stackexchange.com/docs (rate limit as HTTP 400 with error 502; `backoff` is the
number of seconds in which a method must not be called again)
"""

from __future__ import annotations

import re
from urllib.parse import urlencode

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Composer, Content, one_line
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import NotFound, ProviderFailure, RateLimited

_API = "https://api.stackexchange.com"
_PATH = r"/(questions|q|a)/([0-9]{1,12})(?:/.{0,300})?"
_NOT_SITES = ("api", "chat", "data")
_MAX_ANSWERS = 30
_MAX_COMMENTS = 100


class StackExchangeReader(SiteReader):
    name = "stackexchange"
    hosts = (
        "*.stackexchange.com stackoverflow.com *.stackoverflow.com serverfault.com "
        "meta.serverfault.com superuser.com meta.superuser.com askubuntu.com "
        "meta.askubuntu.com mathoverflow.net stackapps.com"
    )

    def match(self, url: httpx2.URL) -> tuple[str, ...] | None:
        """Return the API's name of the site, the kind of post and its id."""
        host, found = url.host.removeprefix("www."), re.fullmatch(_PATH, url.path)
        site = host.removesuffix(".com")
        if host != "meta.stackexchange.com":
            site = site.removesuffix(".stackexchange")
        return (site, *found.groups()) if found and site not in _NOT_SITES else None

    async def fetch(self, request: SiteRequest) -> SiteReply:
        site, kind, number = request.target
        missing = f"{site} has no post {number}."
        if kind == "a":
            named = await _get(request, site, f"/answers/{number}", missing)
            number = str(named[0].number("question_id")) if named else ""
        questions = await _get(request, site, f"/questions/{number}", missing) if number else []
        if not questions:
            raise NotFound(missing)
        answers: list[JsonData] = []
        total = questions[0].number("answer_count") or 0
        if total:
            wanted = _get(request, site, f"/questions/{number}/answers", missing, _MAX_ANSWERS)
            answers = await request.optional(wanted, "The answers are missing", [])
        posts = [number, *(str(answer.number("answer_id")) for answer in answers)]
        wanted = _get(request, site, f"/posts/{';'.join(posts)}/comments", missing, _MAX_COMMENTS)
        comments = await request.optional(wanted, "The comments are missing", [])
        if total > len(answers):
            request.lost.append(f"{len(answers)} of {total} answers are shown.")
        lists = {"questions": questions, "answers": answers, "comments": comments}
        data = {name: [one.value for one in found] for name, found in lists.items()}
        return request.build_reply(data)

    def write(self, reply: SiteReply, url: str) -> Page:
        page = SiteWriter(reply, url)
        question = page.data.objects("questions")[0]
        comments = page.data.objects("comments")
        answers = page.data.objects("answers")
        answers.sort(key=lambda one: (not one.flag("is_accepted"), -(one.number("score") or 0)))
        title = page.plain(question.text("title"), is_html=True)
        facts = [
            f"{question.number('score') or 0:+d}",
            f"asked {_write_author(question, page)}",
            ", ".join(page.name(tag) for tag in question.texts("tags")),
            page.strong(page.label("closed: ", page.name(question.text("closed_reason")))),
        ]
        blocks: list[Content] = [
            page.facts(facts),
            *_write_post(question, question.number("question_id"), comments, page),
            page.count_heading("Answers", len(answers), question.number("answer_count")),
        ]
        for answer in answers:
            accepted = ", accepted" if answer.flag("is_accepted") else ""
            head = f"{answer.number('score') or 0:+d} by {_write_author(answer, page)}{accepted}"
            blocks.append(page.heading(3, head))
            blocks += _write_post(answer, answer.number("answer_id"), comments, page)
        link = question.text("link")
        licence = page.name(question.text("content_license")) or "CC BY-SA"
        blocks.append(page.facts([f"Licence: {licence}", page.link_url(link)]))
        return page.build_page(
            blocks,
            title,
            url=link,
            author=question.text("owner", "display_name"),
            published=_format_day(question),
        )


async def _get(
    request: SiteRequest, site: str, path: str, missing: str, size: int = 0
) -> list[JsonData]:
    """Request the items of a method; `size` items by votes."""
    method = f"stackexchange {re.sub('[0-9;]+', '', path)}"
    request.context.check_pause(method)
    parameters = {"site": site, "filter": "withbody"}
    if size:
        parameters |= {"order": "desc", "sort": "votes", "pagesize": str(size)}
    url = request.at("stackexchange", _API, f"/2.3{path}")
    reply = await request.send(f"{url}?{urlencode(parameters)}")
    if reply.status == 400 and JsonData.parse(reply.body).number("error_id") == 502:
        raise RateLimited("Rate limited by Stack Exchange.")
    if reply.status == 400:
        raise ProviderFailure("Stack Exchange rejected the request.")
    answer = request.parse(reply, missing)
    if backoff := answer.number("backoff"):
        request.context.pause(method, backoff)
    return answer.objects("items")


def _write_post(
    post: JsonData, number: int | None, comments: list[JsonData], page: Composer
) -> list[Content]:
    """Write the text of a post, and its comments in one line each."""
    lines = []
    for comment in [one for one in comments if one.number("post_id") == number]:
        text = one_line(page.fragment(comment.text("body")))
        if text:
            score = f", {comment.number('score'):+d}" if comment.number("score") else ""
            lines.append(f"{text} ({_write_author(comment, page)}{score})")
    return [page.fragment(post.text("body")), page.items(lines)]


def _write_author(post: JsonData, page: Composer) -> str:
    name = page.name(post.text("owner", "display_name"), is_html=True) or "unknown"
    return ", ".join(filter(None, [name, _format_day(post)]))


def _format_day(post: JsonData) -> str:
    time = post.time("creation_date")
    return f"{time:%Y-%m-%d}" if time else ""
