"""Hosts and titles of pages."""

from __future__ import annotations

from urllib.parse import SplitResult

from webquarry._search.addresses import split_host, split_url

_SEPARATORS = (" | ", " · ", " – ", " — ", " - ", " :: ")


def host_of_page(url: str) -> str:
    """Return the host of a URL without `www.`; empty for an invalid URL."""
    try:
        return (split_page(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def split_page(url: str) -> SplitResult:
    """Split a URL with any port. Raises ValueError for an invalid one."""
    try:
        return split_host(url)[0]
    except ValueError:
        return split_url(url)


def title_from_url(url: str) -> str:
    """Return host and path, as the title of a page without one."""
    try:
        return host_of_page(url) + split_page(url).path.rstrip("/") or url
    except ValueError:
        return url


def without_site(title: str, host: str, site: str = "") -> str:
    """Return a title without the name of the site at its end."""
    place = max(map(title.rfind, _SEPARATORS))
    ending = _only_letters(title[place:]) if place > 0 else ""
    names = {*host.lower().replace("-", "").split("."), _only_letters(host), _only_letters(site)}
    return title[:place] if ending and ending in names else title


def _only_letters(text: str) -> str:
    """Return the letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))
