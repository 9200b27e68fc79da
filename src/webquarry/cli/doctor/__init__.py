"""The command `doctor`: what is configured, whether it works, and what to do if not."""
