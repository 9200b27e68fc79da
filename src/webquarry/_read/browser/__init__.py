"""Renders pages that need their scripts in Chromium, whose requests are all made by our client."""
