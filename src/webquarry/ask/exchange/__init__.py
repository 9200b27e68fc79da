"""one question -> requests to a model, with at most one search, and its answer"""
