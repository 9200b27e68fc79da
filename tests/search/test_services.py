"""Services: known by name, asked with patience, left alone when they fail."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import httpx2
import pytest

from tests.net.doubles import FakeClock
from tests.search.patents.recorded import LENS_ONLY
from webquarry._search.patents.provider import PatentProvider
from webquarry._search.services import Services
from webquarry.errors import BadInput
from webquarry.net.client import Client
from webquarry.settings import Settings

T = TypeVar("T")


def using(
    use: Callable[[Services[PatentProvider]], Awaitable[T]], clock: FakeClock | None = None
) -> T:
    clock = clock or FakeClock()
    transport = httpx2.MockTransport(lambda request: httpx2.Response(200))

    async def run() -> T:
        async with Client(Settings(), clock, pages=transport, providers=transport) as client:
            return await use(
                Services(
                    PatentProvider,
                    client,
                    Settings(),
                    LENS_ONLY | {"HOME": "/nonexistent"},
                    clock,
                )
            )

    return asyncio.run(run())


def test_services_are_found_by_name_and_alias_only() -> None:
    async def use(services: Services[PatentProvider]) -> None:
        assert [one.name for one in services.all()] == ["epo", "lens"]
        assert [one.name for one in services.get_configured()] == ["lens"]
        assert services.find(" Espacenet").name == "epo"
        with pytest.raises(BadInput, match="no search provider 'acorn'"):
            services.find("acorn")

    using(use)
