"""Any other server that speaks Chat Completions; its address has to be named."""

from __future__ import annotations

from webquarry.ask.model_api.chat import ChatVendor
from webquarry.credentials import Credential


class Compatible(ChatVendor):
    """A server of which nothing else is known; on this machine it is free unless priced."""

    name = "compatible"
    label = "The model's server"
    credentials = (Credential("COMPATIBLE_API_KEY", "compatible-api-key"),)
    needs_key = False
    is_own_server = True
    advice_when_gone = "the server does not have it."
