"""The command that opens the page."""
