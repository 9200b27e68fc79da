"""One question and its answer: the request, at most one search, the second request, and what the
last turn says.

    ask -> [search call] -> search -> ask again, with the result and no choice of a tool -> answer

Where a vendor cannot give a typed answer while a tool is on offer, the form goes with the call that
has none. Nothing here opens a socket, knows a vendor or money: the calls and the search are made by
a `ConversationBackend`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from webquarry._search.models import Result
from webquarry.ask.exchange import results
from webquarry.ask.exchange.request_template import RequestTemplate
from webquarry.ask.exchange.schema import Mismatch
from webquarry.ask.models import AnswerSource, ModelReply, ReplyError
from webquarry.ask.vendors.base import (
    WEB_SEARCH,
    Body,
    CallFailure,
    ModelRequest,
    SearchCall,
    SearchOutcome,
    Turn,
)
from webquarry.secret import redact

MOST_PAUSES = 2  # how often a model that pauses is asked to go on
_MOST_EXPLANATION = 300  # characters of the model's own words in one of our messages
_MOST_REASON = 40


class ConversationBackend(Protocol):
    """Who makes the calls."""

    async def call(self, body: Body) -> Turn:
        """The model's turn that answers a body. Raises `CallFailure`."""

    async def search(self, query: str) -> Sequence[Result]:
        """What was found. Raises `SearchUnavailable` when the search failed or took too long."""

    def get_left_out(self) -> Collection[str]:
        """What this model's server is known to refuse, by the name that its vendor has for it."""

    def note_left_out(self, names: Sequence[str]) -> None:
        """The server answered when these were left out."""


class SearchUnavailable(Exception):
    """There was no search; the text is the reason, for a person."""


@dataclass(frozen=True)
class ToolRun:
    """What came of the tool calls of one turn."""

    outcomes: list[SearchOutcome]  # one for each call
    found: tuple[Result, ...] | None  # what the search found; None when there was none
    failed: str | None = None  # why there was no search, where one was wanted


_NO_RUN = ToolRun([], None)


async def converse(
    template: RequestTemplate, context: str, prompt: str, backend: ConversationBackend
) -> ModelReply:
    """The answer, or the error that there was; what it cost is the backend's to know. Raises what
    the backend raises.
    """
    vendor = template.vendor
    request = template.build_request(context, prompt)
    talk = _Talk(template, request, backend)
    turn = await talk.ask(vendor.build_body(request))
    # A tool may be used once, and only the search is one.
    run = _NO_RUN
    if turn.stop == "tool" and turn.calls and request.offers_search:
        wants_search = any(call.name == WEB_SEARCH for call in turn.calls)
        if not wants_search and turn.text.strip() and not talk.lacks_form:
            return _build_reply(template, replace(turn, stop="end"), None)
        run = await _run_tools(turn.calls, backend)
        turn = await talk.ask(vendor.build_next_body(talk.body, turn, run.outcomes, request))
    elif talk.lacks_form and turn.stop == "end" and not _fits(template, turn.text):
        # It answered at once, and could not be told the form while it had a tool.
        turn = await talk.ask(vendor.build_body(replace(request, offers_search=False)))
    answer = _build_reply(template, turn, run.found)
    wanted = run.found is not None or run.failed is not None
    return replace(answer, search_failed=run.failed, search_wanted=wanted)


@dataclass
class _Talk:
    """The calls of one question, and the body of the last one."""

    template: RequestTemplate
    request: ModelRequest
    backend: ConversationBackend

    def __post_init__(self) -> None:
        self.body: Body = {}

    @property
    def lacks_form(self) -> bool:
        """Whether a typed answer is wanted that the first call cannot ask for."""
        wants_both = self.request.schema is not None and self.request.offers_search
        return wants_both and not self.template.vendor.takes_schema_beside_tools

    async def ask(self, body: Body) -> Turn:
        """A turn that is no pause; its text is that before pauses, too."""
        turn = await self._ask_simpler(body)
        text = turn.text
        for _ in range(MOST_PAUSES):
            if turn.stop != "paused":
                break
            # It goes on when it gets back what it said.
            further = self.template.vendor.build_next_body(self.body, turn, [], self.request)
            turn = await self._ask_simpler(further)
            text += turn.text
        return replace(turn, text=text)

    async def _ask_simpler(self, body: Body) -> Turn:
        """The turn; what the server refuses is left out one by one, and remembered if that is what
        helped.
        """
        vendor = self.template.vendor
        known = self.backend.get_left_out()
        dropped: list[str] = []
        refusal: CallFailure | None = None
        while True:
            simpler = vendor.simplify(body, self.request)
            is_known = simpler is not None and simpler[0] in known
            if not is_known:
                self.body = body
                try:
                    turn = await self.backend.call(body)
                except CallFailure as failure:
                    refusal = refusal or failure
                    if failure.error.code != "bad_request" or simpler is None:
                        raise refusal from None
                else:
                    if dropped:
                        self.backend.note_left_out(dropped)
                    return turn
                dropped.append(simpler[0])
            assert simpler is not None
            body = simpler[1]


def _fits(template: RequestTemplate, text: str) -> bool:
    """Whether a text is already of the form that was asked for."""
    assert template.schema is not None
    try:
        template.schema.check(text)
    except Mismatch:
        return False
    return True


async def _run_tools(calls: Sequence[SearchCall], backend: ConversationBackend) -> ToolRun:
    """One outcome for each tool call, and what the search found: the first search is made, every
    other call refused.
    """
    outcomes: list[SearchOutcome] = []
    found: tuple[Result, ...] | None = None
    failed: str | None = None
    searched = False
    for call in calls:
        succeeded = False
        if call.name != WEB_SEARCH:
            text = results.UNKNOWN_TOOL
        elif searched:
            text = results.ONE_ONLY
        else:
            searched = True
            text, found, failed = await _search(call.query, backend)
            succeeded = found is not None
        outcomes.append(SearchOutcome(call, text, not succeeded))
    return ToolRun(outcomes, found, failed)


async def _search(
    query: str | None, backend: ConversationBackend
) -> tuple[str, tuple[Result, ...] | None, str | None]:
    """What the model is shown of the search that it asked for, and the results in it; None when
    there was no search, and then the reason.
    """
    if query is None:
        return results.MISSING_QUERY, None, "The model asked for a search without a query."
    try:
        hits = await backend.search(query)
    except SearchUnavailable as unavailable:
        return results.UNAVAILABLE, None, str(unavailable)
    found = results.select_results(hits)
    return results.format_results(found), found, None


def _build_reply(
    template: RequestTemplate, turn: Turn, found: tuple[Result, ...] | None
) -> ModelReply:
    """What the last turn says, by the reason for which it ended."""
    sources = tuple(AnswerSource(result.title, result.url) for result in found or ())
    bare = ModelReply(None, sources, found is not None, model=template.model)
    text = turn.text
    if turn.stop == "refused":
        return replace(bare, error=ReplyError("refused", _describe_refusal(turn)))
    is_cut = turn.stop == "cut"
    if not text.strip() and is_cut:
        message = (
            f"The model used all of its {template.longest_answer} tokens before it gave an answer; "
            "raise max_tokens."
        )
        return replace(bare, error=ReplyError("cut", message))
    if not text.strip():
        message = f"The model ended without an answer ({redact(turn.why)[:_MOST_REASON]})."
        return replace(bare, error=ReplyError("no_answer", message, True))
    # A reason that nobody knows yet: the text is there, but whether it is whole is not known.
    partial = is_cut or turn.stop in ("unknown", "paused")
    if template.schema is None:
        return replace(bare, answer=text, partial=partial)
    try:
        value = template.schema.check(text)
    except Mismatch as mismatch:
        message = f"The model's answer is not of the form that was asked for: {mismatch}."
        error = ReplyError("bad_answer", message, True)
        if is_cut:  # then it cannot be of that form
            message = f"The typed answer was cut at {template.max_tokens} tokens; raise max_tokens."
            error = ReplyError("cut", message)
        return replace(bare, error=error)
    return replace(bare, answer=text, value=value, partial=partial)


def _describe_refusal(turn: Turn) -> str:
    """A sentence with the category and the explanation, as far as the provider gave them."""
    message = "The model declined to answer"
    if turn.category is not None:
        message += f" ({redact(turn.category)[:_MOST_REASON]})"
    if turn.explanation is not None and turn.explanation.strip():
        words = redact(" ".join(turn.explanation.split()))
        return f"{message}: {words[:_MOST_EXPLANATION]}"
    return f"{message}."
