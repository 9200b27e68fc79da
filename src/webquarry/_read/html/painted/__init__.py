"""the tree of a page -> that of what browsers paint, where it is another one than was written"""
