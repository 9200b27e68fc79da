"""Ollama, on this machine unless told otherwise."""

from __future__ import annotations

from typing import Any, ClassVar

from webquarry.ask.model_api.chat import ChatVendor
from webquarry.ask.model_api.turn import Body, ModelRequest
from webquarry.credentials import Credential


class Ollama(ChatVendor):
    """Local models. It knows neither `max_completion_tokens` nor `tool_choice`, and says nothing of
    fields that it does not know.
    """

    name = "ollama"
    label = "The Ollama server"
    credentials = (Credential("OLLAMA_API_KEY", "ollama-api-key"),)
    needs_key = False
    default_url = "http://127.0.0.1:11434"
    is_own_server = True
    effort: ClassVar[str | None] = "none"
    advice_when_gone = "the server does not have it. Get it with: ollama pull NAME"

    def build_form(self, request: ModelRequest) -> Body:
        """Ollama reads the schema alone."""
        form: dict[str, Any] = {"name": "answer", "schema": request.schema}
        return {"response_format": {"type": "json_schema", "json_schema": form}}
