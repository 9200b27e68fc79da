"""Drafts: the quotes, numbers and references of a text, each with its line and source."""
