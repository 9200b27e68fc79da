"""Build the extension module `webquarry._native`, which is required: without a C compiler or the
headers of Python the build fails and names the packages to install.
"""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src", "webquarry", "_native.pyx")
MODULE = SOURCE.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
_ADVICE = (
    "Install a C compiler and the headers of Python (Debian and Ubuntu: apt install gcc "
    "python3-dev; Fedora: dnf install gcc python3-devel; macOS: xcode-select --install; Windows: "
    "the Microsoft C++ Build Tools), then try again."
)


class NativeModule(BuildHookInterface):  # type: ignore[type-arg]
    """Add the module to wheels, including editable ones."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        try:
            build_data["artifacts"] += compile_parts(Path(self.root))
        except (Exception, SystemExit) as error:  # setuptools exits when the compiler fails
            reason = str(error).strip().partition("\n")[0]
            sentence = f"webquarry cannot compile its native code ({reason}). {_ADVICE}"
            raise SystemExit(sentence) from None
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_parts(root: Path) -> list[str]:
    """Compile the module if a source is newer, and return its path relative to the project."""
    sources = [root / "pyproject.toml", root / "hatch_build.py", root / SOURCE]
    sources += (root / "src").rglob("*.pxi")
    changed = max(path.stat().st_mtime for path in sources)
    module = root / MODULE
    for earlier in (root / "src").rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
        if earlier != module:  # of an earlier version: it would hide the source with its name
            earlier.unlink()
    if not module.exists() or module.stat().st_mtime < changed:
        compile_module(root)
    return [str(MODULE)]


def compile_module(root: Path) -> None:
    import lxml
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    extension = Extension(
        "webquarry._native",
        [str(root / SOURCE)],
        include_dirs=lxml.get_include(),
        extra_compile_args=["-g0", "-O2"] if os.name == "posix" else [],
    )
    with tempfile.TemporaryDirectory() as scratch:
        command = build_ext(
            Distribution({"ext_modules": cythonize([extension], build_dir=scratch, quiet=True)})
        )
        command.build_lib = command.build_temp = scratch
        command.ensure_finalized()
        command.run()
        # replace it atomically, because a process may be using it
        new = (root / MODULE).with_suffix(".new")
        shutil.copyfile(command.get_outputs()[0], new)
        new.replace(root / MODULE)
