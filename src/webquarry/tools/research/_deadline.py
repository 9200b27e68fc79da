"""A tool that works as long as it may -> when it has to end, so that there is time to answer."""

from __future__ import annotations

from webquarry.toolkit import Toolkit

# To put the answer together and send it: a share of the time of a call, and at most so many
# seconds.
_RESERVE = 0.1
_MOST_RESERVE = 5.0


def deadline_for(kit: Toolkit, tool: str, started: float) -> float:
    """The deadline of a call that has started then, both on the clock's monotonic scale."""
    seconds = kit.settings.seconds_for(tool)
    reserve = min(_MOST_RESERVE, _RESERVE * seconds)
    return started + seconds - reserve
