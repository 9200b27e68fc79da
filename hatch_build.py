"""Builds the compiled parts of the package into its wheel, if a C compiler is at hand; without one
the wheel is pure Python.

Everything works without them and gives the same answers, only slower. WEBQUARRY_PURE=1 leaves them
out on purpose, for a wheel that fits every machine.
"""

from __future__ import annotations

import os
import shutil
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
    """Compile each part and put it beside its source; the paths of what was made, relative to the
    project.
    """
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    with tempfile.TemporaryDirectory() as scratch:
        parts = [
            Extension(
                name,
                [str(source)],
                include_dirs=lxml.get_include(),
                extra_compile_args=flags(source),
            )
            for name, source in sources(root / "src").items()
        ]
        modules = cythonize(
            parts, build_dir=scratch, quiet=True, compiler_directives=_AS_PYTHON, language_level=3
        )
        command = build_ext(Distribution({"ext_modules": modules}))
        command.build_lib = command.build_temp = scratch
        command.ensure_finalized()
        command.run()
        return [moved(Path(made), root, Path(scratch)) for made in command.get_outputs()]


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


def moved(made: Path, root: Path, scratch: Path) -> str:
    """Put a compiled part where the package looks for it, at one stroke: somebody may be using the
    one before.
    """
    place = Path("src") / made.relative_to(scratch)
    beside = root / place.with_name(f"{place.name}.new")
    shutil.copyfile(made, beside)
    beside.replace(root / place)
    return str(place)
