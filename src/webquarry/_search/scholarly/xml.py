"""XML from an index -> its root. No entity of its own is resolved, nothing is fetched, and a huge
tree is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webquarry._search.replies.body import unreadable_failure
from webquarry._search.replies.text import plain
from webquarry.errors import ProviderFailure
from webquarry.net.models import Reply

if TYPE_CHECKING:
    from lxml import etree

_OWN_ENTITIES = re.compile(rb"<!DOCTYPE[^>\[]{0,2000}\[|<!ENTITY", re.IGNORECASE)


def xml_root(reply: Reply, label: str) -> etree._Element:
    """The root of the body; raises what the body is otherwise."""
    from lxml import etree

    body = reply.body.strip()
    if _OWN_ENTITIES.search(body):
        raise ProviderFailure(
            f"{label} answered with XML that defines entities of its own.", retryable=False
        )
    try:
        return parse_xml(body)
    except (etree.XMLSyntaxError, ValueError) as error:
        if body.startswith(b"<?xml"):
            raise ProviderFailure(
                f"{label} answered with unreadable XML (HTTP {reply.status})."
            ) from error
        raise unreadable_failure(reply, label) from error  # an HTML page, a captcha, nothing


def parse_xml(body: bytes) -> etree._Element:
    """The root of XML; raises XMLSyntaxError or ValueError."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    return etree.fromstring(body, parser)


def text_of(element: etree._Element | None) -> str:
    """All the text in an element, marked up or not, in one line."""
    if element is None:
        return ""
    return plain("".join(str(part) for part in element.itertext()))
