"""Crates by the interface of crates.io, and their README as the HTML that it keeps: the page itself
is made by a script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
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
from webquarry._read.special._parts.site_request import SiteRequest, SiteWriter
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import WebquarryError

ORIGIN = "https://crates.io"
README_ORIGIN = "https://static.crates.io"
_HOSTS = frozenset({"crates.io", "www.crates.io"})
_PATH = re.compile(r"/crates/([A-Za-z][A-Za-z0-9_-]{0,63})(?:/([A-Za-z0-9.+-]{1,60}))?/?")
_NOT_VERSIONS = frozenset({"versions", "dependencies", "reverse_dependencies", "owners"})
_OK = 200


class CratesReader(SpecialReader):
    name = "crates"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return url.host in _HOSTS and _PATH.fullmatch(url.path) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        found = _PATH.fullmatch(httpx2.URL(url).path)
        assert found is not None
        name, version = found.groups()
        if version in _NOT_VERSIONS:
            version = None
        request = SiteRequest(self.name, url, context)
        address = context.url("crates", ORIGIN, f"/api/v1/crates/{quote(name)}")
        answer = await request.get_json(address, f"crates.io has no crate {name!r}.")
        package = parse_package(answer, version)
        readme = await _fetch_readme(request, package)
        return request.build_reply({"answer": answer, "version": version}, readme)

    def write(self, reply: SiteReply, url: str) -> Page:
        answer = reply.data["answer"]
        package = parse_package(answer, reply.data["version"])
        home = f"{ORIGIN}/crates/{quote(package.name)}"
        writer = SiteWriter(reply, url, home)
        lost = []
        if not reply.body:
            lost.append("The README of the crate is not there.")
        readme = writer.composer.fragment(reply.body.decode("utf-8", "replace"))
        return writer.build_page(
            write_package(package, readme, writer.composer),
            f"{package.name} {package.version}".strip(),
            url=home,
            modified=get_day(answer, "crate", "updated_at"),
            lost=lost,
        )


async def _fetch_readme(request: SiteRequest, package: RegistryPackage) -> bytes:
    """The README of a version as HTML; empty where there is none."""
    context = request.context
    path = f"/readmes/{quote(package.name)}/{quote(package.name)}-{quote(package.version)}.html"
    try:
        reply = await request.send(context.url("crates_static", README_ORIGIN, path))
    except WebquarryError:
        return b""
    if reply.status != _OK:
        return b""
    return reply.body


def parse_package(reply: Any, version: str | None) -> RegistryPackage:
    """What crates.io says of a crate, and of one of its versions; of the stable one that is newest,
    unless another is wanted.
    """
    crate = get_fields(reply, "crate")
    name = get_text(crate, "name") or get_text(crate, "id")
    chosen = version or get_text(crate, "max_stable_version") or get_text(crate, "max_version")
    release = _find_release(reply, chosen)
    features = get_fields(release, "features")
    return RegistryPackage(
        name=name,
        version=chosen,
        summary=get_text(crate, "description"),
        install=f"cargo add {name}",
        warnings=_list_warnings(release),
        facts=[
            ("Released", get_day(release, "created_at")),
            ("Rust", get_text(release, "rust_version")),
            ("Edition", get_text(release, "edition")),
            ("Licence", get_text(release, "license")),
            ("Features", ", ".join(features)),
            ("Downloads", _count(crate, "downloads")),
            ("Downloads in 90 days", _count(crate, "recent_downloads")),
            ("Keywords", ", ".join(get_texts(crate, "keywords"))),
        ],
        links=_list_links(crate),
        dependencies=[],
        versions=_list_versions(reply),
    )


def _find_release(reply: Any, version: str) -> Mapping[str, Any]:
    for release in get_objects(reply, "versions"):
        if get_text(release, "num") == version:
            return release
    return {}


def _list_warnings(release: Mapping[str, Any]) -> list[str]:
    if not get_flag(release, "yanked"):
        return []
    reason = get_text(release, "yank_message") or "no reason given"
    return [f"this version was withdrawn (yanked): {reason}"]


def _list_links(crate: Mapping[str, Any]) -> list[tuple[str, str]]:
    links = []
    for label in ("documentation", "repository", "homepage"):
        address = get_text(crate, label)
        if address:
            links.append((label.capitalize(), address))
    return links


def _count(crate: Mapping[str, Any], name: str) -> str:
    number = get_number(crate, name)
    if number is None:
        return ""
    return f"{number:,}"


def _list_versions(reply: Any) -> list[str]:
    lines = []
    for release in get_objects(reply, "versions")[:MOST_VERSIONS]:
        mark = ""
        if get_flag(release, "yanked"):
            mark = ", withdrawn"
        lines.append(f"{get_text(release, 'num')} ({get_day(release, 'created_at')}{mark})")
    return lines
