"""a Word document -> Markdown"""
