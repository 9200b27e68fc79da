"""Finds Chromium and builds the command that starts it: flags, user and network namespace.

No browser is ever downloaded. Chromium's sandbox stays on: root drops to an unprivileged user
first. Where the system allows it, the browser gets an empty network namespace; flags block every
other path to the network in any case.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from webquarry.errors import Unreadable
from webquarry.settings import Settings

INSTALL_ADVICE = (
    "Install Chromium (Debian and Ubuntu: apt install chromium-headless-shell, else chromium; "
    "or name one in WEBQUARRY_BROWSER)"
)
NOBODY = 65534  # user and group
_SHELL_NAMES = ("chromium-headless-shell", "chrome-headless-shell", "headless_shell")
_FULL_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# The command of a distribution is often a shell script around the executable in one of these.
_LIBRARY_FOLDERS = (
    "/usr/lib/chromium",
    "/usr/lib64/chromium",
    "/usr/lib/chromium-browser",
    "/opt/google/chrome",
)
_DROP_OPTIONS = (
    f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--inh-caps=-all",
)  # fmt: skip
_PROBE_SECONDS = 5
_HEAP_MB = 512  # of the scripts of one page
_FLAGS = (
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--mute-audio",
    "--hide-scrollbars",
    "--disable-extensions",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--metrics-recording-only",
    "--no-pings",
    "--dns-prefetch-disable",
    "--password-store=basic",
    "--use-mock-keychain",
    # A proxy that does not exist, and a resolver that resolves no name, not even the proxy's.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,"
    "Prerender2,FedCm,WebTransport,SpareRendererForSitePerProcess,AudioServiceOutOfProcess",
    # A fixed seed, so that a recorded page requests the same URLs again.
    f"--js-flags=--max-old-space-size={_HEAP_MB} --random-seed=7",
)


@dataclass(frozen=True)
class Program:
    """A browser executable."""

    path: str
    is_shell: bool  # headless shell: half the memory, faster start


@dataclass(frozen=True)
class Isolation:
    """How a browser is isolated from the system."""

    prefix: tuple[str, ...]  # commands in front of the browser's own
    user: int | None  # owner of its files; None: the current user
    has_network: bool  # only flags block the network
    has_sandbox: bool

    @property
    def description(self) -> str:
        """The level of isolation, for `webquarry doctor`."""
        sandbox = "sandbox on" if self.has_sandbox else "sandbox OFF (WEBQUARRY_BROWSER_SANDBOX=0)"
        network = "a dead proxy and no resolver" if self.has_network else "no network at all"
        user = "" if self.user is None else ", as an ordinary user"
        return f"{sandbox}{user}, {network}"


def find_program(settings: Settings, environ: Mapping[str, str] | None = None) -> Program | None:
    """Return the configured browser, or the best one that is installed; None without any."""
    search_path = (environ or os.environ).get("PATH")
    names: tuple[str, ...] = (*_SHELL_NAMES, *_FULL_NAMES, _MAC)
    if settings.browser is not None:
        names, search_path = (settings.browser,), None
    for name in names:
        path = shutil.which(name, path=search_path)
        if path is not None:
            return _resolve_script(Path(path))
    return None


def _resolve_script(command: Path) -> Program:
    """Return the executable that a command starts, if the command is a script."""
    is_shell = command.name in _SHELL_NAMES
    with command.open("rb") as file:
        if file.read(4) == b"\x7fELF":
            return Program(str(command), is_shell)
    for folder in _LIBRARY_FOLDERS:
        executable = Path(folder) / command.name
        if os.access(executable, os.X_OK):
            return Program(str(executable), is_shell)
    return Program(str(command), is_shell)


def choose_isolation(*, sandbox: bool) -> Isolation:
    """Return the strongest isolation of this system.

    Raises Unreadable for root without `setpriv`, because the sandbox would not start.
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
    unshare = _find_unshare(is_root)
    return Isolation((*(unshare or ()), *(drop or ())), user, unshare is None, sandbox)


@cache
def _find_drop() -> tuple[str, ...] | None:
    """Return the command by which root becomes an unprivileged user, if it works."""
    setpriv = shutil.which("setpriv")
    command = (setpriv or "", *_DROP_OPTIONS, "--")
    return command if setpriv and _works(command) else None


@cache
def _find_unshare(is_root: bool) -> tuple[str, ...] | None:
    """Return the command that starts a program without a network, if the system allows it."""
    unshare = shutil.which("unshare") if sys.platform.startswith("linux") else None
    user = () if is_root else ("--user", "--map-current-user")
    command = (unshare or "", *user, "--net", "--")
    return command if unshare and _works(command) else None


def _works(command: tuple[str, ...]) -> bool:
    """Return whether a command can start another."""
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [*command, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def build_command(program: Program, isolation: Isolation, profile: str) -> list[str]:
    """Return the command line of a browser with its profile in a folder."""
    command = [*isolation.prefix, program.path]
    if not program.is_shell:
        command.append("--headless")
    if not isolation.has_sandbox:
        command.append("--no-sandbox")
    return [*command, *_FLAGS, f"--user-data-dir={profile}"]
