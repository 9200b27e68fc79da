"""Markdown -> its outline, sections, paragraphs and pieces within a limit"""
