"""Builds the compiled parts of the package into its wheel, if a C compiler is at hand; without one
the wheel is pure Python.

Everything works without them and gives the same answers, only slower. WEBQUARRY_PURE=1 leaves them
out on purpose, for a wheel that fits every machine.
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

# What is written as an annotation is for readers and mypy; only a `.pxd` tells the compiler a type.
_AS_PYTHON = {"annotation_typing": False}


class CompiledParts(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for every wheel, editable ones included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or os.environ.get("WEBQUARRY_PURE") == "1":
            return
        try:
            built = compile_parts(Path(self.root))
        except (
            Exception,
            SystemExit,
        ) as error:  # compilers fail in many ways, and none of them is a reason to fail
            self.app.display_warning(f"webquarry is built without its compiled parts: {error}")
            return
        build_data["artifacts"] += built
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_parts(root: Path) -> list[str]:
    """Compile each part that changed and put it beside its source; the paths of all of them,
    relative to the project. An installer that asks for the metadata first builds twice, and finds
    everything done the second time.
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
    """Where the package looks for a compiled module, relative to the project."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    return Path("src", *name.split(".")).with_suffix(suffix)


def find_newest(root: Path) -> float:
    """When whatever all parts depend on was changed last: declarations, and how they are built."""
    shared = [root / "pyproject.toml", root / "hatch_build.py"]
    for pattern in ("*.pxd", "*.pxi"):
        shared.extend((root / "src").rglob(pattern))
    return max(path.stat().st_mtime for path in shared if path.exists())


def is_current(part: Path, source: Path, newest: float) -> bool:
    """Whether a part was compiled after everything that it is made of."""
    if not part.exists():
        return False
    return part.stat().st_mtime > max(newest, source.stat().st_mtime)


def compile_modules(root: Path, modules: dict[str, Path]) -> None:
    """Compile these modules, several at once, and put each in its place."""
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
    """How the compiler is called: loops over numbers and bytes gain by more effort, Python does
    not.
    """
    if os.name != "posix":
        return []
    if source.suffix == ".pyx":
        return ["-g0", "-O3"]
    return ["-g0", "-O2"]


def sources(folder: Path) -> dict[str, Path]:
    """Every `.pyx` below a folder, and every `.py` with a `.pxd` beside it, by the name of the
    module that it becomes.
    """
    typed = [path.with_suffix(".py") for path in folder.rglob("*.pxd")]
    found = sorted([*folder.rglob("*.pyx"), *typed])
    return {".".join(path.relative_to(folder).with_suffix("").parts): path for path in found}


def move(made: Path, root: Path, scratch: Path) -> None:
    """Put a compiled part where the package looks for it, at one stroke: somebody may be using the
    one before.
    """
    place = root / "src" / made.relative_to(scratch)
    beside = place.with_name(f"{place.name}.new")
    shutil.copyfile(made, beside)
    beside.replace(place)
