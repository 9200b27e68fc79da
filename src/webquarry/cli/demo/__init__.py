"""The command `demo`: search, read, cite and research on a recorded web."""
