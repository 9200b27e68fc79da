"""what a search is limited to: domains, terms, lenses"""
