"""The `show_research` tool: a session, a page with its quotes marked, or the bill, for a person.

Clients with apps open the page (`views/page.html`), which reads everything from `resource`; the
others show the text. It is the only tool with an app, since some clients treat such tools
differently.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta

from webquarry.caller import LOCAL, caller
from webquarry.evidence.models import TRUST, fixed
from webquarry.tool import Answer, tool
from webquarry.toolkit import Toolkit
from webquarry.views.app import APP_URI, build_view_uri
from webquarry.views.bill import show_bill
from webquarry.views.brief import (
    shorten_bill,
    shorten_page,
    shorten_session,
    write_bill,
    write_page,
    write_session,
)
from webquarry.views.page import show_page
from webquarry.views.research import show_session

_READ_IF_NEEDED = "1"


class ShownResearch(Answer, kw_only=True):
    """The view, in the field that `view` names; `resource` has all of it."""

    text_is_for_people: ClassVar[bool] = True

    view: Literal["session", "page", "bill"]
    session: dict[str, Any] | None = None
    page: dict[str, Any] | None = None
    bill: dict[str, Any] | None = None
    resource: str
    trust: str = fixed(TRUST)

    def as_markdown(self) -> str:
        if self.session is not None:
            lines = list(write_session(self.session))
        elif self.page is not None:
            lines = list(write_page(self.page))
        else:
            lines = list(write_bill(self.bill or {}))
        place = "`webquarry ui`"
        if caller() != LOCAL:
            place = "the address /ui of this server"
        lines += ["", f"A person sees the whole, with its marks, in a browser: {place}."]
        return "\n".join(lines) + "\n"


@tool(recorded=False, app=APP_URI)
async def show_research(
    kit: Toolkit,
    sessionId: Annotated[str | None, Meta(description="Session to show.")] = None,
    url: Annotated[
        str | None, Meta(description="Page that was read, with its quotes marked.")
    ] = None,
) -> ShownResearch:
    """Show the user a research session, the stored text of a page, or the bill."""
    id = (sessionId or "").strip()
    address = (url or "").strip()
    if address:
        wanted = {"url": address, "session": id, "read": _READ_IF_NEEDED}
        page = await show_page(kit, wanted)
        resource = build_view_uri("page", url=address, session=id)
        return ShownResearch(view="page", page=shorten_page(page), resource=resource)
    if id:
        session = await show_session(kit, {"id": id})
        resource = build_view_uri("session", id=id)
        return ShownResearch(view="session", session=shorten_session(session), resource=resource)
    bill = shorten_bill(await show_bill(kit, {}))
    return ShownResearch(view="bill", bill=bill, resource=build_view_uri("bill"))
