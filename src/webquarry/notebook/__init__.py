"""Notebooks: the magics, and the HTML of objects."""
