"""The engine: typed answers, and what an answer cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ask.asking import asked
from tests.ask.fakes import FakeReply, FakeServers
from webquarry.ask.models import Question


def test_typed_answer_of_another_form_is_an_error_and_not_stored(
    servers: FakeServers, tmp_path: Path
) -> None:
    servers.answer = lambda question, model: '{"founded": "long ago"}'
    question = Question("ACME", "Facts?", schema='{"founded": "INTEGER"}')

    replies = [asked(servers, tmp_path, question)[0] for _ in range(2)]

    assert [reply.error and reply.error.code for reply in replies] == ["bad_answer", "bad_answer"]
    assert servers.messages == 2


def test_usage_and_cost_are_those_that_the_provider_reports(
    servers: FakeServers, tmp_path: Path
) -> None:
    used = {
        "input_tokens": 412,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1890,
        "output_tokens": 14,
    }
    servers.rule = lambda body: FakeReply(
        {"content": [{"type": "text", "text": "Yes."}], "stop_reason": "end_turn", "usage": used}
    )

    usage = asked(servers, tmp_path, Question("a", "b"))[0].usage

    assert (usage.calls, usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (
        1,
        512,
        14,
        1890,
    )
    assert usage.usd == pytest.approx((412 * 2 + 100 * 2.5 + 1890 * 0.2 + 14 * 10) / 1e6)
