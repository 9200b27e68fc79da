"""Changes of the tree of a page to what browsers paint."""
