"""Help for authors of tools."""
