"""Issues, pull requests and discussions of GitHub -> Markdown: what was said, by whom and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webquarry._read.markdown.compose import Composer
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_number,
    get_objects,
    get_text,
)
from webquarry._read.special._parts.site_markdown import (
    count,
    join_blocks,
    join_facts,
    write_code,
    write_markdown,
    write_nested,
)

_Fields = Mapping[str, Any]
_HUNK_LINES = 4  # of a difference that stand above what was said of it
_BOT_TEXT = 200  # characters of what a program said


@dataclass(frozen=True)
class IssueThread:
    """An issue or a pull request with what was said."""

    issue: _Fields
    comments: Sequence[_Fields]
    pull: _Fields
    reviews: Sequence[_Fields]
    review_comments: Sequence[_Fields]

    @classmethod
    def of(cls, data: _Fields) -> IssueThread:
        """What was fetched, as JSON has it."""
        return cls(
            get_fields(data, "issue"),
            get_objects(data, "comments"),
            get_fields(data, "pull"),
            get_objects(data, "reviews"),
            get_objects(data, "review_comments"),
        )


def write_issue(thread: IssueThread, full_name: str, composer: Composer) -> str:
    """An issue or a pull request, with its comments by time."""
    issue = thread.issue
    number = get_number(issue, "number") or 0
    title = composer.name(get_text(issue, "title"))
    blocks = [
        f"# {title}",
        join_facts([f"{full_name} #{number}", *_list_state(thread, composer)]),
        write_body(issue, composer),
    ]
    if thread.comments:
        shown = len(thread.comments)
        total = get_number(issue, "comments") or 0
        blocks.append(f"## Comments ({shown} of {max(shown, total)})")
        blocks += _write_comments(thread.comments, composer)
    blocks += _write_reviews(thread, composer)
    return join_blocks(blocks)


def _list_state(thread: IssueThread, composer: Composer) -> list[str]:
    """What is known of an issue, one fact each."""
    issue = thread.issue
    pull = thread.pull
    state = get_text(issue, "state")
    reason = get_text(issue, "state_reason")
    if get_text(pull, "merged_at"):
        state = "merged"
    elif get_flag(pull, "draft"):
        state = f"{state}, draft"
    elif reason and reason != "reopened":
        state = f"{state} ({reason.replace('_', ' ')})"
    labels = [get_text(label, "name") for label in get_objects(issue, "labels")]
    facts = [
        composer.name(state),
        f"by {_write_author(issue, composer)}",
        f"opened {get_day(issue, 'created_at')}",
    ]
    closed = get_day(issue, "closed_at")
    if closed:
        facts.append(f"closed {closed}")
    if labels:
        facts.append("labels: " + ", ".join(composer.name(name) for name in labels))
    milestone = composer.plain(get_text(issue, "milestone", "title"))
    if milestone:
        facts.append(f"milestone {composer.line(milestone)}")
    facts.append(_write_reactions(issue))
    if pull:
        head = composer.name(get_text(pull, "head", "label"))
        base = composer.name(get_text(pull, "base", "label"))
        facts += [
            f"{head} into {base}",
            count(get_number(pull, "commits"), "commit"),
            f"+{get_number(pull, 'additions') or 0} -{get_number(pull, 'deletions') or 0} in "
            f"{count(get_number(pull, 'changed_files') or 0, 'file')}",
        ]
    return facts


def write_body(post: _Fields, composer: Composer) -> str:
    """What somebody wrote: the HTML that GitHub made of it, else the Markdown."""
    html = get_text(post, "body_html") or get_text(post, "bodyHTML")
    if html:
        return composer.fragment(html)
    return write_markdown(composer, get_text(post, "body"), "https://github.com/")


def _write_author(post: _Fields, composer: Composer) -> str:
    """Who wrote it; accounts that were deleted are called ghost there, too."""
    user = get_text(post, "user", "login") or get_text(post, "author", "login") or "ghost"
    name = composer.name(user)
    role = composer.name(get_text(post, "author_association").replace("_", " ").lower())
    if role in ("", "none"):
        return name
    return f"{name} ({role})"


def _write_reactions(post: _Fields) -> str:
    up = get_number(post, "reactions", "+1") or 0
    down = get_number(post, "reactions", "-1") or 0
    if not up and not down:
        return ""
    if not down:
        return f"+{up}"
    return f"+{up} -{down}"


def _is_bot(post: _Fields) -> bool:
    return get_text(post, "user", "type") == "Bot" or get_text(post, "user", "login").endswith(
        "[bot]"
    )


def _write_comments(comments: Sequence[_Fields], composer: Composer) -> list[str]:
    """People's comments by time; those of programs behind them, in a line each."""
    blocks = []
    programs = []
    for comment in comments:
        head = _write_head(comment, composer)
        if _is_bot(comment):
            text = " ".join(write_body(comment, composer).split())
            programs.append(f"-   {head}: {text[:_BOT_TEXT]}")
        else:
            blocks.append(write_nested(f"{head}\n\n{write_body(comment, composer)}".rstrip(), 0))
    if programs:
        blocks.append("\n".join(programs))
    return blocks


def _write_head(comment: _Fields, composer: Composer) -> str:
    """Who said it, when, and how it was liked."""
    day = get_day(comment, "created_at") or get_day(comment, "submitted_at")
    number = get_number(comment, "id")
    details = [day, _write_reactions(comment)]
    if number is not None:
        details.append(f"#{number}")
    return f"**{_write_author(comment, composer)}** ({', '.join(filter(None, details))})"


def _write_reviews(thread: IssueThread, composer: Composer) -> list[str]:
    """What reviewers decided, then what they said of the code, file by file."""
    blocks = []
    for review in thread.reviews:
        state = composer.name(get_text(review, "state").replace("_", " ").lower())
        body = write_body(review, composer)
        if state == "commented" and not body:
            continue
        text = f"{_write_head(review, composer)}: {state}\n\n{body}".rstrip()
        blocks.append(write_nested(text, 0))
    if blocks:
        blocks.insert(0, f"## Reviews ({len(blocks)})")
    by_path: dict[str, list[_Fields]] = {}
    for comment in thread.review_comments:
        by_path.setdefault(get_text(comment, "path"), []).append(comment)
    if by_path:
        blocks.append(f"## Comments on the code ({len(thread.review_comments)})")
    for path, comments in by_path.items():
        name = composer.name(path) or "unknown file"
        blocks.append(f"### {name}")
        blocks += _write_code_comments(comments, composer)
    return blocks


def _write_code_comments(comments: Sequence[_Fields], composer: Composer) -> list[str]:
    """What was said of one file: the code once, then the first comment, answers below it."""
    numbers = {get_number(comment, "id") for comment in comments}
    answers: dict[int, list[_Fields]] = {}
    roots = []
    for comment in comments:
        parent = get_number(comment, "in_reply_to_id")
        if parent is not None and parent in numbers:
            answers.setdefault(parent, []).append(comment)
        else:
            roots.append(comment)
    blocks = []
    for root in roots:
        hunk = get_text(root, "diff_hunk").split("\n")[-_HUNK_LINES:]
        blocks.append(write_code(composer, "\n".join(hunk), "diff"))
        line = get_number(root, "line") or get_number(root, "original_line")
        where = f" on line {line}" if line else ""
        said = write_body(root, composer)
        blocks.append(write_nested(f"{_write_head(root, composer)}{where}\n\n{said}".rstrip(), 0))
        for answer in answers.get(get_number(root, "id") or -1, []):
            text = f"{_write_head(answer, composer)}\n\n{write_body(answer, composer)}"
            blocks.append(write_nested(text.rstrip(), 1))
    return blocks


def write_discussion(discussion: _Fields, full_name: str, composer: Composer) -> str:
    """A discussion: the answer that was accepted first, then by votes."""
    title = composer.name(get_text(discussion, "title"))
    number = get_number(discussion, "number") or 0
    category = composer.name(get_text(discussion, "category", "name"))
    votes = get_number(discussion, "upvoteCount")
    facts = join_facts(
        [
            f"{full_name} discussion {number}",
            category,
            f"by {_write_author(discussion, composer)}",
            get_day(discussion, "createdAt"),
            count(votes, "vote"),
        ]
    )
    comments = get_objects(discussion, "comments", "nodes")
    total = get_number(discussion, "comments", "totalCount") or len(comments)
    blocks = [f"# {title}", facts, write_body(discussion, composer)]
    if comments:
        blocks.append(f"## Comments ({len(comments)} of {max(total, len(comments))})")
    for comment in sorted(comments, key=_rank_comment):
        blocks.append(_write_discussion_comment(comment, composer, 0))
        for reply in get_objects(comment, "replies", "nodes"):
            blocks.append(_write_discussion_comment(reply, composer, 1))
    return join_blocks(blocks)


def _rank_comment(comment: _Fields) -> tuple[bool, int]:
    return not get_flag(comment, "isAnswer"), -(get_number(comment, "upvoteCount") or 0)


def _write_discussion_comment(comment: _Fields, composer: Composer, depth: int) -> str:
    votes = get_number(comment, "upvoteCount")
    details = [get_day(comment, "createdAt"), f"+{votes}" if votes else ""]
    if get_flag(comment, "isAnswer"):
        details.append("accepted answer")
    head = f"**{_write_author(comment, composer)}** ({', '.join(filter(None, details))})"
    if get_flag(comment, "isMinimized"):
        reason = composer.plain(get_text(comment, "minimizedReason")) or "hidden"
        composer.removed["hidden comment"] += 1
        return write_nested(f"{head}: hidden as {composer.line(reason)}", depth)
    return write_nested(f"{head}\n\n{write_body(comment, composer)}".rstrip(), depth)
