"""a tree of elements -> Markdown"""
