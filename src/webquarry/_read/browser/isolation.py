"""How far a browser is shut in here: who it runs as, whether it has a network, whether its sandbox
is on.

The sandbox is the browser's own and stays on: a process of root's drops to an ordinary user first.
Where the system lets us, the browser gets an empty network namespace. Flags take every other way to
the network, in every case (`flags.py`).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

from webquarry.errors import Unreadable

NOBODY = 65534
_TRY_SECONDS = 5
_DROP = (
    f"--reuid={NOBODY}",
    f"--regid={NOBODY}",
    "--clear-groups",
    "--no-new-privs",
    "--inh-caps=-all",
)


@dataclass(frozen=True)
class Isolation:
    """How a browser is started."""

    prefix: tuple[str, ...]  # the commands before its own
    user: int | None  # whom its files belong to, where that is not us
    has_network: bool  # whether only flags stand between it and the network
    has_sandbox: bool

    @property
    def description(self) -> str:
        """The level, in words for doctor."""
        sandbox = "sandbox on" if self.has_sandbox else "sandbox OFF (WEBQUARRY_BROWSER_SANDBOX=0)"
        network = "a dead proxy and no resolver" if self.has_network else "no network at all"
        user = "" if self.user is None else ", as an ordinary user"
        return f"{sandbox}{user}, {network}"


def choose_isolation(*, sandbox: bool) -> Isolation:
    """The best that this system has. Raises Unreadable where root has nobody to become and the
    sandbox would not start.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    drop = _find_drop() if is_root else None
    if is_root and drop is None and sandbox:
        raise Unreadable(
            "The browser's sandbox does not start for root, and setpriv (util-linux) is missing.",
            suggested_action="Run webquarry as an ordinary user, or install util-linux; "
            "WEBQUARRY_BROWSER_SANDBOX=0 only in a container of its own.",
        )
    user = NOBODY if drop else None
    without_network = _find_unshare(is_root)
    if without_network is not None:
        return Isolation((*without_network, *(drop or ())), user, False, sandbox)
    return Isolation(drop or (), user, True, sandbox)


@cache
def _find_drop() -> tuple[str, ...] | None:
    """The command by which root becomes an ordinary user."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return None
    command = (setpriv, *_DROP, "--")
    return command if _works(command) else None


@cache
def _find_unshare(is_root: bool) -> tuple[str, ...] | None:
    """The command that starts a program without any network, where the system allows it."""
    unshare = shutil.which("unshare")
    if unshare is None or not sys.platform.startswith("linux"):
        return None
    command: tuple[str, ...] = (unshare, "--user", "--map-current-user", "--net", "--")
    if is_root:
        command = (unshare, "--net", "--")
    return command if _works(command) else None


def _works(command: tuple[str, ...]) -> bool:
    """Whether a command starts another."""
    nothing = shutil.which("true")
    if nothing is None:
        return False
    try:
        done = subprocess.run(  # noqa: S603 - our own words
            [*command, nothing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TRY_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
