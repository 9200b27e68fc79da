"""url -> Markdown"""
