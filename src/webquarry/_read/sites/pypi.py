"""PyPI: packages through its JSON API; the HTML page is a bot challenge with HTTP 200.

API: https://docs.pypi.org/api/json/
"""

from __future__ import annotations

import re
from urllib.parse import quote

from webquarry._read.json_data import JsonData
from webquarry._read.markdown.compose import Composer, Content
from webquarry._read.models import Page
from webquarry._read.sites.site import SiteReader, SiteReply, SiteRequest, SiteWriter
from webquarry.errors import Unreadable

_SITE = "https://pypi.org"
_EXTRA = r";.{0,200}?\bextra\s*=="


class PyPIReader(SiteReader):
    name = "pypi"
    hosts = "pypi.org pypi.python.org"
    path = r"/project/([A-Za-z0-9][A-Za-z0-9._-]{0,99})/?(?:([A-Za-z0-9.!+_-]{1,99})/?)?"

    async def fetch(self, request: SiteRequest) -> SiteReply:
        name, version = request.target.groups()
        wanted = f"{name}/{version}" if version else name
        url = request.at("pypi", _SITE, f"/pypi/{quote(wanted)}/json")
        reply = await request.get(url, f"PyPI has no package {wanted!r}.")
        return request.build_reply({}, reply.body)

    def write(self, reply: SiteReply, url: str) -> Page:
        record = JsonData.parse(reply.body)
        info = record.object("info")
        name, version = info.text("name"), info.text("version")
        if not name:
            raise Unreadable("Unexpected response from PyPI: not a package document.")
        home = f"{_SITE}/project/{quote(name)}/"
        page = SiteWriter(reply, url, home)
        files = record.objects("urls") or record.objects("releases", version)
        days = [one.day("upload_time_iso_8601") for one in files]
        released = min(filter(None, days), default="")
        author = info.text("author") or info.text("author_email")
        requirements = info.texts("requires_dist")
        extras = [one for one in requirements if re.search(_EXTRA, one, re.DOTALL)]
        licence, *_ = info.text("license").strip().split("\n", 1)  # can be the whole text
        return page.build_package(
            name,
            version,
            summary=info.text("summary"),
            install="pip install",
            warnings=_list_warnings(record),
            facts=[
                ("Released", released),
                ("Python", info.text("requires_python")),
                ("Licence", info.text("license_expression") or licence[:100]),
                ("Author", author),
                ("Extras", ", ".join(info.texts("provides_extra"))),
            ],
            links=[
                (label, url)
                for label, url in info.fields("project_urls").items()
                if isinstance(url, str)
            ],
            dependencies=[
                ("Dependencies", [one for one in requirements if one not in extras]),
                ("Dependencies of extras", extras),
            ],
            description=_write_description(info, home, page),
            versions=_list_versions(record),
            url=home,
            author=author,
            modified=released,
        )


def _list_warnings(record: JsonData) -> list[str]:
    """Return that the version is yanked, and its known vulnerabilities."""
    warnings = []
    if record.flag("info", "yanked"):
        reason = record.text("info", "yanked_reason") or "no reason given"
        warnings.append(f"this version was withdrawn (yanked): {reason}")
    for one in record.objects("vulnerabilities"):
        if one.text("withdrawn"):
            continue
        names = ", ".join(dict.fromkeys(filter(None, [one.text("id"), *one.texts("aliases")])))
        summary = (one.text("summary") or one.text("details"))[:300]
        fixed = ", ".join(one.texts("fixed_in")) or "no version"
        warnings.append(f"known vulnerability {names}: {summary} Fixed in: {fixed}.")
    return warnings


def _list_versions(record: JsonData) -> list[str]:
    """Return the versions with their dates, the last uploaded first."""
    dated = []
    for version, uploads in record.fields("releases").items():
        files = JsonData(uploads).objects()
        time = min(filter(None, (one.text("upload_time_iso_8601") for one in files)), default="")
        mark = ", withdrawn" if any(one.flag("yanked") for one in files) else ""
        if time:
            dated.append((time, f"{version} ({time[:10]}{mark})"))
    return [line for _, line in sorted(dated, reverse=True)]


def _write_description(info: JsonData, home: str, page: Composer) -> Content:
    """Write the description; reStructuredText is written as plain text."""
    text = info.text("description")
    kind = info.text("description_content_type").split(";")[0].strip().lower()
    if kind == "text/markdown" or (not kind and text.lstrip().startswith("#")):
        return page.markdown(text, home)
    return page.paragraphs(text)
