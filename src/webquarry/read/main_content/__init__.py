"""tree -> the part of it a reader came for"""

from __future__ import annotations

from webquarry.read.main_content.render import render_selection
from webquarry.read.main_content.select import Selection, main_content

__all__ = ["Selection", "main_content", "render_selection"]
