"""Packages of PyPI by its JSON interface, in one request: the page itself is a challenge for
programs, with HTTP 200.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import httpx2

from webquarry._read.markdown.compose import Composer
from webquarry._read.models import Page
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_objects,
    get_text,
    get_texts,
    get_value,
)
from webquarry._read.special._parts.package_page import (
    MOST_VERSIONS,
    RegistryPackage,
    write_package,
)
from webquarry._read.special._parts.site_markdown import write_markdown
from webquarry._read.special._parts.site_request import (
    SiteRequest,
    SiteWriter,
    check_status,
    load_json,
)
from webquarry._read.special_reader import SiteContext, SiteReply, SpecialReader
from webquarry.errors import Unreadable

ORIGIN = "https://pypi.org"
_HOSTS = frozenset({"pypi.org", "www.pypi.org", "pypi.python.org"})
_PATH = re.compile(r"/project/([A-Za-z0-9][A-Za-z0-9._-]{0,99})/?(?:([A-Za-z0-9.!+_-]{1,99})/?)?")
_EXTRA = re.compile(r";.{0,200}?\bextra\s*==", re.DOTALL)


class PyPIReader(SpecialReader):
    name = "pypi"

    def knows_host(self, host: str) -> bool:
        return host in _HOSTS

    def knows(self, url: httpx2.URL) -> bool:
        return url.host in _HOSTS and _PATH.fullmatch(url.path) is not None

    async def read(self, url: str, context: SiteContext) -> SiteReply:
        found = _PATH.fullmatch(httpx2.URL(url).path)
        assert found is not None
        name, version = found.groups()
        path = f"/pypi/{quote(name)}/json"
        if version:
            path = f"/pypi/{quote(name)}/{quote(version)}/json"
        request = SiteRequest(self.name, url, context)
        address = context.url("pypi", ORIGIN, path)
        missing = f"PyPI has no package {name!r}."
        if version:
            missing = f"PyPI has no version {version!r} of {name!r}."
        reply = await request.send(address)
        check_status(reply, missing)
        return request.build_reply({}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        answer = load_json(reply.body)
        info = get_fields(answer, "info")
        package = parse_package(answer)
        home = f"{ORIGIN}/project/{quote(package.name)}/"
        writer = SiteWriter(reply, url, home)
        description = _write_description(info, home, writer.composer)
        if not package.name:
            raise Unreadable("PyPI answered with something that is no package.")
        return writer.build_page(
            write_package(package, description, writer.composer),
            f"{package.name} {package.version}".strip(),
            url=home,
            author=get_text(info, "author") or get_text(info, "author_email"),
            modified=_find_day(answer, package.version),
        )


def parse_package(reply: Any) -> RegistryPackage:
    """What PyPI says of a package."""
    info = get_fields(reply, "info")
    name = get_text(info, "name")
    version = get_text(info, "version")
    needed, extras = _split_requirements(get_texts(info, "requires_dist"))
    owners = [get_text(role, "user") for role in get_objects(reply, "ownership", "roles")]
    facts = [
        ("Released", _find_day(reply, version)),
        ("Python", get_text(info, "requires_python")),
        ("Licence", get_text(info, "license_expression") or _shorten_licence(info)),
        ("Author", get_text(info, "author") or get_text(info, "author_email")),
        ("Owners", ", ".join(filter(None, owners))),
        ("Extras", ", ".join(get_texts(info, "provides_extra"))),
        ("Keywords", get_text(info, "keywords")),
    ]
    return RegistryPackage(
        name=name,
        version=version,
        summary=get_text(info, "summary"),
        install=f"pip install {name}",
        warnings=_list_warnings(reply),
        facts=facts,
        links=_list_links(info),
        dependencies=[("Dependencies", needed), ("Dependencies of extras", extras)],
        versions=_list_versions(reply),
    )


def _list_links(info: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The addresses that a package gives."""
    links = []
    for label, address in get_fields(info, "project_urls").items():
        if isinstance(address, str):
            links.append((label, address))
    home = get_text(info, "home_page")
    if home and not links:
        links.append(("Homepage", home))
    return links


def _list_warnings(reply: Any) -> list[str]:
    """What somebody who would install it should know first."""
    warnings = []
    info = get_fields(reply, "info")
    if get_flag(info, "yanked"):
        reason = get_text(info, "yanked_reason") or "no reason given"
        warnings.append(f"this version was withdrawn (yanked): {reason}")
    for weakness in get_objects(reply, "vulnerabilities"):
        if get_text(weakness, "withdrawn"):
            continue
        names = [get_text(weakness, "id"), *get_texts(weakness, "aliases")]
        known = ", ".join(dict.fromkeys(filter(None, names)))
        what = get_text(weakness, "summary") or get_text(weakness, "details")
        fixed = ", ".join(get_texts(weakness, "fixed_in")) or "no version"
        warnings.append(f"known weakness {known}: {what[:300]} Fixed in: {fixed}.")
    return warnings


def _split_requirements(requirements: list[str]) -> tuple[list[str], list[str]]:
    """What every installation needs, and what only an extra does."""
    needed = []
    extras = []
    for requirement in requirements:
        if _EXTRA.search(requirement):
            extras.append(requirement)
        else:
            needed.append(requirement)
    return needed, extras


def _shorten_licence(info: Mapping[str, Any]) -> str:
    """The licence field, which may hold the whole text of one."""
    first, *_ = get_text(info, "license").strip().split("\n", 1)
    return first[:100]


def _find_day(reply: Any, version: str) -> str:
    """The day on which a version was uploaded."""
    files = get_objects(reply, "urls") or get_objects(reply, "releases", version)
    days = [get_day(file, "upload_time_iso_8601") for file in files]
    return min(filter(None, days), default="")


def _list_versions(reply: Any) -> list[str]:
    """The versions that were uploaded last."""
    dated = []
    for version, files in get_fields(reply, "releases").items():
        uploads = get_objects({"files": files}, "files")
        moments = [get_text(file, "upload_time_iso_8601") for file in uploads]
        moment = min(filter(None, moments), default="")
        withdrawn = any(get_value(file, "yanked") is True for file in uploads)
        if moment:
            dated.append((moment, version, withdrawn))
    dated.sort(reverse=True)
    lines = []
    for moment, version, withdrawn in dated[:MOST_VERSIONS]:
        mark = ""
        if withdrawn:
            mark = ", withdrawn"
        lines.append(f"{version} ({moment[:10]}{mark})")
    return lines


def _write_description(info: Mapping[str, Any], home: str, composer: Composer) -> str:
    """The description by its kind; reStructuredText is shown as the text it is."""
    text = get_text(info, "description")
    kind = get_text(info, "description_content_type").split(";")[0].strip().lower()
    if kind == "text/markdown" or (not kind and text.lstrip().startswith("#")):
        return write_markdown(composer, text, home)
    return composer.paragraphs(text)
