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
    try:
        said = subprocess.run(
            [str(node), "--version"], capture_output=True, text=True, timeout=20, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return (0,)
    return tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])


def environment(work: Path) -> dict[str, str]:
    """Ours, with a Node that is new enough."""
    environ = dict(os.environ)
    node = shutil.which("node")
    if node is None or node_version(node) < NODE_NEEDED:
        binaries = (
            installed(work / "node", [NODE_PACKAGE], environ) / "node_modules" / "node" / "bin"
        )
        environ["PATH"] = f"{binaries}{os.pathsep}{environ['PATH']}"
    return environ


def installed(folder: Path, packages: list[str], environ: dict[str, str]) -> Path:
    """The folder with the packages of npm in it; what is there already stays, unless other packages
    are wanted now.
    """
    if not _has(folder, packages):
        npm = shutil.which("npm", path=environ.get("PATH"))
        if npm is None:
            sys.exit(
                "npm is needed to install the clients, and was not found. On Debian and Ubuntu "
                "try: apt install npm"
            )
        _emptied(folder)
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        _install(
            [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *packages],
            packages,
            folder,
            environ,
        )
    return folder


def python_with(folder: Path, packages: list[str]) -> Path:
    """The Python of a virtual environment with these packages in it."""
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not _has(folder, packages):
        venv.create(
            _emptied(folder), with_pip=False
        )  # ours installs into it: quicker than a pip of its own
        pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
        _install(
            [*pip, "install", "--quiet", "--no-compile", *packages],
            packages,
            folder,
            dict(os.environ),
        )
    return python


def _has(folder: Path, packages: list[str]) -> bool:
    done = folder / "done"
    return done.is_file() and done.read_text("utf-8") == "\n".join(packages)


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _install(
    command: list[str], packages: list[str], folder: Path, environ: dict[str, str]
) -> None:
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
        said = (done.stderr or done.stdout).strip()[-1500:]
        sys.exit(f"{', '.join(packages)} cannot be installed. Is the registry reachable?\n{said}")
    (folder / "done").write_text("\n".join(packages), "utf-8")
