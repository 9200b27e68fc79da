"""Runs of units that are alike: products, results, people."""
