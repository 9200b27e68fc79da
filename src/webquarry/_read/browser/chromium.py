"""Finds Chromium, starts it isolated from the network, limits its memory and kills it.

No browser is ever downloaded. Chromium's sandbox stays on: root drops to an unprivileged user
first. Where the system allows it, the browser gets an empty network namespace; flags block every
other path to the network in any case. It is controlled through two pipes and exits when our ends
are closed, so also when our process is killed; its profile folder is then removed when the next
browser starts.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from webquarry.errors import Unreadable
from webquarry.settings import Settings

log = logging.getLogger(__name__)

INSTALL_ADVICE = (
    "Install Chromium (Debian and Ubuntu: apt install chromium-headless-shell, else chromium; "
    "or name one in WEBQUARRY_BROWSER)"
)
NOBODY = 65534  # user and group
# The headless shell is first: it needs half the memory and starts faster.
_NAMES = (
    "chromium-headless-shell", "chrome-headless-shell", "headless_shell", "chromium",
    "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)  # fmt: skip
# The command of a distribution is often a shell script around the executable in one of these.
_LIBRARY_FOLDERS = (
    "/usr/lib/chromium", "/usr/lib64/chromium", "/usr/lib/chromium-browser", "/opt/google/chrome",
)  # fmt: skip
_DROP_OPTIONS = (
    f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--inh-caps=-all",
)  # fmt: skip
_PREFIX = "webquarry-browser-"
_SHARED_FOLDERS = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - only for folders of our own
_NEW_SECONDS = 60.0  # a folder of this age may not be locked yet
_FIRST_FREE = 5  # file descriptor; Chromium uses 3 and 4
_DATA_BYTES = 1 << 30  # data segment of one process
_OWN_MEMORY = re.compile(rb"^Rss(?:Anon|Shmem):\s+(\d+) kB", re.MULTILINE)
_PROBE_SECONDS = 5
_HEAP_MB = 512  # of the scripts of one page
_FLAGS = (
    "--remote-debugging-pipe", "--no-startup-window", "--no-first-run",
    "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
    "--hide-scrollbars", "--disable-extensions", "--disable-sync", "--disable-default-apps",
    "--disable-background-networking", "--disable-component-update",
    "--disable-domain-reliability", "--disable-client-side-phishing-detection",
    "--disable-breakpad", "--disable-crash-reporter", "--metrics-recording-only", "--no-pings",
    "--dns-prefetch-disable", "--password-store=basic", "--use-mock-keychain",
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
)  # fmt: skip


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


def find_program(settings: Settings, environ: Mapping[str, str] | None = None) -> str | None:
    """Return the configured browser, or the best one that is installed; None without any."""
    search_path = (environ or os.environ).get("PATH")
    names: tuple[str, ...] = _NAMES
    if settings.browser is not None:
        names, search_path = (settings.browser,), None
    for name in names:
        path = shutil.which(name, path=search_path)
        if path is not None:
            return _resolve_script(Path(path))
    return None


def _resolve_script(command: Path) -> str:
    """Return the executable that a command starts, if the command is a script."""
    with command.open("rb") as file:
        is_script = file.read(4) != b"\x7fELF"
    for folder in _LIBRARY_FOLDERS if is_script else ():
        executable = Path(folder) / command.name
        if os.access(executable, os.X_OK):
            return str(executable)
    return str(command)


def choose_isolation(*, sandbox: bool) -> Isolation:
    """Return the strongest isolation of this system.

    Raises Unreadable for root without `setpriv`, because the sandbox would not start.
    """
    is_root = os.geteuid() == 0
    drop = _find_wrapper("setpriv", *_DROP_OPTIONS) if is_root else None
    if is_root and drop is None and sandbox:
        raise Unreadable(
            "The browser's sandbox does not start for root, and setpriv (util-linux) is missing.",
            suggested_action="Run webquarry as an ordinary user, or install util-linux; "
            "WEBQUARRY_BROWSER_SANDBOX=0 only in a container of its own.",
        )
    options = ("--net",) if is_root else ("--user", "--map-current-user", "--net")
    unshare = _find_wrapper("unshare", *options)
    user = NOBODY if drop else None
    return Isolation((*(unshare or ()), *(drop or ())), user, unshare is None, sandbox)


@cache
def _find_wrapper(name: str, *options: str) -> tuple[str, ...] | None:
    """Return a command in front of another, or None if it does not work on this system."""
    command = (shutil.which(name) or "", *options, "--")
    try:
        done = subprocess.run(  # noqa: S603 - a fixed command
            [*command, "true"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return command if done.returncode == 0 else None


def build_command(program: str, isolation: Isolation, profile: Path) -> list[str]:
    """Return the command line of a browser with its profile in a folder."""
    sandbox = () if isolation.has_sandbox else ("--no-sandbox",)
    return [
        *isolation.prefix,
        program,
        "--headless",
        *sandbox,
        *_FLAGS,
        f"--user-data-dir={profile}",
    ]


class Profile:
    """The folder that one browser writes to, locked while our process lives."""

    def __init__(self, user: int | None) -> None:
        parent = _choose_parent(user)
        remove_stale_profiles(parent, user)
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self.lock = os.open(self.folder, os.O_RDONLY)
        fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if user is not None:
            os.chown(self.folder, user, user)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.close(self.lock)


def _choose_parent(user: int | None) -> Path:
    """Return a folder for temporary files that the user of the browser can traverse."""
    default = Path(tempfile.gettempdir()).resolve()
    for folder in (default, *_SHARED_FOLDERS) if user is not None else ():
        if folder.is_dir() and all(one.stat().st_mode & 0o001 for one in (folder, *folder.parents)):
            return folder
    return default


def remove_stale_profiles(parent: Path, user: int | None = None) -> None:
    """Remove the profile folders whose process has ended."""
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            state = os.fstat(lock)
            is_old = time.time() - state.st_mtime > _NEW_SECONDS
            if is_old and state.st_uid in (os.geteuid(), user):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                log.debug("removing the stale profile %s", folder)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # in use
        finally:
            os.close(lock)


class BrowserProcess:
    """A started browser; `commands` and `replies` are our ends of its pipes."""

    def __init__(self, program: str, isolation: Isolation) -> None:
        self.profile = Profile(isolation.user)
        command = build_command(program, isolation, self.profile.folder)
        its_commands, commands = os.pipe()
        replies, its_replies = os.pipe()
        self.commands = os.fdopen(commands, "wb", buffering=0)
        self.replies = os.fdopen(replies, "rb", buffering=0)
        try:
            self.pid = _spawn(command, self.profile.folder, its_commands, its_replies)
        except OSError:
            self.commands.close()
            self.replies.close()
            self.profile.remove()
            raise
        finally:
            os.close(its_commands)
            os.close(its_replies)
        if hasattr(resource, "prlimit"):
            with contextlib.suppress(OSError):  # inherited by its children
                resource.prlimit(self.pid, resource.RLIMIT_DATA, (_DATA_BYTES, _DATA_BYTES))

    def kill(self) -> None:
        """Kill the browser and its children, and remove its profile."""
        self.commands.close()
        self.replies.close()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self.profile.remove()

    def list_processes(self) -> list[int]:
        """Return the processes of its group; empty without /proc."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # it has ended
                if os.getpgid(int(folder.name)) == self.pid:
                    found.append(int(folder.name))
        return found

    def limit_memory(self, max_bytes: int) -> None:
        """Kill the largest page if the processes use more private memory than allowed."""
        total, pages = 0, {self.pid: 0}
        for number in self.list_processes():
            with contextlib.suppress(OSError):  # it has ended
                status = Path(f"/proc/{number}/status").read_bytes()
                size = 1024 * sum(map(int, _OWN_MEMORY.findall(status)))
                total += size
                if b"--type=renderer" in Path(f"/proc/{number}/cmdline").read_bytes():
                    pages[number] = size
        if total > max_bytes:
            log.info("killing a page that uses too much memory")
            with contextlib.suppress(ProcessLookupError):
                os.kill(max(pages, key=pages.__getitem__), signal.SIGKILL)


def _spawn(command: list[str], home: Path, commands: int, replies: int) -> int:
    """Start a command in a process group of its own and return its process number."""
    folders = {name: str(home) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "TMPDIR")}
    # None of our own variables, which can contain keys.
    environ = folders | {"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8", "TZ": "UTC"}
    nothing = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE) for end in (commands, replies)]
    try:
        pipes = [
            (os.POSIX_SPAWN_DUP2, end, number) for end, number in zip(ends, (3, 4), strict=True)
        ]
        return os.posix_spawn(
            command[0], command, environ, setpgroup=0, file_actions=[*pipes, *nothing]
        )
    finally:
        for end in ends:
            os.close(end)
