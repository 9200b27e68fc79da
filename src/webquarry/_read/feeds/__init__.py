"""a feed, in any of its formats -> one shape -> Markdown"""
