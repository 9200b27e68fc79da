"""What doctor finds of the settings and the machine: libraries, proxies, certificates, folders."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.doctor.reports import CANARY, look, part, provider
from webquarry.doctor import checks as installation
from webquarry.doctor.checks import CheckResult, examine_parts
from webquarry.settings import Settings
from webquarry.store.records import RecordFile


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_a_setting_that_cannot_be_used_is_a_finding_and_the_rest_is_still_looked_at(
    environ: dict[str, str],
) -> None:
    report = look(environ | {"WEBQUARRY_MAX_BYTES": "many", "BRAVE_API_KEY": CANARY})

    assert not report.ok
    assert "WEBQUARRY_MAX_BYTES" in part(report, "settings").detail
    assert [finding.name for finding in report.parts].count("settings") == 1
    assert provider(report, "brave").provider.configured


def test_a_misspelt_setting_is_pointed_out(environ: dict[str, str]) -> None:
    finding = part(look(environ | {"WEBQUARRY_MAXBYTES": "5"}), "settings")

    assert finding.state == "warning"
    assert "did you mean WEBQUARRY_MAX_BYTES?" in finding.detail
    assert "unset WEBQUARRY_MAXBYTES" in finding.cure


def find(name: str, environ: Mapping[str, str]) -> CheckResult:
    settings = Settings.from_environment(environ)
    return next(finding for finding in examine_parts(settings, environ) if finding.name == name)


def test_an_old_libxml2_is_broken(environ: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert find("libxml2", environ).state == "ok"
    monkeypatch.setattr("lxml.etree.LIBXML_VERSION", (2, 11, 9))

    assert find("libxml2", environ).state == "broken"
    assert "2.11.9" in find("libxml2", environ).detail


def test_missing_socks_library_is_reported_with_install_command(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installation, "find_spec", lambda module: None)
    found = find("proxy", environ | {"ALL_PROXY": "socks5://127.0.0.1:9"})

    assert found.state == "broken"
    assert "pip install" in found.cure


def test_a_proxy_is_shown_without_its_password(environ: dict[str, str]) -> None:
    finding = find(
        "proxy",
        environ | {"HTTPS_PROXY": f"http://me:{CANARY}@proxy.example:3128"},
    )

    assert finding.detail == "https by proxy.example:3128"


def test_a_ca_file_that_is_none_is_broken(environ: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "company.pem"
    file.write_text("no certificate")

    assert find("trust store", environ | {"WEBQUARRY_CA_FILE": str(file)}).state == "broken"
    assert (
        find("trust store", environ | {"WEBQUARRY_CA_FILE": str(tmp_path / "absent.pem")}).state
        == "broken"
    )


def test_folders_that_cannot_be_written_to_earn_a_warning(
    environ: dict[str, str], tmp_path: Path
) -> None:
    file = tmp_path / "in-the-way"
    file.write_text("")
    finding = find("cache folder", environ | {"XDG_CACHE_HOME": str(file / "below")})

    assert finding.state == "warning"
    assert "WEBQUARRY_CACHE_FOLDER" in finding.cure
    assert find("cache folder", environ | {"WEBQUARRY_CACHE_FOLDER": str(file)}).state == "warning"
    assert find("cache folder", environ).detail == str(tmp_path / ".cache" / "webquarry")
    assert not (tmp_path / ".cache").exists(), "doctor looks and does not touch"


def test_unusable_records_are_reported_and_unchanged(
    environ: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "records"
    chosen = environ | {"WEBQUARRY_STATE_FOLDER": str(folder)}
    assert find("state folder", chosen) == CheckResult("state folder", "ok", str(folder))
    assert not folder.exists()
    file = RecordFile(folder)
    file.do(lambda database, cipher: None)
    file.close()
    assert find("state folder", chosen).state == "ok"
    (folder / "state.key").write_bytes(bytes(32))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    lost = find("state folder", chosen)

    assert (lost.state, "state.key" in lost.detail) == ("broken", True)
    assert "backup" in lost.cure
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_recording_and_replay_are_reported(environ: dict[str, str], tmp_path: Path) -> None:
    assert find("recording", environ | {"WEBQUARRY_RECORD": str(tmp_path / "a.warc")}).state == "ok"
    assert find("recording", environ | {"WEBQUARRY_RECORD": "/dev/null/a.warc"}).state == "warning"
    assert find("recording", environ | {"WEBQUARRY_REPLAY": "demo"}).state == "warning"


@pytest.mark.skipif(
    sys.platform in ("darwin", "win32"), reason="trust is the system's own affair there"
)
def test_a_system_without_certificate_authorities_is_broken(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = ssl.get_default_verify_paths()
    monkeypatch.setattr(
        ssl, "get_default_verify_paths", lambda: real._replace(cafile="", capath=str(tmp_path))
    )

    assert find("trust store", environ).state == "broken"
