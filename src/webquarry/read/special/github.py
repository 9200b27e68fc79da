"""GitHub by its REST API and its raw files: repositories, folders, files, issues, pull requests,
discussions, releases, wikis and gists.

Without a token the API answers 60 requests an hour; files come from the host of raw files, which
counts none. With GITHUB_TOKEN there are 5,000, and discussions can be read, which have no other
interface than GraphQL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry.errors import NotFound, ProviderFailure, WebquarryError
from webquarry.net.models import Reply
from webquarry.read.models import Page
from webquarry.read.special._parts.github_api import (
    GitHubApi,
    check_is_text,
    fetch_readme,
    is_success,
)
from webquarry.read.special._parts.github_files import (
    write_file,
    write_folder,
    write_gist,
    write_release,
    write_releases,
    write_repository,
)
from webquarry.read.special._parts.github_thread import (
    IssueThread,
    write_discussion,
    write_issue,
)
from webquarry.read.special._parts.github_urls import GitHubTarget, parse_target
from webquarry.read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_number,
    get_objects,
    get_text,
)
from webquarry.read.special._parts.site_markdown import write_code, write_markdown
from webquarry.read.special._parts.site_request import SiteRequest
from webquarry.read.special_reader import SiteContext, SpecialReader

SITE = "https://github.com"
_PAGE = 100  # comments in one answer
_MOST_PAGES = 5
_PRIVATE = "it does not exist, or it is private"
_OTHER_FORMATS = (".pdf", ".docx", ".pptx", ".csv", ".ipynb", ".xml", ".json")
_DISCUSSION = """
query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    discussion(number: $number) {
      number title url createdAt upvoteCount bodyHTML
      author { login }
      category { name isAnswerable }
      comments(first: 100) {
        totalCount
        nodes {
          id createdAt upvoteCount isAnswer isMinimized minimizedReason bodyHTML
          author { login }
          replies(first: 50) { totalCount nodes { id createdAt bodyHTML author { login } } }
        }
      }
    }
  }
}
"""


class GitHubReader(SpecialReader):
    name = "github"

    def knows(self, url: httpx2.URL) -> bool:
        return parse_target(url) is not None

    async def read(self, url: str, context: SiteContext) -> Page | Reply:
        target = parse_target(httpx2.URL(url))
        assert target is not None
        request = SiteRequest(self.name, url, context)
        reading = _GitHubReading(request, GitHubApi(request), target)
        match target.kind:
            case "repository":
                return await reading.read_repository()
            case "tree":
                return await reading.read_folder()
            case "file":
                return await reading.read_file()
            case "issue" | "pull":
                return await reading.read_issue()
            case "discussion":
                return await reading.read_discussion()
            case "diff":
                return await reading.read_diff()
            case "release":
                return await reading.read_release()
            case "releases":
                return await reading.read_releases()
            case "wiki":
                return await reading.read_wiki()
            case "gist":
                return await reading.read_gist()


class _GitHubReading:
    """One page while it is read."""

    def __init__(self, request: SiteRequest, api: GitHubApi, target: GitHubTarget) -> None:
        self._request = request
        self._api = api
        self._target = target
        self._name = target.full_name
        self._base = f"/repos/{quote(target.owner)}/{quote(target.repository)}"

    async def read_repository(self) -> Page:
        """What a repository is, and its README; the README alone where the API refuses."""
        missing = f"There is no repository {self._name} to be seen: {_PRIVATE}."
        lost: tuple[str, ...] = ()
        repository: Any = {}
        html = ""
        try:
            repository = await self._api.get(self._base, missing)
            suffix = f"?ref={quote(self._target.rest)}" if self._target.rest else ""
            html = await self._api.get_html(f"{self._base}/readme{suffix}")
        except NotFound:
            raise
        except WebquarryError as error:
            lost = (f"What GitHub knows of the repository is missing: {error.sentence}",)
        markdown = ""
        if not html:
            markdown, _ = await fetch_readme(self._request, self._name)
        if lost and not markdown:
            raise ProviderFailure("GitHub gave neither the repository nor its README.")
        home = f"{SITE}/{self._name}"
        place = f"{home}/blob/HEAD/README.md"

        def write(composer: Any) -> str:
            readme = composer.fragment(html) or write_markdown(composer, markdown, place)
            return write_repository(repository, self._name, readme, composer)

        return await self._request.build_page(
            write,
            get_text(repository, "full_name") or self._name,
            url=home,
            author=self._target.owner,
            published=get_day(repository, "created_at"),
            modified=get_day(repository, "pushed_at"),
            lost=lost,
        )

    async def read_folder(self) -> Page:
        """The files of a folder."""
        ref, _, path = self._target.rest.partition("/")
        missing = f"There is no folder {self._target.rest} in {self._name}: {_PRIVATE}."
        address = f"{self._base}/contents/{quote(path)}?ref={quote(ref)}"
        found = await self._api.get(address, missing, "application/vnd.github+json")
        entries = get_objects({"entries": found}, "entries")
        readme, name = await self._find_readme(entries, ref, path)
        place = f"{SITE}/{self._name}/blob/{ref}/{path}/{name}"
        return await self._request.build_page(
            lambda composer: write_folder(
                entries, self._name, path, write_markdown(composer, readme, place), composer
            ),
            f"{self._name}/{path}",
        )

    async def _find_readme(self, entries: list[Mapping[str, Any]], ref: str, path: str) -> Any:
        """The README among the files of a folder, and its name."""
        for entry in entries:
            name = get_text(entry, "name")
            if name.lower() in ("readme.md", "readme.rst", "readme"):
                reply = await self._api.fetch_raw(f"{self._name}/{ref}/{path}/{name}")
                if is_success(reply):
                    return reply.body.decode("utf-8", "replace"), name
        return "", ""

    async def read_file(self) -> Page | Reply:
        """A file: text as it is, other formats to be read as such."""
        rest = self._target.rest
        reply = await self._api.fetch_raw(f"{self._name}/{rest}")
        if reply.status == httpx2.codes.NOT_FOUND:
            reply = await self._api.fetch_raw(f"{self._name}/refs/heads/{rest}")
        if reply.status == httpx2.codes.NOT_FOUND:
            raise NotFound(f"There is no file {rest} in {self._name}: {_PRIVATE}.")
        if not is_success(reply):
            raise ProviderFailure(f"The host of raw files answered with HTTP {reply.status}.")
        if rest.lower().endswith(_OTHER_FORMATS):
            return reply
        text = check_is_text(reply)
        _, _, path = rest.partition("/")
        lines = self._target.lines
        return await self._request.build_page(
            lambda composer: write_file(text, path, self._request.url, lines, composer),
            f"{self._name}: {path}",
        )

    async def read_issue(self) -> Page:
        """An issue or a pull request with what was said."""
        number = self._target.number
        missing = f"There is no issue or pull request {number} in {self._name}: {_PRIVATE}."
        issue = get_fields(await self._api.get(f"{self._base}/issues/{number}", missing))
        total = get_number(issue, "comments") or 0
        comments, lost = await self._fetch_comments(number, total)
        thread = IssueThread(issue, comments, total)
        if get_fields(issue, "pull_request") or self._target.kind == "pull":
            thread, lost = await self._add_reviews(thread, lost)
        return await self._request.build_page(
            lambda composer: write_issue(thread, self._name, composer),
            f"{get_text(issue, 'title')} · {self._name} #{number}",
            url=get_text(issue, "html_url"),
            author=get_text(issue, "user", "login"),
            published=get_day(issue, "created_at"),
            modified=get_day(issue, "updated_at"),
            lost=lost,
        )

    async def _fetch_comments(
        self, number: int, total: int
    ) -> tuple[list[Mapping[str, Any]], tuple[str, ...]]:
        """The comments of an issue; of very many the first and the newest ones."""
        pages = (total + _PAGE - 1) // _PAGE
        wanted = list(range(1, pages + 1))
        if pages > _MOST_PAGES:
            wanted = [1, *range(pages - _MOST_PAGES + 2, pages + 1)]
        comments: list[Mapping[str, Any]] = []
        lost: tuple[str, ...] = ()
        for page in wanted:
            path = f"{self._base}/issues/{number}/comments?per_page={_PAGE}&page={page}"
            try:
                found = await self._api.get(path, "There are no comments.")
            except WebquarryError as error:
                lost = (f"{len(comments)} of {total} comments are shown: {error.sentence}",)
                return comments, lost
            comments += get_objects({"comments": found}, "comments")
        if len(comments) < total:
            lost = (f"{len(comments)} of {total} comments are shown.",)
        return comments, lost

    async def _add_reviews(
        self, thread: IssueThread, lost: tuple[str, ...]
    ) -> tuple[IssueThread, tuple[str, ...]]:
        """The thread of a pull request with what was reviewed."""
        base = f"{self._base}/pulls/{self._target.number}"
        paths = (base, f"{base}/reviews?per_page=100", f"{base}/comments?per_page=100")
        try:
            pull, reviews, comments = await asyncio.gather(
                *(self._api.get(path, "There is no such pull request.") for path in paths)
            )
        except WebquarryError as error:
            return thread, (*lost, f"Reviews are missing: {error.sentence}")
        reviewed = IssueThread(
            thread.issue,
            thread.comments,
            thread.total,
            get_fields(pull),
            get_objects({"reviews": reviews}, "reviews"),
            get_objects({"comments": comments}, "comments"),
        )
        return reviewed, lost

    async def read_discussion(self) -> Page:
        """A discussion, for which GitHub wants a token."""
        if not self._api.has_token:
            raise ProviderFailure("Discussions are read by their interface with GITHUB_TOKEN only.")
        target = self._target
        variables = {
            "owner": target.owner,
            "name": target.repository,
            "number": target.number,
        }
        reply = await self._api.query(_DISCUSSION, variables)
        discussion = get_fields(reply, "data", "repository", "discussion")
        if not discussion:
            raise NotFound(f"There is no discussion {target.number} in {self._name}: {_PRIVATE}.")
        shown = len(get_objects(discussion, "comments", "nodes"))
        total = get_number(discussion, "comments", "totalCount") or shown
        lost: tuple[str, ...] = ()
        if shown < total:
            lost = (f"{shown} of {total} comments are shown.",)
        return await self._request.build_page(
            lambda composer: write_discussion(discussion, self._name, composer),
            f"{get_text(discussion, 'title')} · {self._name}",
            url=get_text(discussion, "url"),
            author=get_text(discussion, "author", "login"),
            published=get_day(discussion, "createdAt"),
            lost=lost,
        )

    async def read_diff(self) -> Page:
        """What a pull request or a commit changes. GitHub sends on to another host, so it is
        fetched as a page is.
        """
        address = f"{SITE}/{self._name}/{self._target.rest}.diff"
        reply = await self._request.context.client.fetch(address, accept="text/plain,*/*;q=0.5")
        if reply.status == httpx2.codes.NOT_FOUND:
            raise NotFound(f"There is no {self._target.rest} in {self._name}: {_PRIVATE}.")
        if not is_success(reply):
            raise ProviderFailure(f"GitHub answered with HTTP {reply.status}.")
        text = check_is_text(reply)
        title = f"{self._name} {self._target.rest}"
        return await self._request.build_page(
            lambda composer: f"# {composer.name(title)}\n\n{write_code(composer, text, 'diff')}",
            title,
        )

    async def read_release(self) -> Page:
        """One release."""
        name = self._target.rest.removeprefix("tags/")
        missing = f"There is no release {name} in {self._name}: {_PRIVATE}."
        path = f"{self._base}/releases/{quote(self._target.rest)}"
        release = get_fields(await self._api.get(path, missing))
        return await self._request.build_page(
            lambda composer: write_release(release, composer),
            f"{self._name} {get_text(release, 'tag_name') or name}",
            url=get_text(release, "html_url"),
            author=get_text(release, "author", "login"),
            published=get_day(release, "published_at"),
        )

    async def read_releases(self) -> Page:
        """The newest releases."""
        missing = f"There is no repository {self._name} to be seen: {_PRIVATE}."
        found = await self._api.get(f"{self._base}/releases?per_page=10", missing)
        releases = get_objects({"releases": found}, "releases")
        if not releases:
            raise NotFound(f"{self._name} has no releases.")
        return await self._request.build_page(
            lambda composer: write_releases(releases, self._name, composer),
            f"Releases of {self._name}",
        )

    async def read_wiki(self) -> Page:
        """A page of a wiki."""
        page = self._target.rest
        reply = await self._api.fetch_raw(f"wiki/{self._name}/{page}.md")
        if not is_success(reply):
            raise ProviderFailure("The page of the wiki is not kept as Markdown.")
        text = check_is_text(reply)
        url = self._request.url
        title = page.replace("-", " ")
        return await self._request.build_page(
            lambda composer: f"# {composer.name(title)}\n\n{write_markdown(composer, text, url)}",
            f"{title} · {self._name}",
        )

    async def read_gist(self) -> Page:
        """A gist with its files."""
        number = self._target.rest
        gist = await self._api.get(f"/gists/{number}", f"There is no gist {number}.")
        cut = []
        for name, file in get_fields(gist, "files").items():
            if get_fields(file).get("truncated") is True:
                cut.append(name)
        lost: tuple[str, ...] = ()
        if cut:
            lost = (f"Only the beginning of {', '.join(cut[:5])} is shown.",)
        return await self._request.build_page(
            lambda composer: write_gist(get_fields(gist), composer),
            get_text(gist, "description") or "Gist",
            url=get_text(gist, "html_url"),
            author=get_text(gist, "owner", "login"),
            published=get_day(gist, "created_at"),
            lost=lost,
        )
