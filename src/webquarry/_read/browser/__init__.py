"""Pages that need their scripts: Chromium runs them, and every request it makes is ours."""
