"""A question -> scholarly papers: several open indexes asked at once, their records of one paper
made into one.
"""
