"""Answers kept for a while: memory in front of one encrypted file. May be deleted at any time."""
