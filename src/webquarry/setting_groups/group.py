"""What a group of settings is, and how the text of a variable becomes the value of a setting."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict


def split_list(value: Any) -> Any:
    """A comma-separated text is a list."""
    if not isinstance(value, str):
        return value
    parts = [part.strip() for part in value.split(",")]
    return [part for part in parts if part]


def read_none(value: Any) -> Any:
    """The word for no limit."""
    if isinstance(value, str) and value.strip().lower() == "none":
        return None
    return value


def also(*names: str) -> dict[str, Any]:
    """Further environment variables that set this field, in order, after WEBQUARRY_<FIELD>."""
    return {"also": list(names)}


TextList = Annotated[list[str], BeforeValidator(split_list)]


class SettingGroup(BaseModel):
    """Settings that belong together. Only `Settings`, which holds them all, is ever made."""

    model_config = ConfigDict(defer_build=True)  # start-up does not pay for the groups as well
