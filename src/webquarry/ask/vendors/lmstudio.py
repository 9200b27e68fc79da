"""LM Studio, on this machine unless told otherwise."""

from __future__ import annotations

from webquarry.ask.model_api.chat import ChatVendor
from webquarry.credentials import Credential


class LMStudio(ChatVendor):
    """Local models in LM Studio's server."""

    name = "lmstudio"
    label = "The LM Studio server"
    credentials = (Credential("LMSTUDIO_API_KEY", "lmstudio-api-key"),)
    needs_key = False
    default_url = "http://127.0.0.1:1234"
    is_own_server = True
    advice_when_gone = "the server does not have it. Load it in LM Studio."
