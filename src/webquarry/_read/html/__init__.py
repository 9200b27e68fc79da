"""bytes or text of a page -> a tree of elements, within bounds, and what concerns the whole page"""
