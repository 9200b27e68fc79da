"""an element -> the reason why a person cannot see it, or None"""
