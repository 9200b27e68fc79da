"""What `hatch_build.py` adds to a wheel: compiled modules."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(hook: ModuleType, target: str = "wheel") -> dict[str, Any]:
    data: dict[str, Any] = {"artifacts": [], "pure_python": True, "infer_tag": False}
    parts = hook.CompiledParts(str(ROOT), {}, None, None, str(ROOT / "dist"), target)
    parts.initialize("standard", data)
    return data


def test_compiled_parts_make_a_wheel_for_this_kind_of_machine(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "compile_parts", lambda root: ["src/webquarry/part.so"])

    data = build(hook)

    assert data == {"artifacts": ["src/webquarry/part.so"], "pure_python": False, "infer_tag": True}


def test_without_a_compiler_the_build_fails_with_the_package_to_install(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(root: Path) -> list[str]:
        raise SystemExit("command 'gcc' failed: No such file or directory")

    monkeypatch.setattr(hook, "compile_parts", fail)

    with pytest.raises(SystemExit) as raised:
        build(hook)

    sentence = str(raised.value)
    assert sentence.startswith("webquarry cannot compile its native code (command 'gcc' failed:")
    assert "apt install gcc python3-dev" in sentence
    assert "\n" not in sentence


def test_nothing_is_compiled_for_a_source_package(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "compile_parts", lambda root: pytest.fail("it was compiled"))

    assert build(hook, "sdist")["artifacts"] == []


def test_a_part_is_compiled_because_its_source_is_there(hook: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "webquarry" / "_read").mkdir(parents=True)
    (tmp_path / "webquarry" / "_read" / "_part.pyx").touch()
    (tmp_path / "webquarry" / "plain.py").touch()
    (tmp_path / "webquarry" / "typed.py").touch()
    (tmp_path / "webquarry" / "typed.pxd").touch()

    assert hook.sources(tmp_path) == {
        "webquarry._read._part": tmp_path / "webquarry" / "_read" / "_part.pyx",
        "webquarry.typed": tmp_path / "webquarry" / "typed.py",
    }
    assert "webquarry._read.markdown.walker" in hook.sources(ROOT / "src")
    assert "webquarry._read.main_content._walk" in hook.sources(ROOT / "src")


def test_only_what_changed_is_compiled_again(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "src" / "webquarry"
    folder.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    for name in ("one.pyx", "two.py", "two.pxd"):
        (folder / name).touch()
    compiled: list[list[str]] = []

    def compile_modules(root: Path, modules: dict[str, Path]) -> None:
        compiled.append(sorted(modules))
        for name in modules:
            (root / hook.place_of(name)).touch()

    def set_age(name: str, seconds: int) -> None:
        os.utime(folder / name, (seconds, seconds))

    for path in tmp_path.rglob("*.*"):
        os.utime(path, (1_000, 1_000))
    monkeypatch.setattr(hook, "compile_modules", compile_modules)
    places = [str(hook.place_of("webquarry.one")), str(hook.place_of("webquarry.two"))]

    assert hook.compile_parts(tmp_path) == places
    assert hook.compile_parts(tmp_path) == places  # an installer asks twice
    set_age("two.py", 1 << 32)
    hook.compile_parts(tmp_path)
    set_age("two.pxd", 1 << 32)  # what others may have taken in
    hook.compile_parts(tmp_path)

    everything = ["webquarry.one", "webquarry.two"]
    assert compiled == [everything, ["webquarry.two"], everything]
