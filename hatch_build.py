"""Builds the compiled modules into the wheel. They are required: without a C compiler or the Python
headers the build fails with the name of the package to install.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Annotations are for mypy; only a `.pxd` declares C types.
_AS_PYTHON = {"annotation_typing": False}
_ADVICE = (
    "Install a C compiler and the headers of Python (Debian and Ubuntu: apt install gcc "
    "python3-dev; Fedora: dnf install gcc python3-devel; macOS: xcode-select --install; Windows: "
    "the Microsoft C++ Build Tools), then try again."
)


class CompiledParts(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for each wheel, including editable ones."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        try:
            built = compile_parts(Path(self.root))
        except (Exception, SystemExit) as error:  # setuptools exits when the compiler fails
            reason = str(error).strip().partition("\n")[0]
            sentence = f"webquarry cannot compile its native code ({reason}). {_ADVICE}"
            raise SystemExit(sentence) from None
        build_data["artifacts"] += built
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_parts(root: Path) -> list[str]:
    """Compile the modules that changed and return the paths of all, relative to the project.

    An installer that asks for the metadata first calls this twice.
    """
    parts = sources(root / "src")
    places = {name: place_of(name) for name in parts}
    newest = find_newest(root)
    stale = {}
    for name, source in parts.items():
        if not is_current(root / places[name], source, newest):
            stale[name] = source
    if stale:
        compile_modules(root, stale)
    return [str(place) for place in places.values()]


def place_of(name: str) -> Path:
    """Return the path of a compiled module, relative to the project."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return Path("src", *name.split(".")).with_suffix(suffix)


def find_newest(root: Path) -> float:
    """Return when the files that all modules depend on were last changed."""
    shared = [root / "pyproject.toml", root / "hatch_build.py"]
    for pattern in ("*.pxd", "*.pxi"):
        shared.extend((root / "src").rglob(pattern))
    return max(path.stat().st_mtime for path in shared if path.exists())


def is_current(part: Path, source: Path, newest: float) -> bool:
    """Return whether a module was compiled after its sources were changed."""
    if not part.exists():
        return False
    return part.stat().st_mtime > max(newest, source.stat().st_mtime)


def compile_modules(root: Path, modules: dict[str, Path]) -> None:
    """Compile modules in parallel."""
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    at_once = os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as scratch:
        parts = [
            Extension(
                name,
                [str(source)],
                include_dirs=lxml.get_include(),
                extra_compile_args=flags(source),
            )
            for name, source in modules.items()
        ]
        translated = cythonize(
            parts,
            build_dir=scratch,
            quiet=True,
            compiler_directives=_AS_PYTHON,
            language_level=3,
            nthreads=at_once if sys.platform == "linux" else 0,
        )
        command = build_ext(Distribution({"ext_modules": translated}))
        command.build_lib = command.build_temp = scratch
        command.parallel = at_once
        command.ensure_finalized()
        command.run()
        for made in command.get_outputs():
            move(Path(made), root, Path(scratch))


def flags(source: Path) -> list[str]:
    """Return the options of the compiler: only loops over numbers and bytes gain by -O3."""
    if os.name != "posix":
        return []
    if source.suffix == ".pyx":
        return ["-g0", "-O3"]
    return ["-g0", "-O2"]


def sources(folder: Path) -> dict[str, Path]:
    """Return each `.pyx`, and each `.py` that has a `.pxd`, by the name of its module."""
    typed = [path.with_suffix(".py") for path in folder.rglob("*.pxd")]
    found = sorted([*folder.rglob("*.pyx"), *typed])
    return {".".join(path.relative_to(folder).with_suffix("").parts): path for path in found}


def move(made: Path, root: Path, scratch: Path) -> None:
    """Move a compiled module into the package atomically, because a process may be using it."""
    place = root / "src" / made.relative_to(scratch)
    beside = place.with_name(f"{place.name}.new")
    shutil.copyfile(made, beside)
    beside.replace(place)
