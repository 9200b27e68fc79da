"""Packages of npm by its registry: the newest version first, which is small, and the whole record
for the README and the dates where that is not too large.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._read.models import Page
from webquarry._read.special._parts.github_api import fetch_readme
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_number,
    get_objects,
    get_text,
    get_texts,
)
from webquarry._read.special._parts.package_page import (
    MOST_VERSIONS,
    RegistryPackage,
    write_package,
)
from webquarry._read.special._parts.site_markdown import format_size, write_markdown
from webquarry._read.special._parts.site_request import (
    SiteRequest,
    SiteWriter,
    check_status,
    load_json,
)
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import WebquarryError

ORIGIN = "https://registry.npmjs.org"
DOWNLOADS_ORIGIN = "https://api.npmjs.org"
_HOSTS = frozenset({"npmjs.com", "www.npmjs.com", "npmjs.org", "www.npmjs.org"})
_NAME = r"(?:@[a-z0-9~-][a-z0-9._~-]{0,99}/)?[A-Za-z0-9~-][A-Za-z0-9._~-]{0,213}"
_PATH = re.compile(rf"/package/({_NAME})(?:/v/([A-Za-z0-9.+-]{{1,100}}))?/?")
_GITHUB = re.compile(
    r"(?:git\+)?(?:https?|git|ssh)://(?:git@)?github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?"
)


# Whether a record holds a README: it is looked into only where pages are read.
_README = re.compile(rb'"readme"\s{0,4}:\s{0,4}"[^"]')


class NpmReader(SpecialReader):
    name = "npm"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return url.host in _HOSTS and _PATH.fullmatch(url.path) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        found = _PATH.fullmatch(httpx2.URL(url).path)
        assert found is not None
        name, version = found.groups()
        request = SiteRequest(self.name, url, context)
        missing = f"npm has no package {name!r}."
        if version:
            missing = f"npm has no version {version!r} of {name!r}."
        path = f"/{quote(name, safe='@')}/{quote(version or 'latest')}"
        release = await request.get_json(context.url("npm", ORIGIN, path), missing)
        record, lost = await _fetch_record(request, name)
        data: dict[str, Any] = {
            "release": get_fields(release),
            "downloads": await _fetch_downloads(request, name),
            "lost": lost,
        }
        if not _README.search(record):
            data["readme"] = await _fetch_repository_readme(request, release)
        return request.build_reply(data, record)

    def write(self, reply: SiteReply, url: str) -> Page:
        release = reply.data["release"]
        record = get_fields(load_json(reply.body))
        package = parse_package(release, record, reply.data["downloads"])
        home = f"https://www.npmjs.com/package/{package.name}"
        writer = SiteWriter(reply, url, home)
        readme, place = get_text(record, "readme"), home
        if not readme:
            readme, place = reply.data.get("readme") or ("", home)
        lost = list(reply.data["lost"])
        if not readme:
            lost.append("Neither the registry nor a repository on GitHub has a README of it.")
        description = write_markdown(writer.composer, readme, place)
        return writer.build_page(
            write_package(package, description, writer.composer),
            f"{package.name} {package.version}".strip(),
            url=home,
            author=get_text(release, "author", "name"),
            modified=get_day(record, "time", package.version),
            lost=lost,
        )


async def _fetch_record(request: SiteRequest, name: str) -> tuple[bytes, list[str]]:
    """Everything the registry has of a package, and what is lost where that cannot be had."""
    address = request.context.url("npm", ORIGIN, f"/{quote(name, safe='@')}")
    try:
        reply = await request.send(address)
        check_status(reply, f"npm has no package {name!r}.")
    except WebquarryError as error:
        return b"", [f"The dates of versions are missing: {error.sentence}"]
    return reply.body, []


async def _fetch_downloads(request: SiteRequest, name: str) -> int | None:
    """Downloads of the last month; None where nobody tells."""
    path = f"/downloads/point/last-month/{quote(name, safe='@/')}"
    address = request.context.url("npm_downloads", DOWNLOADS_ORIGIN, path)
    try:
        reply = await request.get_json(address, "npm does not count this package.")
    except WebquarryError:
        return None
    return get_number(reply, "downloads")


async def _fetch_repository_readme(request: SiteRequest, release: Any) -> tuple[str, str]:
    """The README in the repository of a package, and its address; the registry keeps none of newer
    packages.
    """
    found = _match_repository(release)
    if found is None:
        return "", ""
    folder = get_text(release, "repository", "directory")
    try:
        text, name = await fetch_readme(request, found[1], folder)
    except WebquarryError:
        return "", ""
    place = "/".join(filter(None, [folder.strip("/"), name]))
    return text, f"https://github.com/{found[1]}/blob/HEAD/{place}"


def parse_package(
    release: Mapping[str, Any], record: Mapping[str, Any], downloads: int | None
) -> RegistryPackage:
    """What npm says of a version of a package."""
    name = get_text(release, "name")
    version = get_text(release, "version")
    warnings = []
    deprecated = get_text(release, "deprecated")
    if deprecated:
        warnings.append(f"deprecated: {deprecated}")
    tags = [f"{tag} {value}" for tag, value in get_fields(record, "dist-tags").items()]
    engines = [f"{engine} {value}" for engine, value in get_fields(release, "engines").items()]
    owners = get_objects(record, "maintainers") or get_objects(release, "maintainers")
    shown_downloads = ""
    if downloads is not None:
        shown_downloads = f"{downloads:,}"
    return RegistryPackage(
        name=name,
        version=version,
        summary=get_text(release, "description") or get_text(record, "description"),
        install=f"npm install {name}",
        warnings=warnings,
        facts=[
            ("Released", get_day(record, "time", version)),
            ("Tags", ", ".join(tags)),
            ("Licence", get_text(release, "license") or get_text(release, "license", "type")),
            ("Engines", ", ".join(engines)),
            ("Module", get_text(release, "type")),
            ("Unpacked", format_size(get_number(release, "dist", "unpackedSize"))),
            ("Downloads last month", shown_downloads),
            ("Maintainers", ", ".join(filter(None, (get_text(one, "name") for one in owners)))),
            ("Keywords", ", ".join(get_texts(release, "keywords"))),
        ],
        links=_list_links(release, record),
        dependencies=[
            ("Dependencies", _list_dependencies(release, "dependencies")),
            ("Peer dependencies", _list_dependencies(release, "peerDependencies")),
            ("Optional dependencies", _list_dependencies(release, "optionalDependencies")),
        ],
        versions=_list_versions(record),
    )


def _list_dependencies(release: Mapping[str, Any], kind: str) -> list[str]:
    return [f"{name} {value}" for name, value in get_fields(release, kind).items()]


def _list_links(release: Mapping[str, Any], record: Mapping[str, Any]) -> list[tuple[str, str]]:
    links = []
    home = get_text(release, "homepage") or get_text(record, "homepage")
    if home:
        links.append(("Homepage", home))
    found = _match_repository(release) or _match_repository(record)
    if found is not None:
        links.append(("Repository", f"https://github.com/{found[1]}"))
    issues = get_text(release, "bugs", "url") or get_text(record, "bugs", "url")
    if issues:
        links.append(("Issues", issues))
    return links


def _match_repository(package: Any) -> re.Match[str] | None:
    """The repository on GitHub, where it is there."""
    return _GITHUB.fullmatch(get_text(package, "repository", "url"))


def _list_versions(record: Mapping[str, Any]) -> list[str]:
    """The versions that were published last."""
    times = get_fields(record, "time")
    dated = []
    for version, moment in times.items():
        if version not in ("created", "modified", "unpublished") and isinstance(moment, str):
            dated.append((moment, version))
    dated.sort(reverse=True)
    return [f"{version} ({moment[:10]})" for moment, version in dated[:MOST_VERSIONS]]
