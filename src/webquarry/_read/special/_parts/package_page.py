"""A package of any registry as Markdown: warnings first, then facts, the description, and the last
versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from webquarry._read.markdown.compose import Composer
from webquarry._read.special._parts.site_markdown import join_blocks, join_facts, write_rows

MOST_VERSIONS = 10
_MOST_NAMES = 60  # of dependencies; a package of a framework has hundreds


@dataclass(frozen=True)
class RegistryPackage:
    """What a registry says of a package, in its own words."""

    name: str
    version: str
    summary: str
    install: str  # the command
    warnings: Sequence[str]  # withdrawn, deprecated, known weaknesses
    facts: Sequence[tuple[str, str]]
    links: Sequence[tuple[str, str]]  # what for, and the address
    dependencies: Sequence[tuple[str, Sequence[str]]]  # of each kind
    versions: Sequence[str]  # the newest first, each with its day


def write_package(package: RegistryPackage, description: str, composer: Composer) -> str:
    """The page of a package; its description is Markdown that was made safe already."""
    from webquarry._read.markdown.code import format_code_span

    title = composer.name(f"{package.name} {package.version}")
    warnings = []
    for warning in package.warnings:
        warnings.append(f"**Warning: {composer.name(warning)}**")
    links = []
    for label, address in package.links:
        links.append(composer.link(composer.plain(label), address))
    dependencies = []
    for kind, names in package.dependencies:
        shown = [composer.name(name) for name in names[:_MOST_NAMES]]
        if len(names) > _MOST_NAMES:
            shown.append(f"and {len(names) - _MOST_NAMES} more")
        if shown:
            dependencies.append(f"{kind}: {', '.join(shown)}")
    blocks = [
        f"# {title}",
        *warnings,
        composer.name(package.summary),
        format_code_span(composer.plain(package.install), composer.removed),
        write_rows(composer, package.facts),
        join_facts(links),
        *dependencies,
    ]
    if description:
        blocks += ["## Description", description]
    if package.versions:
        versions = [f"- {composer.name(version)}" for version in package.versions]
        blocks += ["## Versions", "\n".join(versions[:MOST_VERSIONS])]
    return join_blocks(blocks)
