"""A SQL session -> which database, which model, and what it may spend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webquarry.notebook.view import View

if TYPE_CHECKING:
    from webquarry.sql.session import SqlSession


def build_view(session: SqlSession) -> View:
    view = View()
    view.add_title("SQL session")
    for name, value in session.describe().items():
        view.add_line(f"{name}: {value}")
    view.add_facts(["session.sql(...) runs a statement, session.usage() is the bill"])
    return view
