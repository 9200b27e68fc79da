"""`hatch_build.py` adds the extension module to a wheel."""

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
    parts = hook.NativeModule(str(ROOT), {}, None, None, str(ROOT / "dist"), target)
    parts.initialize("standard", data)
    return data


def test_wheel_is_specific_to_the_platform(
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


def test_module_is_compiled_again_when_a_source_is_newer(
    hook: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parts = tmp_path / "src" / "webquarry" / "_read"
    parts.mkdir(parents=True)
    included = parts / "part.pxi"
    for path in (tmp_path / "pyproject.toml", tmp_path / "hatch_build.py", included):
        path.touch()
    (tmp_path / hook.SOURCE).touch()
    for path in tmp_path.rglob("*.*"):
        os.utime(path, (1_000, 1_000))
    compiled: list[Path] = []

    def compile_module(root: Path) -> None:
        compiled.append(root)
        (root / hook.MODULE).touch()

    monkeypatch.setattr(hook, "compile_module", compile_module)

    assert hook.compile_parts(tmp_path) == [str(hook.MODULE)]
    assert hook.compile_parts(tmp_path) == [str(hook.MODULE)]  # an installer asks twice
    assert len(compiled) == 1
    os.utime(included, (1 << 32, 1 << 32))
    hook.compile_parts(tmp_path)
    assert len(compiled) == 2
