"""Serving others over HTTP: who they are, how much they may ask, and how the server is doing."""
