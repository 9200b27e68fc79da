"""a work -> its reference, one file for each style"""
