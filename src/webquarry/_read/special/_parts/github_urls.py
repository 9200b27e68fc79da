"""A URL of GitHub -> what it asks for; None for what the ordinary page shows best."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote

import httpx2

Kind = Literal[
    "repository", "tree", "file", "issue", "pull", "diff", "discussion", "releases", "release",
    "wiki", "gist",
]  # fmt: skip

_HOSTS = frozenset({"github.com", "www.github.com"})
_GIST_HOST = "gist.github.com"
_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}")
_NUMBER = re.compile(r"[0-9]{1,9}")
_COMMIT = re.compile(r"[0-9a-f]{7,40}(?:\.diff|\.patch)?")
_GIST = re.compile(r"[0-9a-f]{20,40}|[0-9]{1,10}")
_LINES = re.compile(r"L([0-9]{1,7})(?:C[0-9]{1,7})?(?:-L([0-9]{1,7})(?:C[0-9]{1,7})?)?")
# First segments of addresses that are no owners.
_RESERVED = frozenset({
    "about", "apps", "codespaces", "collections", "contact", "customer-stories", "dashboard",
    "enterprise", "events", "explore", "features", "issues", "join", "login", "logout",
    "marketplace", "new", "notifications", "orgs", "pricing", "pulls", "search", "security",
    "settings", "signup", "site", "sponsors", "stars", "team", "topics", "trending", "users",
})  # fmt: skip


@dataclass(frozen=True)
class GitHubTarget:
    """What a URL asks for."""

    kind: Kind
    owner: str
    repository: str
    number: int = 0  # of an issue, a pull request or a discussion
    rest: str = ""  # ref and path, the name of a release, the page of a wiki, the id of a gist
    lines: tuple[int, int] | None = None  # of a file

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.repository}"


def is_github(host: str) -> bool:
    """Whether a host has pages of GitHub."""
    return host in _HOSTS or host == _GIST_HOST


def parse_target(url: httpx2.URL) -> GitHubTarget | None:
    """What a URL of GitHub asks for."""
    parts = [unquote(part) for part in url.path.split("/") if part]
    if url.host == _GIST_HOST:
        return _parse_gist(parts)
    if url.host not in _HOSTS or len(parts) < 2:
        return None
    owner, repository, *rest = parts
    repository = repository.removesuffix(".git")
    if owner.lower() in _RESERVED or not _OWNER.fullmatch(owner):
        return None
    if not _REPOSITORY.fullmatch(repository) or ".." in rest:
        return None
    if not rest:
        return GitHubTarget("repository", owner, repository)
    return _parse_rest(owner, repository, rest, url.fragment)


def _parse_gist(parts: list[str]) -> GitHubTarget | None:
    if not parts or len(parts) > 2 or not _GIST.fullmatch(parts[-1]):
        return None
    owner = parts[0] if len(parts) == 2 else ""
    return GitHubTarget("gist", owner, "", rest=parts[-1])


def _parse_rest(owner: str, repository: str, rest: list[str], fragment: str) -> GitHubTarget | None:
    """What stands behind owner and repository."""
    section, *below = rest
    path = "/".join(below)
    match section:
        case "tree" if len(below) == 1:
            return GitHubTarget("repository", owner, repository, rest=path)
        case "tree" if below:
            return GitHubTarget("tree", owner, repository, rest=path)
        case "blob" if len(below) > 1:
            lines = _parse_lines(fragment)
            return GitHubTarget("file", owner, repository, rest=path, lines=lines)
        case "issues" | "pull" | "discussions" if below:
            return _parse_number(owner, repository, section, below)
        case "commit" if len(below) == 1 and _COMMIT.fullmatch(below[0]):
            commit = below[0].removesuffix(".diff").removesuffix(".patch")
            return GitHubTarget("diff", owner, repository, rest=f"commit/{commit}")
        case "releases":
            return _parse_release(owner, repository, below)
        case "wiki":
            return GitHubTarget("wiki", owner, repository, rest=path or "Home")
    return None


def _parse_number(
    owner: str, repository: str, section: str, below: list[str]
) -> GitHubTarget | None:
    first, *further = below
    is_diff = section == "pull" and (
        first.endswith((".diff", ".patch")) or further[:1] in (["files"], ["changes"])
    )
    number = first.removesuffix(".diff").removesuffix(".patch")
    if not _NUMBER.fullmatch(number):
        return None
    if is_diff:
        return GitHubTarget("diff", owner, repository, int(number), rest=f"pull/{number}")
    if further:
        return None
    kinds: dict[str, Kind] = {"issues": "issue", "pull": "pull", "discussions": "discussion"}
    return GitHubTarget(kinds[section], owner, repository, int(number))


def _parse_release(owner: str, repository: str, below: list[str]) -> GitHubTarget | None:
    if not below:
        return GitHubTarget("releases", owner, repository)
    if below == ["latest"]:
        return GitHubTarget("release", owner, repository, rest="latest")
    if below[0] == "tag" and len(below) > 1:
        tag = "/".join(below[1:])
        return GitHubTarget("release", owner, repository, rest=f"tags/{tag}")
    return None


def _parse_lines(fragment: str) -> tuple[int, int] | None:
    """The lines that `#L10-L20` names."""
    found = _LINES.fullmatch(fragment)
    if found is None:
        return None
    first = int(found[1])
    last = int(found[2] or first)
    return min(first, last), max(first, last)
