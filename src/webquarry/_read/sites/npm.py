"""npm: packages through its registry. The latest version is requested first, because the whole
record can be too large; the README can be missing there and then comes from GitHub.

API: https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from webquarry._read.json_data import JsonData
from webquarry._read.models import Page
from webquarry._read.sites.github import fetch_readme
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter, count
from webquarry.errors import WebquarryError

_REGISTRY = "https://registry.npmjs.org"
_DOWNLOADS = "https://api.npmjs.org"
_NAME = r"(?:@[a-z0-9~-][a-z0-9._~-]{0,99}/)?[A-Za-z0-9~-][A-Za-z0-9._~-]{0,213}"
_GITHUB = r"(?:git\+)?(?:https?|git|ssh)://(?:git@)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?"
_HAS_README = rb'"readme"\s{0,4}:\s{0,4}"[^"]'  # the record is parsed in the worker only


class NpmReader(SiteReader):
    name = "npm"
    hosts = "npmjs.com npmjs.org"
    path = rf"/package/({_NAME})(?:/v/([A-Za-z0-9.+-]{{1,100}}))?/?"

    async def fetch(self, request: SiteRequest) -> SiteReply:
        name, version = request.target.groups()
        missing = f"npm has no package {f'{name} {version}' if version else name!r}."
        base = request.at("npm", _REGISTRY, f"/{quote(name, safe='@')}")
        release = await request.get_json(f"{base}/{quote(version or 'latest')}", missing)
        data: dict[str, Any] = {"release": release.fields()}
        dates = "The dates of versions are missing"
        reply = await request.optional(request.get(base, missing), dates, None)
        record = reply.body if reply else b""
        downloads = f"/downloads/point/last-month/{quote(name, safe='@/')}"
        with suppress(WebquarryError):  # not every package is counted
            url = request.at("npm_downloads", _DOWNLOADS, downloads)
            data["downloads"] = (await request.get_json(url, missing)).get("downloads")
        repository = _find_repository(release)
        if repository and not re.search(_HAS_README, record):
            folder = release.text("repository", "directory").strip("/")
            with suppress(WebquarryError):
                data["readme"] = await fetch_readme(request, repository, folder)
        return request.build_reply(data, record)

    def write(self, reply: SiteReply, url: str) -> Page:
        data, record = JsonData(reply.data), JsonData.parse(reply.body)
        release = data.object("release")
        name, version = release.text("name"), release.text("version")
        home = f"https://www.npmjs.com/package/{name}"
        page = SiteWriter(reply, url, home)
        readme, readme_url = record.text("readme"), home
        if not readme:
            readme, readme_url = data.get("readme") or ("", "")
        deprecated = release.text("deprecated")
        repository = _find_repository(release)
        return page.build_package(
            name,
            version,
            summary=release.text("description"),
            install="npm install",
            warnings=[f"deprecated: {deprecated}"] if deprecated else [],
            facts=[
                ("Released", record.day("time", version)),
                ("Tags", ", ".join(_list_pairs(record, "dist-tags"))),
                ("Licence", release.text("license")),
                ("Engines", ", ".join(_list_pairs(release, "engines"))),
                ("Downloads last month", count(data.number("downloads"))),
            ],
            links=[
                ("Homepage", release.text("homepage")),
                ("Repository", f"https://github.com/{repository}" if repository else ""),
            ],
            dependencies=[
                ("Dependencies", _list_pairs(release, "dependencies")),
                ("Peer dependencies", _list_pairs(release, "peerDependencies")),
            ],
            description=page.markdown(readme, readme_url),
            versions=_list_versions(record),
            url=home,
            author=release.text("author", "name"),
            modified=record.day("time", version),
            lost=[] if readme else ["Neither the registry nor GitHub has a README."],
        )


def _find_repository(package: JsonData) -> str:
    """Return `owner/name` of the repository of a package on GitHub."""
    found = re.fullmatch(_GITHUB, package.text("repository", "url"))
    return found[1] if found else ""


def _list_pairs(package: JsonData, kind: str) -> list[str]:
    return [f"{name} {value}" for name, value in package.fields(kind).items()]


def _list_versions(record: JsonData) -> list[str]:
    """Return the versions with their dates, the last published first."""
    times = record.fields("time").items()
    dated = [(time, version) for version, time in times if isinstance(time, str)]
    dated = [one for one in dated if one[1] not in ("created", "modified", "unpublished")]
    return [f"{name} ({time[:10]})" for time, name in sorted(dated, reverse=True)]
