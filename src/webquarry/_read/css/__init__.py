"""style sheets -> the rules, selectors and values that can hide an element"""
