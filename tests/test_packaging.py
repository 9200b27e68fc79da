"""The wheel, as a user gets it: it installs into a clean environment and answers with no more than
it requires.

Nothing is downloaded: the wheel is built with the tools at hand, and the packages it requires,
those and no others, are linked into the new environment from the one that runs the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import HeaderParser
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import webquarry

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SCRIPTS = sorted(PROJECT["scripts"])
BIN = "Scripts" if os.name == "nt" else "bin"


def run(*command: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run it with next to nothing in its environment."""
    environ = {
        name: os.environ[name]
        for name in ("PATH", "SYSTEMROOT", "TMPDIR", "HOME")
        if name in os.environ
    }
    return subprocess.run(
        [str(part) for part in command],
        env=environ | settings,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        cwd=Path(sys.executable).anchor,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--skip-dependency-check",
        "--outdir",
        folder,
        ROOT,
    )
    done = run(*build)  # compiled modules that are current are not built again
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clean environment with the wheel in it, and nothing else."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(folder, with_pip=False)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        python_of(folder),
        "install",
        "--no-deps",
        "--no-index",
        wheel,
    )
    done = run(*pip)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def equipped(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the packages that the wheel requires without any extra, for PYTHONPATH."""
    folder = tmp_path_factory.mktemp("required")
    for package in required_packages():
        for top in {
            file.parts[0]
            for file in package.files or []
            if file.parts[0] not in ("..", "__pycache__")
        }:
            if not (folder / top).exists():  # namespace packages are shared
                (folder / top).symlink_to(Path(str(package.locate_file(top))))
    return str(folder)


def python_of(environment: Path) -> Path:
    return environment / BIN / ("python.exe" if os.name == "nt" else "python")


def required_packages() -> list[Distribution]:
    """What our requirements bring, and what those bring, by their own metadata."""
    found: dict[tuple[str, frozenset[str]], Distribution] = {}
    wanted = [Requirement(text) for text in PROJECT["dependencies"]]
    while wanted:
        requirement = wanted.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in found:
            continue
        try:
            found[key] = distribution(requirement.name)
        except PackageNotFoundError:
            pytest.fail(f"{requirement.name} is required but not installed")
        for text in found[key].requires or []:
            below = Requirement(text)
            extras = requirement.extras or {""}
            if below.marker is None or any(
                below.marker.evaluate({"extra": extra}) for extra in extras
            ):
                wanted.append(below)
    return list(found.values())


def test_the_wheel_requires_nothing_that_an_extra_brings(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode("utf-8"))
    requirements = [Requirement(text) for text in metadata.get_all("Requires-Dist", [])]
    required = {
        canonicalize_name(one.name) for one in requirements if "extra ==" not in str(one.marker)
    }

    assert required == {
        canonicalize_name(Requirement(text).name) for text in PROJECT["dependencies"]
    }
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert "socksio" not in {canonicalize_name(package.name) for package in required_packages()}


def test_wheel_has_data_files(wheel: Path) -> None:
    shipped = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "webquarry").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert "webquarry/py.typed" in held
    assert held == shipped


@pytest.mark.parametrize("script", SCRIPTS)
def test_version_is_answered_from_a_clean_environment(environment: Path, script: str) -> None:
    done = run(environment / BIN / script, "--version")

    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"{script} {webquarry.__version__}\n",
        "",
    )


@pytest.mark.parametrize("script", [name for name in SCRIPTS if name.endswith("-tool")])
def test_a_schema_is_answered_from_a_clean_environment(environment: Path, script: str) -> None:
    done = run(environment / BIN / script, "--schema")

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["name"] == script.removesuffix("-tool").replace("-", "_")


def test_the_demo_runs_on_the_required_packages_alone(environment: Path, equipped: str) -> None:
    done = run(environment / BIN / "webquarry", "demo", PYTHONPATH=equipped)

    assert (done.returncode, done.stderr) == (0, "")
    assert "Retrieved" in done.stdout
