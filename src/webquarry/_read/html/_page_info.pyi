from collections.abc import Iterable, Mapping, Sequence

from lxml import etree

def style_of(element: etree._Element) -> bytes | None: ...
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
]: ...
def find_stated(
    roots: Iterable[etree._Element], most: Mapping[str, int], attribute: str, most_with: int
) -> tuple[dict[str, list[etree._Element]], list[etree._Element]]: ...
