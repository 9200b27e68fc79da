"""The address in an attribute -> the absolute URL to show, or None where following it could do
harm.

`urljoin` costs about ten microseconds; the shapes that nearly all links have are put together from
strings instead.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, quote, urlsplit

from webquarry._read.text.characters import INVISIBLE
from webquarry._search.replies.addresses import join_url, split_host

# The text of a link that shows that one can link to where it stands: signs, and words, which may
# also be a heading.
PERMALINK = re.compile(r"[\s#¶§🔗⚓\ufe0f\u200b]*")
PERMALINK_WORDS = re.compile(
    r"\s*(?:(?:copy|direct|section) )?(?:permalink|permanent link|anchor|link)"
    r"(?: (?:to|for|here|icon)\b.*)?\s*",
    re.IGNORECASE | re.DOTALL,
)
# An address with only ASCII characters that Markdown and URLs need not escape.
_PLAIN = re.compile(r"[!#$%&'*+,\-./0-9:;=?@A-Z_a-z~]*+")
_LONGEST = 4096  # characters; a longer address is data, not a place
_EDGES = "".join(map(chr, range(0x21)))  # what browsers strip from both ends
_BREAKS = re.compile(r"[\t\n\r]")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_SAFE_SCHEMES = frozenset(
    {"http", "https", "mailto", "tel", "ftp", "ftps", "sms", "geo", "magnet", "doi", "urn", "xmpp"}
)
_ENCODED = re.compile(
    r"[\x00-\x20\x7f<>\"\\`{}|^]"
    r"|[\u0080-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000]|" + INVISIBLE.pattern
)
_DEEPEST_PARENTHESES = 8


class Links:
    """Resolves the addresses of one page."""

    def __init__(self, base_url: str, base_href: str | None = None) -> None:
        base = base_url
        if base_href:
            joined = _join(base_url, _trim(base_href))
            if joined.startswith(("http://", "https://")):
                base = joined
        self._base = base
        self._page = base.partition("#")[0]
        self._own_page = base_url.partition("#")[0]  # where the page lies, whatever it says
        self._path = self._page.partition("?")[0]
        parts = _split(base)
        self._scheme = parts.scheme
        self._origin = ""
        if parts.netloc:
            self._origin = f"{parts.scheme}://{parts.netloc}"
        self._folder = f"{self._origin}/"
        if parts.path:
            self._folder = self._path.rpartition("/")[0] + "/"
        self._known: dict[str, str | None] = {}

    def leads_into_page(self, url: str) -> bool:
        """Whether a whole URL is that of a place in this page."""
        if "#" not in url:
            return False
        page = url.partition("#")[0]
        return page in (self._page, self._own_page)

    def absolute(self, href: str) -> str | None:
        """The whole URL, fit for Markdown; empty for an address that leads nowhere, None for an
        unsafe one.
        """
        known = self._known
        if href in known:
            return known[href]
        url: str | None = href
        is_whole = href[:8] == "https://" or href[:7] == "http://"
        if not is_whole or len(href) > _LONGEST or not _PLAIN.fullmatch(href):
            url = self._resolve(_trim(href))
            if url and not _PLAIN.fullmatch(url):
                url = _fit_for_markdown(url)
        known[href] = url
        return url

    def _resolve(self, href: str) -> str | None:
        """The whole URL of an address without blanks around it."""
        if not href or len(href) > _LONGEST:
            return ""
        if ":" in href:
            scheme = _SCHEME.match(href)
            if scheme is not None:
                return self._resolve_with_scheme(scheme[1].lower(), href)
        if "\\" in href:
            href = href.replace("\\", "/")
        if href[0] == "#":
            return self._page + href
        if not self._origin:
            return _join(self._base, href)
        if href.startswith("//"):
            return f"{self._scheme}:{href}"
        if href[0] == "?":
            return self._path + href
        if "/." in href or href[0] == ".":
            return _join(self._base, href)
        if href[0] == "/":
            return self._origin + href
        return self._folder + href

    def _resolve_with_scheme(self, scheme: str, href: str) -> str | None:
        if scheme not in _SAFE_SCHEMES:
            return None
        if scheme not in ("http", "https"):
            return href
        rest = href[len(scheme) + 1 :].replace("\\", "/")
        if rest.startswith("//"):
            return f"{scheme}:{rest}"
        # `https:page` is an odd way to write a relative address
        if scheme == self._scheme and rest:
            return self._resolve(rest)
        return f"{scheme}://{rest.lstrip('/')}"


def _split(url: str) -> SplitResult:
    """The parts of the address of a page, all of them empty for what is none."""
    try:
        return split_host(url)[0]  # which is asked for elsewhere, too
    except ValueError:
        pass  # such as a port that is too large
    try:
        return urlsplit(url)
    except ValueError:  # brackets in the host that are no address
        return urlsplit("")


def _trim(href: str) -> str:
    """Without the characters that browsers take out of an address."""
    href = href.strip(_EDGES)
    if "\n" in href or "\t" in href or "\r" in href:
        return _BREAKS.sub("", href)
    return href


def _join(base: str, href: str) -> str:
    """What a browser makes of a relative address; empty where it is none."""
    try:
        return join_url(base, href)
    except ValueError:  # brackets in the host that are no address
        return ""


def _fit_for_markdown(url: str) -> str:
    """Nothing that ends a link early, splits a table cell or cannot be seen."""
    url = _ENCODED.sub(lambda found: quote(found[0], safe="", errors="replace"), url)
    # brackets have a meaning in a host, so they are encoded behind it only
    before, slashes, after = url.partition("://")
    host, slash, path = after.partition("/")
    if slashes:
        path = path.replace("[", "%5B")
        path = path.replace("]", "%5D")
        url = f"{before}{slashes}{host}{slash}{path}"
    if ("(" in url or ")" in url) and not _is_balanced(url):
        url = url.replace("(", "%28")
        url = url.replace(")", "%29")
    return url


def _is_balanced(url: str) -> bool:
    """Whether every parenthesis is closed, and none too deep for Markdown."""
    depth = 0
    for character in url:
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        if not 0 <= depth <= _DEEPEST_PARENTHESES:
            return False
    return depth == 0
