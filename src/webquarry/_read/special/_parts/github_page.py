"""What was fetched of GitHub -> the page: each kind with its title, author and dates."""

from __future__ import annotations

from webquarry._read.models import Page
from webquarry._read.special._parts.github_files import (
    write_file,
    write_folder,
    write_gist,
    write_release,
    write_releases,
    write_repository,
)
from webquarry._read.special._parts.github_thread import (
    IssueThread,
    write_discussion,
    write_issue,
)
from webquarry._read.special._parts.github_urls import GitHubTarget
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_objects,
    get_text,
    get_texts,
)
from webquarry._read.special._parts.site_markdown import join_blocks, write_code, write_markdown
from webquarry._read.special._parts.site_request import SiteWriter
from webquarry._read.special_reader import SiteReply

SITE = "https://github.com"


def write_page(target: GitHubTarget, reply: SiteReply, url: str) -> Page:
    """The page of what was fetched for a target."""
    writer = SiteWriter(reply, url)
    match target.kind:
        case "repository":
            return _write_repository(target, reply, writer)
        case "tree":
            return _write_folder(target, reply, writer)
        case "file":
            _, _, path = target.rest.partition("/")
            text = reply.body.decode("utf-8", "replace")
            markdown = write_file(text, path, url, target.lines, writer.composer)
            return writer.build_page(markdown, f"{target.full_name}: {path}")
        case "issue" | "pull":
            return _write_issue(target, reply, writer)
        case "discussion":
            return _write_discussion(target, reply, writer)
        case "diff":
            title = f"{target.full_name} {target.rest}"
            text = reply.body.decode("utf-8", "replace")
            code = write_code(writer.composer, text, "diff")
            return writer.build_page(f"# {writer.composer.name(title)}\n\n{code}", title)
        case "release":
            return _write_release(target, reply, writer)
        case "releases":
            releases = get_objects(reply.data, "releases")
            markdown = write_releases(releases, target.full_name, writer.composer)
            return writer.build_page(markdown, f"Releases of {target.full_name}")
        case "wiki":
            title = target.rest.replace("-", " ")
            text = reply.body.decode("utf-8", "replace")
            body = write_markdown(writer.composer, text, url)
            markdown = join_blocks([f"# {writer.composer.name(title)}", body])
            return writer.build_page(markdown, f"{title} · {target.full_name}")
        case "gist":
            return _write_gist(reply, writer)


def _write_repository(target: GitHubTarget, reply: SiteReply, writer: SiteWriter) -> Page:
    repository = get_fields(reply.data, "repository")
    home = f"{SITE}/{target.full_name}"
    readme = writer.composer.fragment(reply.body.decode("utf-8", "replace"))
    if not readme:
        text = get_text(reply.data, "readme")
        readme = write_markdown(writer.composer, text, f"{home}/blob/HEAD/README.md")
    return writer.build_page(
        write_repository(repository, target.full_name, readme, writer.composer),
        get_text(repository, "full_name") or target.full_name,
        url=home,
        author=target.owner,
        published=get_day(repository, "created_at"),
        modified=get_day(repository, "pushed_at"),
        lost=get_texts(reply.data, "lost"),
    )


def _write_folder(target: GitHubTarget, reply: SiteReply, writer: SiteWriter) -> Page:
    ref, _, path = target.rest.partition("/")
    place = f"{SITE}/{target.full_name}/blob/{ref}/{path}/{get_text(reply.data, 'readme_name')}"
    readme = write_markdown(writer.composer, get_text(reply.data, "readme"), place)
    entries = get_objects(reply.data, "entries")
    markdown = write_folder(entries, target.full_name, path, readme, writer.composer)
    return writer.build_page(markdown, f"{target.full_name}/{path}")


def _write_issue(target: GitHubTarget, reply: SiteReply, writer: SiteWriter) -> Page:
    thread = IssueThread.of(reply.data)
    issue = thread.issue
    return writer.build_page(
        write_issue(thread, target.full_name, writer.composer),
        f"{get_text(issue, 'title')} · {target.full_name} #{target.number}",
        url=get_text(issue, "html_url"),
        author=get_text(issue, "user", "login"),
        published=get_day(issue, "created_at"),
        modified=get_day(issue, "updated_at"),
        lost=get_texts(reply.data, "lost"),
    )


def _write_discussion(target: GitHubTarget, reply: SiteReply, writer: SiteWriter) -> Page:
    discussion = get_fields(reply.data, "discussion")
    return writer.build_page(
        write_discussion(discussion, target.full_name, writer.composer),
        f"{get_text(discussion, 'title')} · {target.full_name}",
        url=get_text(discussion, "url"),
        author=get_text(discussion, "author", "login"),
        published=get_day(discussion, "createdAt"),
        lost=get_texts(reply.data, "lost"),
    )


def _write_release(target: GitHubTarget, reply: SiteReply, writer: SiteWriter) -> Page:
    release = next(iter(get_objects(reply.data, "releases")), {})
    return writer.build_page(
        write_release(release, writer.composer),
        f"{target.full_name} {get_text(release, 'tag_name')}",
        url=get_text(release, "html_url"),
        author=get_text(release, "author", "login"),
        published=get_day(release, "published_at"),
    )


def _write_gist(reply: SiteReply, writer: SiteWriter) -> Page:
    gist = get_fields(reply.data, "gist")
    cut = []
    for name, file in get_fields(gist, "files").items():
        if get_flag(file, "truncated"):
            cut.append(f"Only the beginning of {name} is shown.")
    return writer.build_page(
        write_gist(gist, writer.composer),
        get_text(gist, "description") or "Gist",
        url=get_text(gist, "html_url"),
        author=get_text(gist, "owner", "login"),
        published=get_day(gist, "created_at"),
        lost=cut,
    )
