"""The plugin of dbt-duckdb, as profiles name it: `module: webquarry.batch.dbt`."""

from __future__ import annotations

from webquarry.surfaces.batch.dbt import Plugin

__all__ = ["Plugin"]
