"""A question in, an answer out: a model that may search the web once, and what that cost."""
