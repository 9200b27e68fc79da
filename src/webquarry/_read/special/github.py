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

from webquarry._read.models import Page
from webquarry._read.special._parts.github_api import (
    GitHubApi,
    check_is_text,
    fetch_readme,
    is_success,
)
from webquarry._read.special._parts.github_page import SITE, write_page
from webquarry._read.special._parts.github_urls import GitHubTarget, is_github, parse_target
from webquarry._read.special._parts.json_fields import (
    get_fields,
    get_number,
    get_objects,
    get_text,
)
from webquarry._read.special._parts.site_request import SiteRequest, check_status
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import NotFound, ProviderFailure, WebquarryError
from webquarry.net.models import Reply

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

    def knows_host(self, host: str) -> bool:
        return is_github(host)

    def knows(self, url: httpx2.URL) -> bool:
        return parse_target(url) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply | Reply:
        target = parse_target(httpx2.URL(url))
        assert target is not None
        request = SiteRequest(self.name, url, context)
        fetching = _GitHubFetching(request, GitHubApi(request), target)
        match target.kind:
            case "repository":
                return await fetching.fetch_repository()
            case "tree":
                return await fetching.fetch_folder()
            case "file":
                return await fetching.fetch_file()
            case "issue" | "pull":
                return await fetching.fetch_issue()
            case "discussion":
                return await fetching.fetch_discussion()
            case "diff":
                return await fetching.fetch_diff()
            case "release" | "releases":
                return await fetching.fetch_releases()
            case "wiki":
                return await fetching.fetch_wiki()
            case "gist":
                return await fetching.fetch_gist()

    def write(self, reply: SiteReply, url: str) -> Page:
        target = parse_target(httpx2.URL(url))
        assert target is not None
        return write_page(target, reply, url)


class _GitHubFetching:
    """One page while it is fetched."""

    def __init__(self, request: SiteRequest, api: GitHubApi, target: GitHubTarget) -> None:
        self._request = request
        self._api = api
        self._target = target
        self._name = target.full_name
        self._base = f"/repos/{quote(target.owner)}/{quote(target.repository)}"

    async def fetch_repository(self) -> SiteReply:
        """What a repository is, and its README; the README alone where the API refuses."""
        missing = f"There is no repository {self._name} to be seen: {_PRIVATE}."
        data: dict[str, Any] = {"lost": []}
        html = b""
        try:
            data["repository"] = await self._api.get(self._base, missing)
            suffix = ""
            if self._target.rest:
                suffix = f"?ref={quote(self._target.rest)}"
            html = await self._api.get_html(f"{self._base}/readme{suffix}")
        except NotFound:
            raise
        except WebquarryError as error:
            lost = f"What GitHub knows of the repository is missing: {error.sentence}"
            data["lost"] = [lost]
        if not html:
            data["readme"], _ = await fetch_readme(self._request, self._name)
        if data["lost"] and not data["readme"]:
            raise ProviderFailure("GitHub gave neither the repository nor its README.")
        return self._request.build_reply(data, html)

    async def fetch_folder(self) -> SiteReply:
        """The files of a folder."""
        ref, _, path = self._target.rest.partition("/")
        missing = f"There is no folder {self._target.rest} in {self._name}: {_PRIVATE}."
        address = f"{self._base}/contents/{quote(path)}?ref={quote(ref)}"
        entries = await self._api.get(address, missing, "application/vnd.github+json")
        data = {"entries": entries, "readme": "", "readme_name": ""}
        for entry in get_objects(data, "entries"):
            name = get_text(entry, "name")
            if name.lower() in ("readme.md", "readme.rst", "readme"):
                reply = await self._api.fetch_raw(f"{self._name}/{ref}/{path}/{name}")
                data |= {"readme": reply.body.decode("utf-8", "replace"), "readme_name": name}
                break
        return self._request.build_reply(data)

    async def fetch_file(self) -> SiteReply | Reply:
        """A file: text as it is, other formats to be read as such."""
        rest = self._target.rest
        reply = await self._api.fetch_raw(f"{self._name}/{rest}")
        if reply.status == httpx2.codes.NOT_FOUND:
            reply = await self._api.fetch_raw(f"{self._name}/refs/heads/{rest}")
        check_status(reply, f"There is no file {rest} in {self._name}: {_PRIVATE}.")
        if rest.lower().endswith(_OTHER_FORMATS):
            return reply
        return self._request.build_reply({}, check_is_text(reply))

    async def fetch_issue(self) -> SiteReply:
        """An issue or a pull request with what was said."""
        number = self._target.number
        missing = f"There is no issue or pull request {number} in {self._name}: {_PRIVATE}."
        issue = get_fields(await self._api.get(f"{self._base}/issues/{number}", missing))
        data: dict[str, Any] = {"issue": issue, "lost": []}
        data["comments"] = await self._fetch_comments(issue, data["lost"])
        if get_fields(issue, "pull_request") or self._target.kind == "pull":
            data |= await self._fetch_reviews(data["lost"])
        return self._request.build_reply(data)

    async def _fetch_comments(self, issue: Mapping[str, Any], lost: list[str]) -> list[Any]:
        """The comments of an issue; of very many the first and the newest ones."""
        total = get_number(issue, "comments") or 0
        pages = (total + _PAGE - 1) // _PAGE
        wanted = list(range(1, pages + 1))
        if pages > _MOST_PAGES:
            wanted = [1, *range(pages - _MOST_PAGES + 2, pages + 1)]
        comments: list[Any] = []
        reason = "."
        for page in wanted:
            path = (
                f"{self._base}/issues/{self._target.number}/comments?per_page={_PAGE}&page={page}"
            )
            try:
                found = await self._api.get(path, "There are no comments.")
            except WebquarryError as error:
                reason = f": {error.sentence}"
                break
            comments += get_objects({"comments": found}, "comments")
        if len(comments) < total:
            lost.append(f"{len(comments)} of {total} comments are shown{reason}")
        return comments

    async def _fetch_reviews(self, lost: list[str]) -> dict[str, Any]:
        """What was reviewed of a pull request."""
        base = f"{self._base}/pulls/{self._target.number}"
        paths = (base, f"{base}/reviews?per_page=100", f"{base}/comments?per_page=100")
        try:
            pull, reviews, comments = await asyncio.gather(
                *(self._api.get(path, "There is no such pull request.") for path in paths)
            )
        except WebquarryError as error:
            lost.append(f"Reviews are missing: {error.sentence}")
            return {}
        return {"pull": pull, "reviews": reviews, "review_comments": comments}

    async def fetch_discussion(self) -> SiteReply:
        """A discussion, for which GitHub wants a token."""
        if not self._api.has_token:
            raise ProviderFailure("Discussions are read by their interface with GITHUB_TOKEN only.")
        target = self._target
        variables = {"owner": target.owner, "name": target.repository, "number": target.number}
        answer = await self._api.query(_DISCUSSION, variables)
        discussion = get_fields(answer, "data", "repository", "discussion")
        if not discussion:
            raise NotFound(f"There is no discussion {target.number} in {self._name}: {_PRIVATE}.")
        shown = len(get_objects(discussion, "comments", "nodes"))
        total = get_number(discussion, "comments", "totalCount") or shown
        lost = []
        if shown < total:
            lost.append(f"{shown} of {total} comments are shown.")
        return self._request.build_reply({"discussion": discussion, "lost": lost})

    async def fetch_diff(self) -> SiteReply:
        """What a pull request or a commit changes. GitHub sends on to another host, so it is
        fetched as a page is.
        """
        address = f"{SITE}/{self._name}/{self._target.rest}.diff"
        reply = await self._request.fetch(address, "text/plain,*/*;q=0.5")
        check_status(reply, f"There is no {self._target.rest} in {self._name}: {_PRIVATE}.")
        return self._request.build_reply({}, check_is_text(reply))

    async def fetch_releases(self) -> SiteReply:
        """One release, or the newest ones."""
        rest = self._target.rest
        path = f"{self._base}/releases?per_page=10"
        missing = f"There is no repository {self._name} to be seen: {_PRIVATE}."
        if rest:
            path = f"{self._base}/releases/{quote(rest)}"
            missing = (
                f"There is no release {rest.removeprefix('tags/')} in {self._name}: {_PRIVATE}."
            )
        found = await self._api.get(path, missing)
        if not found:
            raise NotFound(f"{self._name} has no releases.")
        if isinstance(found, Mapping):
            found = [found]
        return self._request.build_reply({"releases": found})

    async def fetch_wiki(self) -> SiteReply:
        """A page of a wiki."""
        reply = await self._api.fetch_raw(f"wiki/{self._name}/{self._target.rest}.md")
        if not is_success(reply):
            raise ProviderFailure("The page of the wiki is not kept as Markdown.")
        return self._request.build_reply({}, check_is_text(reply))

    async def fetch_gist(self) -> SiteReply:
        """A gist with its files."""
        number = self._target.rest
        gist = await self._api.get(f"/gists/{number}", f"There is no gist {number}.")
        return self._request.build_reply({"gist": gist})
