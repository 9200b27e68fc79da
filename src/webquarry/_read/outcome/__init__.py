"""Outcome of a page: content, part of it, or a wall, a login or an error in its place."""
