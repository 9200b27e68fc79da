"""Decodes the bytes of pages to text, and recognises binary files by their first bytes."""
