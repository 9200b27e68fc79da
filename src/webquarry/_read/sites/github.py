"""GitHub: repositories, folders, files, issues, pull requests and diffs.

The REST API allows 60 requests an hour without a token, so files come from the host of raw files,
which has no such limit.

API: https://docs.github.com/rest
"""

from __future__ import annotations

import asyncio
import re
from typing import Any, NamedTuple
from urllib.parse import quote, unquote

import httpx2

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.blocks import Block
from webquarry._read.markdown.compose import Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.credentials import Credential
from webquarry.errors import NotFound, ProviderFailure, WebquarryError
from webquarry.net.models import Reply

_SITE = "https://github.com"
_API = "https://api.github.com"
_RAW = "https://raw.githubusercontent.com"
_TOKEN = Credential("GITHUB_TOKEN", "github-token")
_FULL = "application/vnd.github.full+json"  # includes bodies as HTML
_HTML = "application/vnd.github.html+json"
_README_NAMES = ("README.md", "readme.md", "README.rst")
_MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx", ".mdown")
_OTHER_FORMATS = (".pdf", ".docx", ".pptx", ".csv", ".ipynb", ".xml", ".json")
# First path segments that are not owners.
_RESERVED = frozenset({
    "about", "apps", "codespaces", "collections", "contact", "customer-stories", "dashboard",
    "enterprise", "events", "explore", "features", "issues", "join", "login", "logout",
    "marketplace", "new", "notifications", "orgs", "pricing", "pulls", "search", "security",
    "settings", "signup", "site", "sponsors", "stars", "team", "topics", "trending", "users",
})  # fmt: skip
# Paths below `owner/repository` by kind of page; the group is the rest of the target.
_KINDS = {
    "repository": r"(?:tree/([^/]+))?",
    "folder": r"tree/([^/]+/.+)",
    "file": r"blob/([^/]+/.+)",
    "diff": (
        r"(commit/[0-9a-f]{7,40})(?:\.diff|\.patch)?"
        r"|(pull/[0-9]{1,9})(?:\.diff|\.patch|/files.*|/changes.*)"
    ),
    "issue": r"(?:issues|pull)/([0-9]{1,9})",
}
_PAGE_SIZE = 100  # comments
_MAX_PAGES = 5
_HUNK_LINES = 4  # of the diff above a review comment


class _Target(NamedTuple):
    """What a URL of GitHub names."""

    kind: str
    name: str  # owner/repository
    rest: str = ""  # number, or ref and path

    @property
    def path(self) -> str:
        """The path without the ref."""
        return self.rest.partition("/")[2]


class GitHubReader(SiteReader):
    name = "github"
    hosts = "github.com"

    def match(self, url: httpx2.URL) -> _Target | None:
        """Return what a URL names; None for a page that has no API."""
        parts = [unquote(part) for part in url.path.split("/") if part]
        name = "/".join(parts[:2]).removesuffix(".git")
        if not re.fullmatch(r"(?a)[A-Za-z0-9][A-Za-z0-9-]{0,38}/[\w.-]{1,100}", name):
            return None
        if parts[0].lower() in _RESERVED or ".." in parts:
            return None
        for kind, pattern in _KINDS.items():
            if found := re.fullmatch(pattern, "/".join(parts[2:])):
                return _Target(kind, name, next(filter(None, found.groups()), ""))
        return None

    async def fetch(self, request: SiteRequest) -> SiteReply | Reply:
        return await _Fetching(request).fetch()

    def write(self, reply: SiteReply, url: str) -> Page:
        target = self.match(httpx2.URL(url))
        assert target is not None
        page: Page = getattr(_Writing(reply, url, target), f"write_{target.kind}")()
        return page


class _Fetching:
    """The requests for one page."""

    def __init__(self, request: SiteRequest) -> None:
        self._request = request
        self._target: _Target = request.target
        self._token = request.context.find_credential(_TOKEN)
        self._base = f"/repos/{quote(self._target.name)}"
        named = " ".join(filter(None, self._target))
        self._missing = f"GitHub has no {named}, or it is private."

    async def fetch(self) -> SiteReply | Reply:
        kind, name, rest = self._target
        if kind == "diff":  # redirects to another host, so it is fetched as a page
            url = f"{_SITE}/{name}/{rest}.diff"
            return self._build_text_reply(await self._request.fetch(url, "text/plain,*/*;q=0.5"))
        reply: SiteReply | Reply = await getattr(self, f"_fetch_{kind}")()
        return reply

    async def _fetch_repository(self) -> SiteReply:
        """Request the repository and its README; only the README if the API refuses."""
        data: dict[str, Any] = {}
        html = b""
        try:
            data["repository"] = (await self._get(self._base)).value
            ref = self._target.rest
            suffix = f"?ref={quote(ref)}" if ref else ""
            readme = await self._send(f"{self._base}/readme{suffix}", _HTML)
            html = readme.body if readme.status == 200 else b""
        except NotFound:
            raise
        except WebquarryError as error:
            self._request.lost = [f"Facts about the repository are missing: {error.sentence}"]
        if not html:
            data["readme"], _ = await fetch_readme(self._request, self._target.name)
            if self._request.lost and not data["readme"]:
                raise ProviderFailure("GitHub returned neither the repository nor its README.")
        return self._request.build_reply(data, html)

    async def _fetch_folder(self) -> SiteReply:
        ref, _, path = self._target.rest.partition("/")
        folder = await self._get(f"{self._base}/contents/{quote(path)}?ref={quote(ref)}")
        return self._request.build_reply({"folder": folder.value})

    async def _fetch_file(self) -> SiteReply | Reply:
        """Request a text file, or a file of another format as it is."""
        name, rest = self._target.name, self._target.rest
        reply = await fetch_raw(self._request, f"{name}/{rest}")
        if rest.lower().endswith(_OTHER_FORMATS):
            return self._request.check(reply, self._missing)
        return self._build_text_reply(reply)

    async def _fetch_issue(self) -> SiteReply:
        """Request an issue or a pull request with its comments and reviews."""
        path = f"{self._base}/issues/{self._target.rest}"
        issue = await self._get(path)
        comments = await self._fetch_comments(path, issue.number("comments") or 0)
        data: dict[str, Any] = {"issue": issue.value, "comments": comments}
        if issue.fields("pull_request"):
            pull = f"{self._base}/pulls/{self._target.rest}"
            paths = (pull, f"{pull}/reviews?per_page=100", f"{pull}/comments?per_page=100")
            requests = asyncio.gather(*map(self._get, paths))
            found = await self._request.optional(requests, "Reviews are missing", [])
            names = ("pull", "reviews", "review_comments")
            data |= {name: one.value for name, one in zip(names, found, strict=False)}
        return self._request.build_reply(data)

    async def _fetch_comments(self, path: str, total: int) -> list[Any]:
        """Request the comments of an issue; the first and the newest of a long thread."""
        pages = -(-total // _PAGE_SIZE)
        wanted = list(range(1, pages + 1))
        if pages > _MAX_PAGES:
            wanted = [1, *range(pages - _MAX_PAGES + 2, pages + 1)]
        comments: list[Any] = []
        reason = "."
        try:
            for page in wanted:
                found = await self._get(f"{path}/comments?per_page={_PAGE_SIZE}&page={page}")
                comments += found.values()
        except WebquarryError as error:
            reason = f": {error.sentence}"
        if len(comments) < total:
            self._request.lost.append(f"{len(comments)} of {total} comments are shown{reason}")
        return comments

    def _build_text_reply(self, reply: Reply) -> SiteReply:
        if b"\0" in self._request.check(reply, self._missing).body[:100_000]:
            raise ProviderFailure("The file is not a text file.")
        return self._request.build_reply({}, reply.body)

    async def _get(self, path: str) -> JsonData:
        return self._request.parse(await self._send(path, _FULL), self._missing)

    async def _send(self, path: str, accept: str) -> Reply:
        """Send a request to the API, without the token if GitHub rejects it."""
        url = self._request.at("github", _API, path)
        headers = {"Accept": accept, "X-GitHub-Api-Version": "2022-11-28"}
        if self._token is not None:
            secret = {"Authorization": f"Bearer {self._token.reveal()}"}
            reply = await self._request.send(url, headers | secret)
            if reply.status != 401:
                return reply
            self._token = None
        return await self._request.send(url, headers)


async def fetch_raw(request: SiteRequest, path: str) -> Reply:
    """Request a file from the host of raw files; the reply can have any status."""
    return await request.send(request.at("github_raw", _RAW, f"/{quote(path)}"))


async def fetch_readme(request: SiteRequest, name: str, folder: str = "") -> tuple[str, str]:
    """Request the README of a folder; returns its text and its URL, or empty strings."""
    for file in _README_NAMES:
        path = f"{folder}/{file}" if folder else file
        reply = await fetch_raw(request, f"{name}/HEAD/{path}")
        if reply.status == 200:
            return reply.body.decode("utf-8", "replace"), f"{_SITE}/{name}/blob/HEAD/{path}"
    return "", ""


class _Writing(SiteWriter):
    """Writes one page; one method for each kind of page."""

    def __init__(self, reply: SiteReply, url: str, target: _Target) -> None:
        super().__init__(reply, url)
        self._target = target

    def write_repository(self) -> Page:
        repository, name = self.data.object("repository"), self._target.name
        home = f"{_SITE}/{name}"
        name = repository.text("full_name") or name
        readme = self.fragment(self.text)
        readme = readme or self.markdown(self.data.text("readme"), f"{home}/blob/HEAD/README.md")
        facts = [
            repository.text("language"),
            repository.text("license", "name"),
            count(repository.number("stargazers_count"), "star"),
            count(repository.number("forks_count"), "fork"),
            count(repository.number("open_issues_count"), "open issue"),
            self.label("pushed ", repository.day("pushed_at")),
            self.label("default branch ", repository.text("default_branch")),
            self.label("topics: ", ", ".join(repository.texts("topics"))),
        ]
        archived = "archived: no longer maintained" if repository.flag("archived") else ""
        link = self.link_url(repository.text("homepage"))
        blocks: list[Content] = [
            self.name(repository.text("description")),
            self.facts([archived and self.strong(archived), *map(self.name, facts), link]),
            self.section(2, "README", readme),
        ]
        return self.build_page(
            blocks,
            name,
            url=home,
            author=self._target.name.partition("/")[0],
            published=repository.day("created_at"),
            modified=repository.day("pushed_at"),
        )

    def write_folder(self) -> Page:
        folders, files = [], []
        for entry in self.data.objects("folder"):
            if entry.text("type") == "dir":
                folders.append(f"{self.name(entry.text('name'))}/")
            else:
                files.append(self._write_file_name(entry))
        title = f"{self._target.name}/{self._target.path}"
        return self.build_page([self.items(folders + files)], title)

    def write_file(self) -> Page:
        """A file; the lines that the fragment of the URL names come first."""
        text, path = self.text, self._target.path
        blocks: list[Content] = []
        lines = re.fullmatch(r"L([0-9]{1,7})(?:-L([0-9]{1,7}))?", httpx2.URL(self.url).fragment)
        if lines:
            first, last = sorted((int(lines[1]), int(lines[2] or lines[1])))
            wanted = text.split("\n")[max(first - 1, 0) : last]
            numbered = [f"{number}: {line}" for number, line in enumerate(wanted, first)]
            code = self.code("\n".join(numbered))
            blocks = [self.section(2, f"Lines {first} to {last}", code)]
            blocks.append(self.heading(2, "Whole file"))
        blocks.append(self._write_content(path, text, self.url))
        title = f"{self._target.name}: {path}"
        return self.build_page(blocks, title, heading=self.name(path))

    def write_issue(self) -> Page:
        issue, pull = self.data.object("issue"), self.data.object("pull")
        comments = self.data.objects("comments")
        name = f"{self._target.name} #{self._target.rest}"
        blocks: list[Content] = [
            self.facts([name, *self._list_issue_facts(issue, pull)]),
            self._write_body(issue),
            self.count_heading("Comments", len(comments), issue.number("comments")),
            *(self._write_comment(comment) for comment in comments),
            *self._write_reviews(self.data.objects("reviews")),
            *self._write_review_comments(self.data.objects("review_comments")),
        ]
        return self.build_page(
            blocks,
            f"{issue.text('title')} · {name}",
            heading=self.name(issue.text("title")),
            url=issue.text("html_url"),
            author=issue.text("user", "login"),
            published=issue.day("created_at"),
            modified=issue.day("updated_at"),
        )

    def _list_issue_facts(self, issue: JsonData, pull: JsonData) -> list[str]:
        state = issue.text("state")
        if pull.text("merged_at"):
            state = "merged"
        elif issue.text("state_reason"):
            state = f"{state} ({issue.text('state_reason').replace('_', ' ')})"
        labels = [self.name(label.text("name")) for label in issue.objects("labels")]
        head, base = self.name(pull.text("head", "label")), self.name(pull.text("base", "label"))
        return [
            self.name(state),
            f"by {self._write_author(issue)}",
            self.label("opened ", issue.day("created_at")),
            self.label("closed ", issue.day("closed_at")),
            self.label("labels: ", ", ".join(labels)),
            self.label("milestone ", self.name(issue.text("milestone", "title"))),
            _write_reactions(issue),
            f"{head} into {base}" if head and base else "",
            count(pull.number("commits"), "commit"),
            count(pull.number("changed_files"), "file"),
        ]

    def _write_comment(self, comment: JsonData) -> list[Block]:
        return self.item(self._write_head(comment), self._write_body(comment))

    def _write_reviews(self, reviews: list[JsonData]) -> list[Content]:
        blocks: list[Content] = []
        for review in reviews:
            state = self.name(review.text("state").replace("_", " ").lower())
            body = self._write_body(review)
            if body or state != "commented":
                blocks.append(self.item(f"{self._write_head(review)}: {state}", body))
        return [self.heading(2, f"Reviews ({len(blocks)})"), *blocks] if blocks else []

    def _write_review_comments(self, comments: list[JsonData]) -> list[Content]:
        """Comments on the code by file: the end of the diff, the comment, replies below it."""
        if not comments:
            return []
        blocks: list[Content] = [self.heading(2, f"Comments on the code ({len(comments)})")]
        comments.sort(key=lambda one: one.number("in_reply_to_id") or one.number("id") or 0)
        for comment in comments:
            if comment.number("in_reply_to_id"):
                blocks.append(self.item(self._write_head(comment), self._write_body(comment), 1))
                continue
            line = comment.number("line") or comment.number("original_line") or ""
            hunk = comment.text("diff_hunk").split("\n")[-_HUNK_LINES:]
            blocks += [
                self.heading(3, f"{self.name(comment.text('path'))} {line}".strip()),
                self.code("\n".join(hunk), "diff"),
                self._write_comment(comment),
            ]
        return blocks

    def write_diff(self) -> Page:
        title = f"{self._target.name} {self._target.rest}"
        return self.build_page([self.code(self.text, "diff")], title)

    def _write_file_name(self, file: JsonData) -> str:
        size = file.number("size") or 0
        words = f"{size} B" if size < 1000 else f"{size / 1000:,.1f} kB"
        return f"{self.name(file.text('name'))} ({words})"

    def _write_content(self, path: str, text: str, url: str) -> list[Block]:
        """The content of a file: Markdown, or code in the language of its suffix."""
        if path.lower().endswith(_MARKDOWN_SUFFIXES):
            return self.markdown(text, url)
        suffix = re.search(r"\.([a-z]{1,10})\Z", path.lower())
        return self.code(text, suffix[1] if suffix else "")

    def _write_body(self, post: JsonData) -> list[Block]:
        """The text of a post: HTML if the API returns it, else Markdown."""
        return self.fragment(post.text("body_html")) or self.markdown(
            post.text("body"), f"{_SITE}/"
        )

    def _write_author(self, post: JsonData) -> str:
        """The author, `ghost` for a deleted account, with the role in the repository."""
        name = self.name(post.text("user", "login")) or "ghost"
        role = self.name(post.text("author_association").replace("_", " ").lower())
        return name if role in ("", "none") else f"{name} ({role})"

    def _write_head(self, comment: JsonData) -> str:
        day = comment.day("created_at") or comment.day("submitted_at")
        number = self.label("#", str(comment.number("id") or ""))
        return self.attribution(self._write_author(comment), day, _write_reactions(comment), number)


def _write_reactions(post: JsonData) -> str:
    return f"+{votes}" if (votes := post.number("reactions", "+1")) else ""
