"""Drafts: a text that somebody wrote -> its quotes, its numbers and its references, each with its
line and the source that it is said to come from.
"""
