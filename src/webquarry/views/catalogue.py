"""The views that show research, by their names: a name and parameters come in, data goes out.

Everything is of whoever asks. Nothing here fetches a page but `page` with `read=1`, which a person
asks for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from webquarry.errors import BadInput
from webquarry.pages.clean import clean_line
from webquarry.views.bill import show_bill
from webquarry.views.page import show_page
from webquarry.views.sessions import show_session, show_sessions
from webquarry.views.sources import show_sources

if TYPE_CHECKING:
    from webquarry.toolkit import Toolkit

ShowView = Callable[["Toolkit", Mapping[str, str]], Awaitable[dict[str, Any]]]

VIEWS: dict[str, ShowView] = {
    "sources": show_sources,
    "page": show_page,
    "sessions": show_sessions,
    "session": show_session,
    "bill": show_bill,
}


async def answer_view(
    views: Mapping[str, ShowView], kit: Toolkit, name: str, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """The data of one of these views; `BadInput` where there is none of that name."""
    show = views.get(name)
    if show is None:
        raise BadInput(
            f"There is no view {clean_line(name)[:60]!r}.",
            suggested_action=f"Ask for one of: {', '.join(views)}.",
        )
    return await show(kit, parameters)
