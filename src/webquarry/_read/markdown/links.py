"""Resolve the addresses of links: absolute, fit for Markdown, and without unsafe schemes."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from webquarry._read.text.characters import INVISIBLE
from webquarry._search.addresses import join_url

# Texts of links to the place where they are: characters, and words, which may also be a heading.
PERMALINK = re.compile(r"[\s#¶§🔗⚓\ufe0f\u200b]*")
PERMALINK_WORDS = re.compile(
    r"\s*(?:(?:copy|direct|section) )?(?:permalink|permanent link|anchor|link)"
    r"(?: (?:to|for|here|icon)\b.*)?\s*",
    re.IGNORECASE | re.DOTALL,
)
# An address with only ASCII characters that neither Markdown nor URLs escape.
_PLAIN = re.compile(r"[!#$%&'*+,\-./0-9:;=?@A-Z_a-z~]*+")
_MAX_ADDRESS = 4096  # characters; a longer address is data
_STRIPPED = "".join(map(chr, range(0x21)))  # by browsers at both ends
_LINE_BREAKS = str.maketrans("", "", "\t\n\r")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.\-]*):")
_SAFE_SCHEMES = frozenset(
    {"http", "https", "mailto", "tel", "ftp", "ftps", "sms", "geo", "magnet", "doi", "urn", "xmpp"}
)
_ENCODED = re.compile(
    r"[\x00-\x20\x7f<>\"\\`{}|^]"
    r"|[\u0080-\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000]|" + INVISIBLE.pattern
)
_MAX_PARENTHESES = 8  # inside each other


class Links:
    """Resolves the addresses of one page."""

    def __init__(self, base_url: str, base_href: str | None = None) -> None:
        self._base = base_url
        if base_href:
            joined = _join(base_url, _strip(base_href))
            if joined.startswith(("http://", "https://")):
                self._base = joined
        # the page by its base, and by its own URL
        self._pages = (self._base.partition("#")[0], base_url.partition("#")[0])
        self._scheme, self._origin = _split_origin(self._base)
        self._known: dict[str, str | None] = {}

    def leads_into_page(self, url: str) -> bool:
        """Whether an absolute URL is that of a place in this page."""
        page, mark, _ = url.partition("#")
        return bool(mark) and page in self._pages

    def absolute(self, href: str) -> str | None:
        """Return the absolute URL; empty for an invalid address, None for an unsafe one."""
        known = self._known
        if href in known:
            return known[href]
        url: str | None = href
        is_absolute = href.startswith(("https://", "http://"))
        if not is_absolute or len(href) > _MAX_ADDRESS or not _PLAIN.fullmatch(href):
            url = self._resolve(_strip(href))
            if url and not _PLAIN.fullmatch(url):
                url = _encode(url)
        known[href] = url
        return url

    def _resolve(self, href: str) -> str | None:
        if not href or len(href) > _MAX_ADDRESS:
            return ""
        scheme = _SCHEME.match(href)
        if scheme is not None:
            return self._resolve_with_scheme(scheme[1].lower(), href)
        href = href.replace("\\", "/")
        if href[0] == "#":
            return self._pages[0] + href
        if href[0] == "/" and self._origin and "/." not in href:
            # most addresses; joining takes ten times as long
            return f"{self._scheme}:{href}" if href.startswith("//") else self._origin + href
        return _join(self._base, href)

    def _resolve_with_scheme(self, scheme: str, href: str) -> str | None:
        if scheme not in _SAFE_SCHEMES:
            return None
        if scheme not in ("http", "https"):
            return href
        rest = href[len(scheme) + 1 :].replace("\\", "/")
        if rest.startswith("//"):
            return f"{scheme}:{rest}"
        return f"{scheme}://{rest.lstrip('/')}"


def _split_origin(url: str) -> tuple[str, str]:
    """Return the scheme and the origin of a URL; empty for an invalid one."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return parts.scheme, f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _strip(href: str) -> str:
    """Remove the characters that browsers remove."""
    return href.strip(_STRIPPED).translate(_LINE_BREAKS)


def _join(base: str, href: str) -> str:
    try:
        return join_url(base, href)
    except ValueError:
        return ""


def _encode(url: str) -> str:
    """Encode what ends a link, divides a table cell or is invisible."""
    url = _ENCODED.sub(lambda found: quote(found[0], safe="", errors="replace"), url)
    scheme, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    if slashes:  # brackets have a meaning in a host
        path = path.replace("[", "%5B")
        path = path.replace("]", "%5D")
        url = f"{scheme}{slashes}{host}{slash}{path}"
    if not _is_balanced(url):
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
        if not 0 <= depth <= _MAX_PARENTHESES:
            return False
    return depth == 0
