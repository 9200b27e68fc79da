"""Rows of numbers: those that compiled code fills and reads, and those of numpy."""
