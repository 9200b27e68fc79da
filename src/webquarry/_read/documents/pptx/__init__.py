"""a presentation -> Markdown"""
