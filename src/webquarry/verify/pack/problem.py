"""What is wrong with an evidence pack."""

from __future__ import annotations

from webquarry.errors import BadInput


class DamagedPack(BadInput):
    """An evidence pack that is not as it was written, or no evidence pack."""

    advice = "Get the pack again from whoever made it; what it says cannot be relied on as it is."
