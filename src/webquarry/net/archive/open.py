"""Record and replay: every exchange to a WARC file, and answers from one with the network off.

Both stand where the network would be, as transports; nobody above them knows.
"""

from __future__ import annotations

from pathlib import Path

from webquarry.net.archive.recorder import Recorder
from webquarry.net.archive.replay import Replay

__all__ = ["Recorder", "Replay", "demo_recording"]


def demo_recording() -> Path:
    """The small recorded web that ships with the package (scripts/recorded_web.py makes it)."""
    from importlib.resources import (
        files,
    )  # here, because only a replay of it needs it and it is slow to import

    return Path(str(files("webquarry") / "data" / "recorded-web.warc.gz"))
