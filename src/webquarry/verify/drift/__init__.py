"""Drift: pages that were cited in, what became of them and of the quotes out."""
