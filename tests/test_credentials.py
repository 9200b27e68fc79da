"""Where credentials come from."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from webquarry.credentials import Credential, find
from webquarry.errors import AuthFailure

BRAVE = Credential("BRAVE_API_KEY", "brave-api-key")


def write(path: Path, text: str, mode: int = 0o600) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def test_the_environment_comes_before_the_files(tmp_path: Path) -> None:
    write(tmp_path / ".config/ikigai/brave-api-key", "from-file")
    found = find(BRAVE, {"HOME": str(tmp_path), "BRAVE_API_KEY": " from-env\n"})
    assert found is not None
    assert (found.value.reveal(), found.source) == (
        "from-env",
        "environment variable BRAVE_API_KEY",
    )


def test_the_seeds_folder_comes_before_ours_and_a_trailing_newline_is_dropped(
    tmp_path: Path,
) -> None:
    write(tmp_path / ".config/webquarry/brave-api-key", "ours\n")
    found = find(BRAVE, {"HOME": str(tmp_path)})
    assert found is not None
    assert found.value.reveal() == "ours"
    write(tmp_path / ".config/ikigai/brave-api-key", "theirs\n")
    found = find(BRAVE, {"HOME": str(tmp_path)})
    assert found is not None
    assert found.value.reveal() == "theirs"
    assert found.source.endswith(".config/ikigai/brave-api-key")


def test_a_file_that_others_can_read_earns_a_warning_and_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / ".config/ikigai/brave-api-key", "loose", 0o644)
    with caplog.at_level(logging.WARNING):
        assert find(BRAVE, {"HOME": str(tmp_path)}) is not None
    assert "chmod 600" in caplog.text
    assert "loose" not in caplog.text


def test_a_value_that_cannot_be_a_key_is_refused_without_repeating_it(tmp_path: Path) -> None:
    for value in ("two words", "clé", "a\x07b"):
        with pytest.raises(AuthFailure) as caught:
            find(BRAVE, {"HOME": str(tmp_path), "BRAVE_API_KEY": value})
        assert value not in caught.value.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "/dev/zero", "/dev/tty", "socket"])
def test_special_files_are_ignored_without_blocking(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    place = tmp_path / ".config/ikigai/brave-api-key"
    write(tmp_path / ".config/webquarry/brave-api-key", "ours")
    place.parent.mkdir()
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "socket":
        os.mknod(place, 0o600 | 0o140000)
    elif kind == "link to a pipe":
        os.mkfifo(tmp_path / "pipe")
        place.symlink_to(tmp_path / "pipe")
    else:
        place.symlink_to(kind)
    with caplog.at_level(logging.WARNING):
        found = find(BRAVE, {"HOME": str(tmp_path)})

    assert found is not None
    assert found.value.reveal() == "ours"
    assert "it is not a file" in caplog.text
