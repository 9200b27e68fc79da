"""What is read of a page, and how sites with an interface of their own are asked."""

from __future__ import annotations

from pydantic import Field

from webquarry.setting_groups.group import SettingGroup, TextList


class ReadingSettings(SettingGroup):
    """What is read of a page, and how sites with an interface of their own are asked."""

    fetch_max_bytes: int = Field(
        1_500_000,
        ge=0,
        description="Most bytes of Markdown in one web_fetch answer; what is cut is said, with "
        "the line to go on from. 0 means no limit.",
    )

    read_workers: int | None = Field(
        None,
        ge=0,
        le=256,
        description="Processes that read pages in a server, in SQL and in the library; one per "
        "core unless given, and as many again while several callers want some. 0 reads them in "
        "threads of the program itself, where nothing stops a hostile page.",
    )
    read_cpu_seconds: float = Field(
        20,
        gt=0,
        description="Seconds of processor time that reading one page may take; more is an error "
        "of kind too_complex.",
    )
    read_memory_mb: int = Field(
        1024,
        ge=256,
        description="Megabytes of address space that a process which reads pages may take.",
    )
    read_idle_seconds: float = Field(
        60, ge=0, description="Seconds of rest after which a process that reads pages ends."
    )
    linked_styles: bool = Field(
        True,
        description="Whether scrape_page fetches the style sheets that a page links to on its own "
        "site, at most 4 and 512 KB, to tell what of the page a person sees. Searches that read "
        "pages do without.",
    )

    reddit: bool = Field(
        False,
        description="Whether posts, subreddits and users of Reddit are read by its feeds, which "
        "answer where its pages refuse programs. Its robots.txt allows robots neither; with this "
        "the feed of an address that was asked for is read all the same.",
    )
    youtube_languages: TextList = Field(
        ["en"],
        description="Languages in which transcripts of YouTube are wanted, the best first, "
        "comma-separated, such as de,en.",
    )
    youtube_clients: TextList = Field(
        ["ANDROID/20.10.38", "VISIONOS/1.02", "ANDROID_VR/1.65.10", "WEB/2.20260708.00.00"],
        description="Clients, as name/version, in whose name YouTube is asked for a transcript, "
        "in this order, comma-separated. YouTube retires them from time to time.",
    )

    # Evidence
    contact: str | None = Field(
        None,
        max_length=254,
        pattern=r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+$",
        description="Your e-mail address, for services that serve those better who give one: "
        "Crossref, PubMed, Europe PMC and arXiv. Sent to nobody else.",
    )
