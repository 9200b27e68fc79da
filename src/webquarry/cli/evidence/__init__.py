"""The commands about what was called and what can be shown for it."""
