"""SQL and the command line with models of other vendors, against a server in each one's shape."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import webquarry.sql
from tests.model_servers import FakeServers
from webquarry.errors import AuthFailure, BadInput
from webquarry.sql import Session

MODELS = ("openai/gpt-6-luna", "gemini/gemini-3.8-flash", "ollama/qwen3", "openrouter/x/y")
each_model = pytest.mark.parametrize("model", MODELS)


@pytest.fixture
def others(servers: FakeServers, tmp_path: Path) -> Iterator[Session]:
    """A database of a user who has every vendor but Anthropic."""
    environ = servers.environ | servers.environ_of_vendors | {"HOME": str(tmp_path)}
    del environ["ANTHROPIC_API_KEY"]
    with webquarry.sql.open(environ=environ) as session:
        yield session


@each_model
def test_column_is_asked_of_any_model(others: Session, servers: FakeServers, model: str) -> None:
    found = others.sql(
        f"SELECT ask(company, 'What industry? [search]', model := '{model}') AS a "
        "FROM (VALUES ('ACME'), ('Bolt'), ('ACME')) AS t(company)"
    )
    answers = [row[0] for row in found.rows]

    assert [answer["error"] for answer in answers] == [None] * 3
    assert answers[0]["answer"] == "Answer to: Context: ACME\n\nQuestion: What industry? [search]"
    assert answers[0]["sources"][0]["url"] == "https://site1.example/"
    assert servers.messages == 4


def test_vendor_without_a_key_ends_the_statement(servers: FakeServers, tmp_path: Path) -> None:
    environ = servers.environ | {"HOME": str(tmp_path)}
    with (
        webquarry.sql.open(environ=environ) as session,
        pytest.raises(AuthFailure, match="No key of the OpenAI API") as caught,
    ):
        session.sql("SELECT ask('a', 'b', model := 'openai/gpt-6-luna')")

    assert "OPENAI_API_KEY" in caught.value.suggested_action
    assert servers.messages == 0


def test_table_needs_the_key_of_the_named_model_alone(
    others: Session, servers: FakeServers
) -> None:
    others.sql("CREATE TABLE rows AS SELECT 'ACME' AS context, 'Who?' AS prompt")
    found = others.sql("SELECT * FROM ask_table('rows', context, prompt, model := 'ollama/qwen3')")

    assert "Answer to: Context: ACME\n\nQuestion: Who?" in found.rows[0]
    assert servers.messages == 1


@pytest.mark.parametrize("vendor", ["openai", "gemini"])
def test_key_of_any_vendor_can_be_set_in_sql_for_this_database(
    servers: FakeServers, tmp_path: Path, vendor: str
) -> None:
    environ = servers.environ | servers.environ_of_vendors | {"HOME": str(tmp_path)}
    keys = {name: environ.pop(name) for name in list(environ) if name.endswith("_API_KEY")}
    (key,) = {value for name, value in keys.items() if vendor.upper() in name}
    (model,) = {name for name in MODELS if name.startswith(vendor)}
    ask = f"SELECT ask('ACME', 'Who?', model := '{model}').answer"
    with (
        webquarry.sql.open(environ=environ) as session,
        webquarry.sql.open(environ=environ) as other,
    ):
        with pytest.raises(AuthFailure) as raised:
            session.sql(ask)
        assert f"webquarry_set_key('{vendor}', '...')" in raised.value.sentences

        (said,) = session.sql(f"SELECT webquarry_set_key('{vendor.upper()}', '{key}')").rows[0]
        assert "configured successfully" in said
        assert session.sql(ask).rows[0][0].startswith("Answer to")
        assert key in servers.heads[-1].decode()
        with pytest.raises(AuthFailure):
            other.sql(ask.replace("ACME", "Bolt"))

        session.sql(f"SELECT webquarry_set_key('{vendor}', '')")
        with pytest.raises(AuthFailure):
            session.sql(ask.replace("ACME", "Bolt"))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("webquarry_set_key('openia', 'x')", "No vendor of models is called 'openia'"),
        ("webquarry_set_key('openai', NULL)", "nothing was changed"),
        ("webquarry_set_key('openai', 'two words')", "not a valid key"),
    ],
)
def test_invalid_key_is_an_error(others: Session, call: str, said: str) -> None:
    with pytest.raises(BadInput) as raised:
        others.sql(f"SELECT {call}")

    assert said in raised.value.sentences
    assert "two words" not in raised.value.sentences
