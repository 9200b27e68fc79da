from collections.abc import Sequence

from lxml import etree

def find_elements(
    roots: Sequence[etree._Element],
) -> tuple[
    list[etree._Element],
    list[str],
    list[tuple[str, str]],
    list[etree._Element],
    bool,
    bool,
    str | None,
    etree._Element | None,
    bool,
    bool,
    list[etree._Element],
]: ...
