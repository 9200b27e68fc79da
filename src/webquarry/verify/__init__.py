"""Verification: what a draft quotes and cites, compared with what the sources say."""
