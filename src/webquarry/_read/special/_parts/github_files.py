"""Repositories, folders, files, releases and gists of GitHub -> Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from webquarry._read.markdown.compose import Composer
from webquarry._read.special._parts.github_thread import write_body
from webquarry._read.special._parts.json_fields import (
    get_day,
    get_fields,
    get_flag,
    get_number,
    get_objects,
    get_text,
    get_texts,
)
from webquarry._read.special._parts.site_markdown import (
    count,
    format_size,
    join_blocks,
    join_facts,
    write_code,
    write_markdown,
)

_Fields = Mapping[str, Any]
_LANGUAGES = {
    "py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "ts": "typescript",
    "rs": "rust", "go": "go", "rb": "ruby", "java": "java", "kt": "kotlin", "c": "c", "h": "c",
    "cc": "cpp", "cpp": "cpp", "hpp": "cpp", "cs": "csharp", "sh": "bash", "bash": "bash",
    "yml": "yaml", "yaml": "yaml", "toml": "toml", "json": "json", "html": "html", "css": "css",
    "sql": "sql", "php": "php", "swift": "swift", "scala": "scala", "lua": "lua", "r": "r",
    "jl": "julia", "ex": "elixir", "hs": "haskell", "tsx": "tsx", "jsx": "jsx", "diff": "diff",
    "patch": "diff", "xml": "xml", "tex": "latex", "proto": "protobuf", "tf": "hcl",
}  # fmt: skip
MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx", ".mdown")


def find_language(path: str) -> str:
    """The language of a file by its name, as a fence names it."""
    name = path.rsplit("/", 1)[-1]
    if name in ("Makefile", "Dockerfile"):
        return name.lower()
    return _LANGUAGES.get(name.rsplit(".", 1)[-1].lower(), "")


def write_repository(repository: _Fields, full_name: str, readme: str, composer: Composer) -> str:
    """What a repository is, and its README, which is Markdown that was made safe already."""
    name = get_text(repository, "full_name") or full_name
    licence = get_text(repository, "license", "spdx_id")
    if licence == "NOASSERTION":
        licence = get_text(repository, "license", "name")
    pushed = get_day(repository, "pushed_at")
    home = get_text(repository, "homepage")
    topics = ", ".join(get_texts(repository, "topics"))
    branch = get_text(repository, "default_branch")
    plain = [
        get_text(repository, "language"),
        licence,
        count(get_number(repository, "stargazers_count"), "star"),
        count(get_number(repository, "forks_count"), "fork"),
        count(get_number(repository, "open_issues_count"), "open issue"),
        f"pushed {pushed}" if pushed else "",
        f"default branch {branch}" if branch else "",
        f"topics: {topics}" if topics else "",
    ]
    facts = [composer.name(fact) for fact in plain]
    if get_flag(repository, "archived"):
        facts.insert(0, "**archived: nobody works on it**")
    if home:
        facts.append(composer.link(composer.plain(home), home))
    blocks = [
        f"# {composer.name(name)}",
        composer.name(get_text(repository, "description")),
        join_facts(facts),
    ]
    if readme:
        blocks += ["## README", readme]
    return join_blocks(blocks)


def write_folder(
    entries: Sequence[_Fields], full_name: str, path: str, readme: str, composer: Composer
) -> str:
    """What is in a folder, folders first, and its README."""
    lines = []
    for entry in sorted(entries, key=lambda entry: get_text(entry, "type") != "dir"):
        name = composer.name(get_text(entry, "name"))
        if get_text(entry, "type") == "dir":
            lines.append(f"- {name}/")
        else:
            lines.append(f"- {name} ({format_size(get_number(entry, 'size'))})")
    title = composer.name(f"{full_name}/{path}")
    blocks = [f"# {title}", "\n".join(lines)]
    if readme:
        blocks += ["## README", readme]
    return join_blocks(blocks)


def write_file(
    text: str, path: str, url: str, lines: tuple[int, int] | None, composer: Composer
) -> str:
    """A file by its kind; lines that the URL names come first, with their numbers."""
    title = composer.name(path)
    blocks = [f"# {title}"]
    all_lines = text.split("\n")
    if lines is not None:
        first, last = lines
        wanted = all_lines[first - 1 : last]
        numbered = [f"{number}: {line}" for number, line in enumerate(wanted, first)]
        blocks += [f"## Lines {first} to {last}", write_code(composer, "\n".join(numbered))]
        blocks.append("## Whole file")
    if path.lower().endswith(MARKDOWN_SUFFIXES):
        blocks.append(write_markdown(composer, text, url))
    else:
        blocks.append(write_code(composer, text, find_language(path)))
    return join_blocks(blocks)


def write_release(release: _Fields, composer: Composer, level: int = 1) -> str:
    """A release: its notes and its files."""
    name = get_text(release, "name") or get_text(release, "tag_name")
    marks = [
        composer.name(get_text(release, "tag_name")),
        get_day(release, "published_at"),
        "prerelease" if get_flag(release, "prerelease") else "",
        "draft" if get_flag(release, "draft") else "",
    ]
    files = []
    for asset in get_objects(release, "assets"):
        file = composer.name(get_text(asset, "name"))
        size = format_size(get_number(asset, "size"))
        files.append(f"- {file} ({size})")
    blocks = [
        f"{'#' * level} {composer.name(name)}",
        join_facts(marks),
        write_body(release, composer),
    ]
    if files:
        blocks += [f"{'#' * (level + 1)} Files", "\n".join(files)]
    return join_blocks(blocks)


def write_releases(releases: Sequence[_Fields], full_name: str, composer: Composer) -> str:
    """The newest releases of a repository."""
    blocks = [f"# Releases of {composer.name(full_name)}"]
    blocks += [write_release(release, composer, level=2) for release in releases]
    return join_blocks(blocks)


def write_gist(gist: _Fields, composer: Composer) -> str:
    """A gist: each of its files."""
    owner = get_text(gist, "owner", "login")
    title = get_text(gist, "description") or "Gist"
    facts = [
        f"by {composer.name(owner)}" if owner else "",
        get_day(gist, "created_at"),
    ]
    blocks = [f"# {composer.name(title)}", join_facts(facts)]
    for name, file in get_fields(gist, "files").items():
        content = get_text(file, "content")
        blocks.append(f"## {composer.name(name)}")
        if name.lower().endswith(MARKDOWN_SUFFIXES):
            blocks.append(write_markdown(composer, content, "https://gist.github.com/"))
        else:
            blocks.append(write_code(composer, content, find_language(name)))
    return join_blocks(blocks)
