"""Packages of others by name -> a folder of their own with them in it, kept where it was made.

From npm, with a Node that is new enough, and from the Python index, in a virtual environment that
ours does not see. What cannot be had ends the program with a sentence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

NODE_NEEDED = (22, 19)
NODE_PACKAGE = "node@24"
INSTALL_SECONDS = 400


def node_version(node: str | Path) -> tuple[int, ...]:
    """Major and minor version of a Node; (0,) where it cannot be started."""
    try:
        done = subprocess.run(
            [str(node), "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return (0,)
    numbers = done.stdout.strip().lstrip("v").split(".")
    return tuple(int(number) for number in numbers[:2])


def node_environment(work: Path) -> dict[str, str]:
    """Ours, with a Node that is new enough."""
    environ = dict(os.environ)
    node = shutil.which("node")
    if node is None or node_version(node) < NODE_NEEDED:
        folder = install_npm(work / "node", [NODE_PACKAGE], environ)
        binaries = folder / "node_modules" / "node" / "bin"
        environ["PATH"] = f"{binaries}{os.pathsep}{environ['PATH']}"
    return environ


def install_npm(folder: Path, packages: list[str], environ: dict[str, str]) -> Path:
    """The folder with the packages of npm in it; what is there already stays, unless other packages
    are wanted now.
    """
    if not _is_installed(folder, packages):
        npm = shutil.which("npm", path=environ.get("PATH"))
        if npm is None:
            sys.exit(
                "npm is needed to install the clients, and was not found. On Debian and Ubuntu "
                "try: apt install npm"
            )
        _make_empty(folder)
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        command = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *packages]
        _install(command, packages, folder, environ)
    return folder


def install_python(folder: Path, packages: list[str]) -> Path:
    """The Python of a virtual environment with these packages in it."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not _is_installed(folder, packages):
        _make_empty(folder)
        # Our pip installs into it: quicker than one of its own.
        venv.create(folder, with_pip=False)
        pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
        command = [*pip, "install", "--quiet", "--no-compile", *packages]
        _install(command, packages, folder, dict(os.environ))
    return python


def _is_installed(folder: Path, packages: list[str]) -> bool:
    done = folder / "done"
    return done.is_file() and done.read_text("utf-8") == "\n".join(packages)


def _make_empty(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _install(
    command: list[str], packages: list[str], folder: Path, environ: dict[str, str]
) -> None:
    """Run the command, and note in the folder what was installed."""
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        sys.exit(
            f"Installing {', '.join(packages)} took more than {INSTALL_SECONDS} seconds. Is the "
            "registry reachable?"
        )
    if done.returncode:
        words = (done.stderr or done.stdout).strip()[-1500:]
        sys.exit(f"{', '.join(packages)} cannot be installed. Is the registry reachable?\n{words}")
    (folder / "done").write_text("\n".join(packages), "utf-8")
