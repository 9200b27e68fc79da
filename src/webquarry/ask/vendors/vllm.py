"""vLLM, on this machine unless told otherwise."""

from __future__ import annotations

from webquarry.ask.model_api.chat import ChatVendor
from webquarry.credentials import Credential


class VLLM(ChatVendor):
    """Models on a server of one's own. A search needs its --enable-auto-tool-choice and
    --tool-call-parser.
    """

    name = "vllm"
    label = "The vLLM server"
    credentials = (Credential("VLLM_API_KEY", "vllm-api-key"),)
    needs_key = False
    default_url = "http://127.0.0.1:8000"
    is_own_server = True
    advice_when_gone = "the server was started with another one; `webquarry doctor` asks it."
