"""A program of somebody else under a small process that ends it with all that it started, also
when we are killed ourselves.
"""
